// SPDX-License-Identifier: Apache-2.0

/// Keeps effects running while the state wants them; the idea is that of SwiftRex 1.x.
///
/// Before the first action, and after the reducers of each, a function says from the state which effects are to run. What does not
/// run starts, what is wanted no longer is cancelled, and all else goes on. So nobody has to remember where an effect was started.
///
/// ```swift
/// static func middleware() -> Reader {
///     .supervise { state, context in
///         guard state.isWatching, let clock = context.clock else { return .doNothing }
///         return .timer(every: .milliseconds(state.pause), clock: clock.clock) { .look }
///     }
/// }
/// ```
///
/// Several effects are joined by `<>`; each is known by its token, and one without by its place in the join. What is to start anew
/// when a value changes has that value in its token. An effect that ends by itself is not started again before it was unwanted.
/// A closed gate that cancels effects cancels these too; the next action that is heard starts them again.
///
/// Not thread-safe: used in the drain.
public final class SupervisingMiddleware<
    InputActionType: Sendable, OutputActionType: Sendable, StateType, Dependencies
>: MiddlewareProtocol {
    /// From the state to the effects that are to run.
    public typealias Wanted = (
        StateType, EffectContext<Dependencies, OutputActionType>
    ) -> Effect<Dependencies, OutputActionType>

    /// Names an effect without a token.
    private struct Place: Hashable {
        /// Where it stands in the join, from 0.
        let index: Int
    }

    /// The function that says which effects should be running for a state.
    private let wanted: Wanted
    /// What the function is given; nothing runs in it.
    private let asking: EffectBase<Dependencies>
    /// What was started and is still wanted, each with its own effects.
    private var started: [EffectToken: EffectBase<Dependencies>] = [:]
    /// Whether the run is to end, so that nothing starts any more.
    private var isStopped = false

    /// A middleware with its dependencies; usually made by injecting the reader that `supervise` gives.
    ///
    /// `wanted` is called in the drain and must return promptly; equal states should give effects with equal tokens.
    public init(dependencies: Dependencies, wanted: @escaping Wanted) {
        asking = EffectBase(.fixed(dependencies), registry: EffectRegistry(limit: 1))
        self.wanted = wanted
    }

    public func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        IO { [weak self] output in self?.look(at: state(), from: dispatcher, output) }
    }

    public func start(state: GetState<StateType>) -> IO<OutputActionType> {
        IO { [weak self] output in self?.look(at: state(), from: .here(), output) }
    }

    public func cancelEffects() {
        let all = started.values
        started = [:]
        for base in all { base.registry.cancelAll() }
    }

    public func stopEffects() {
        isStopped = true
        for base in started.values { base.registry.stop() }
    }

    /// How many effects are running.
    public var runningEffects: Int { started.values.reduce(0) { $0 + $1.registry.count } }

    /// Starts and cancels what the state wants otherwise than before.
    private func look(
        at state: StateType, from dispatcher: ActionSource, _ output: AnyActionHandler<OutputActionType>
    ) {
        guard !isStopped else { return }
        let context = { EffectContext<Dependencies, OutputActionType>(base: $0, dispatcher: dispatcher) }
        var next: [(token: EffectToken, effect: Effect<Dependencies, OutputActionType>)] = []
        var tokens: Set<EffectToken> = []
        for (index, part) in wanted(state, context(asking)).parts.enumerated() {
            let token = part.token ?? EffectToken(Place(index: index))
            if tokens.insert(token).inserted { next.append((token, part)) }
        }
        for (token, base) in started where !tokens.contains(token) {
            started[token] = nil
            base.registry.cancelAll()
        }
        for (token, effect) in next where started[token] == nil {
            let base = EffectBase(
                asking.source, registry: EffectRegistry(limit: Self.mostEffects))
            started[token] = base
            // The state begins it again, not the action that happens to come first.
            effect.recovering(.forget).perform(context(base), output)
        }
    }

    /// So many effects may one that is supervised have running, if it is a join.
    private static var mostEffects: Int { 10_000 }
}

extension MiddlewareReader {
    /// A reader of a middleware that keeps effects running while the state wants them; see `SupervisingMiddleware`.
    public static func supervise<Input, Output, State>(
        _ wanted: @escaping SupervisingMiddleware<Input, Output, State, Dependencies>.Wanted
    ) -> MiddlewareReader where MiddlewareType == SupervisingMiddleware<Input, Output, State, Dependencies> {
        MiddlewareReader { SupervisingMiddleware(dependencies: $0, wanted: wanted) }
    }

    /// The same with the type of the middleware hidden.
    public static func supervise<Input, Output, State>(
        _ wanted: @escaping SupervisingMiddleware<Input, Output, State, Dependencies>.Wanted
    ) -> MiddlewareReader where MiddlewareType == AnyMiddleware<Input, Output, State> {
        MiddlewareReader {
            AnyMiddleware(
                SupervisingMiddleware<Input, Output, State, Dependencies>(dependencies: $0, wanted: wanted))
        }
    }
}
