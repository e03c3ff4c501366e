// SPDX-License-Identifier: Apache-2.0

/// The answer of an effect middleware to one action: calls the function when it is run, and performs the
/// effect.
///
/// Outlives the middleware if something retains it.
@usableFromInline
final class EffectAnswer<Input: Sendable, Output: Sendable, State, Dependencies>: IOBody {
    /// The dependencies and the registry for the function.
    @usableFromInline let base: EffectBase<Dependencies>
    /// Maps an action to an effect.
    @usableFromInline let onAction: EffectMiddleware<Input, Output, State, Dependencies>.OnAction
    /// The current action.
    @safe @exclusivity(unchecked) @usableFromInline var action: Input
    /// The source of the current action.
    @safe @exclusivity(unchecked) @usableFromInline var dispatcher: ActionSource
    /// Reads the state as it is at the moment of the call.
    @usableFromInline let state: GetState<State>

    /// Creates an answer to one action.
    @inlinable
    init(
        _ leaf: EffectLeaf<Input, Output, State, Dependencies>, _ action: Input,
        from dispatcher: ActionSource, state: GetState<State>
    ) {
        base = leaf.base
        onAction = leaf.onAction
        self.action = action
        self.dispatcher = dispatcher
        self.state = state
    }

    @inlinable
    func run(_ output: AnyActionHandler<Output>) {
        let context = EffectContext<Dependencies, Output>(base: base, dispatcher: dispatcher)
        let effect = onAction(action, state, context)
        guard effect.doesSomething else { return }
        // Specialized for the types at the place that makes the effect; `perform` is not.
        switch effect.work {
        case .emit(let emitted): output.dispatch(emitted)
        case .emitAll(let emitted): for one in emitted { output.dispatch(one) }
        default: effect.perform(context, output)
        }
    }
}

extension Effect {
    /// Performs the effect of a middleware's function; called in the drain.
    ///
    /// - Parameters:
    ///   - whole: the number in the log of the effect that this one is a part of; nil for none.
    ///   - onEnd: called when it has ended by itself, before the end is counted; nil for nothing to do.
    @usableFromInline
    func perform(
        _ context: Context, _ output: AnyActionHandler<OutputAction>,
        within whole: UInt64? = nil, onEnd: (@Sendable () -> Void)? = nil
    ) {
        switch work {
        case .nothing: break
        case .emit(let action): output.dispatch(action)
        case .emitAll(let actions): for action in actions { output.dispatch(action) }
        case .cancel(let token): context.base.registry.cancel(token)
        case .all(let parts, let last):
            return Self.start(parts, then: last, context, output, within: whole, onEnd: onEnd)
        case .make(let make): output.dispatch(make(context))
        case .start(let body, let admits):
            let activity = output.sink.activity
            if case .stubbed = activity?.execution {
                activity?.countStubbed()
                return
            }
            var logged: UInt64?
            if let log = activity?.log {
                // It ended before a restart.
                guard let number = log.begin(kind, recovery, within: whole) else { break }
                logged = number
            }
            if let admits, !admits(context.base.registry, activity?.execution.executor) {
                Self.drop(logged, of: activity, isCancelled: false)
                break
            }
            let beginning = context.base.registry.begin(
                token: token, as: kind, isBrief: isBrief, activity: activity, drain: output.sink.drain,
                logged: logged)
            switch beginning {
            case .started(let run):
                // Something else makes up for it, so it is not reported when the end of the run cuts it off.
                if recovery == .forget { _ = run.speak() }
                if let onEnd { run.onFinish(onEnd) }
                Self.begin(body, run, context, output)
            case .waits(let run, let isFirst):
                if isFirst { report(context, isBackground: false, to: output) }
                if let onEnd { run.onFinish(onEnd) }
                let start = ActionSink<Void>(before: output.sink) { _ in
                    if run.isRunning { Self.begin(body, run, context, output) }
                }
                context.base.registry.wait(run, AnyActionHandler(start))
            case .refused:
                report(context, isBackground: true, to: output)
                Self.drop(logged, of: activity, isCancelled: true)
            }
            return
        }
        onEnd?()
    }

    /// Records in the log that a numbered effect is not started.
    private static func drop(_ logged: UInt64?, of activity: Activity?, isCancelled: Bool) {
        guard let logged, let log = activity?.log else { return }
        log.end(logged, isCancelled: isCancelled)
        log.settle(logged, isLeft: false)
    }

    /// Begins the work of an effect, or passes that to the hold; called in the drain.
    private static func begin(
        _ body: @escaping (Context, EffectOutput<OutputAction>) -> Void, _ run: EffectRun,
        _ context: Context, _ output: AnyActionHandler<OutputAction>
    ) {
        let ready = EffectOutput(handler: output, run: run)
        guard case .held(let hold) = output.sink.activity?.execution else { return body(context, ready) }
        hold.wait { if run.isRunning { body(context, ready) } }
    }

    /// Reports that there are more effects than may run.
    private func report(_ context: Context, isBackground: Bool, to output: AnyActionHandler<OutputAction>) {
        output.sink.drain?.report(
            .tooManyEffects(
                limit: context.base.registry.limit, dispatcher: context.dispatcher, isBackground: isBackground
            ))
    }
}
