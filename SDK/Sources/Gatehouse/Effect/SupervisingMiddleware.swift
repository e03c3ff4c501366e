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

    /// One effect that is to run, under the name by which it is known.
    private typealias Part = (token: EffectToken, effect: Effect<Dependencies, OutputActionType>)

    /// The effects that should be running for a state, in order.
    private let wanted: (StateType, EffectContext<Dependencies, OutputActionType>) -> [Part]
    /// What the function is given; nothing runs in it.
    private let asking: EffectBase<Dependencies>
    /// What was started and is still wanted, each with its own effects.
    private var started: [EffectToken: EffectBase<Dependencies>] = [:]
    /// Whether the run is to end, so that nothing starts any more.
    private var isStopped = false

    /// A middleware with its dependencies; usually made by injecting the reader that `supervise` gives.
    ///
    /// `wanted` is called in the drain and must return promptly; equal states should give effects with equal tokens.
    public convenience init(dependencies: Dependencies, wanted: @escaping Wanted) {
        self.init(asking: EffectBase(.fixed(dependencies), registry: EffectRegistry(limit: 1))) {
            wanted($0, $1).parts.enumerated().map { index, part in
                (part.token ?? EffectToken(Place(index: index)), part)
            }
        }
    }

    /// A middleware whose effects already have names.
    private init(
        asking: EffectBase<Dependencies>,
        wanted: @escaping (StateType, EffectContext<Dependencies, OutputActionType>) -> [Part]
    ) {
        self.asking = asking
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

    /// Known as what it is, because it looks at the whole state: see `liftToCollection`.
    public var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> { .supervising }

    /// How many effects are running.
    public var runningEffects: Int { started.values.reduce(0) { $0 + $1.registry.count } }

    /// Starts and cancels what the state wants otherwise than before.
    private func look(
        at state: StateType, from dispatcher: ActionSource, _ output: AnyActionHandler<OutputActionType>
    ) {
        guard !isStopped else { return }
        let context = { EffectContext<Dependencies, OutputActionType>(base: $0, dispatcher: dispatcher) }
        var tokens: Set<EffectToken> = []
        let next = wanted(state, context(asking)).filter { tokens.insert($0.token).inserted }
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

extension SupervisingMiddleware where StateType: Identifiable, StateType.ID: Sendable {
    /// The effects that one element wants are named after it, too.
    private struct ElementPlace: Hashable {
        /// The element that wants the effect.
        let id: StateType.ID
        /// Its name among those of the element.
        let token: EffectToken
    }

    /// Keeps effects running for each element of a collection while the element wants them; elements are found by id, and the first
    /// one with an id counts.
    ///
    /// They start with the element and are cancelled when it has left. It looks before the first action and after each, whichever
    /// elements it is for: `inputAction` only says how actions of elements look, as in every such lift.
    ///
    /// Only in this form can it be lifted to a collection: by key paths an output would be written into the action that it answers, an
    /// index names another element when one before it goes, and behind `AnyMiddleware` nobody sees which effects there are. Those
    /// lifts end the program when they are made, and say so.
    public func liftToCollection<
        GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState, Elements: Collection<StateType>
    >(
        inputAction: @escaping (GlobalInput) -> ElementIDAction<StateType.ID, InputActionType>?,
        outputAction: @escaping (ElementIDAction<StateType.ID, OutputActionType>) -> GlobalOutput,
        state: @escaping (GlobalState) -> Elements
    ) -> SupervisingMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies> {
        SupervisingMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies>(asking: asking) {
            [wanted] global, context in
            let local = EffectContext<Dependencies, OutputActionType>(
                base: context.base, dispatcher: context.dispatcher)
            return state(global).flatMap { element in
                let id = element.id
                return wanted(element, local).map { token, effect in
                    (
                        EffectToken(ElementPlace(id: id, token: token)),
                        effect.map { outputAction(ElementIDAction(id: id, action: $0)) }
                    )
                }
            }
        }
    }
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
