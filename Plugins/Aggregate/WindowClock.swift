// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Signals the ends of windows, and emits the reducer's summaries.
///
/// It waits only while something is counted, a minute at a time, because a clock may be set meanwhile. The end of the run
/// reports the counts so far.
final class WindowClock: MiddlewareProtocol {
    /// The settings and the host's services.
    private let context: Aggregate.Context
    /// The moment that an effect waits for, in seconds since 1970; nil for none.
    private var awaited: Double?

    /// Creates a clock that waits for nothing.
    init(_ context: Aggregate.Context) { self.context = context }

    func start(state: GetState<Aggregate.State>) -> IO<AnyAction> {
        guard !context.settings.summaries.all.isEmpty else { return .pure() }
        guard context.clock != nil else {
            context.health(
                .failing(
                    "it has no clock, so nothing is counted; grant it \"clock\" in \"lift\"/\"dependencies\"")
            )
            return .pure()
        }
        let all = context.settings.summaries.all
        return IO { output in
            // Windows from before a restart may be over by now.
            if state().end(for: all) != nil { output.dispatch(AnyAction(Aggregate.tick)) }
        }
    }

    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<Aggregate.State>
    ) -> IO<AnyAction> {
        let isOwn = action.type == Aggregate.tick || action.type == Aggregate.flush
        guard isOwn || context.settings.summaries.all.contains(where: { $0.when.contains(action.type) })
        else {
            return .pure()
        }
        return IO { [self] output in
            if isOwn {
                awaited = nil
                for summary in state().told {
                    output.dispatch(AnyAction(Aggregate.summary, payload: summary))
                }
                if action.type == Aggregate.flush { return }
            }
            waiting.handle(action: action, from: dispatcher, state: state).run(output)
        }
    }

    func stopping(state: GetState<Aggregate.State>) -> IO<AnyAction> {
        let all = context.settings.summaries.all
        return IO { output in
            if state().end(for: all) != nil { output.dispatch(AnyAction(Aggregate.flush)) }
        }
    }

    func cancelEffects() {
        // Nothing is counted while the gate is closed; the next action waits again.
        awaited = nil
        waiting.cancelEffects()
    }

    func stopEffects() { waiting.stopEffects() }

    // MARK: - Implementation details

    /// The middleware that waits for the end of a window, unless one waits for it already.
    private lazy var waiting = EffectMiddleware<AnyAction, AnyAction, Aggregate.State, Aggregate.Context>(
        dependencies: context
    ) { [unowned self] _, state, context in
        guard let clock = context.dependencies.clock,
            let end = state().end(for: context.dependencies.settings.summaries.all),
            end < awaited ?? .infinity
        else { return .doNothing }
        awaited = end
        return .run(token: "end") { output in
            guard (try? await clock.sleep(until: end)) != nil else { return }
            await output.emit(AnyAction(Aggregate.tick))
        }.inBackground
    }
}
