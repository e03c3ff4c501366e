// SPDX-License-Identifier: Apache-2.0

/// Keeps effects running while the state wants them; the idea is that of SwiftRex 1.x.
///
/// Before the first action, and after the reducers of each, a function derives the wanted effects from the state. Wanted
/// effects that do not run start, those no longer wanted are cancelled, and all others continue. So no code has to remember
/// where an effect was started.
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
/// Join several effects by `<>`; each is known by its token, or without one by its place in the join. To restart an effect when
/// a value changes, put that value into its token. An effect that has ended by itself starts again only after the state has
/// stopped wanting it. A closed gate that cancels effects cancels these too; the next action that arrives starts them again.
///
/// Not thread-safe: used in the drain.
public final class SupervisingMiddleware<
    InputActionType: Sendable, OutputActionType: Sendable, StateType, Dependencies
>: MiddlewareProtocol {
    /// Maps the state to the wanted effects.
    public typealias Wanted = (
        StateType, EffectContext<Dependencies, OutputActionType>
    ) -> Effect<Dependencies, OutputActionType>

    /// Names an effect without a token.
    private struct Place: Hashable {
        /// Its index in the join, from 0.
        let index: Int
    }

    /// One wanted effect, and the name by which it is known.
    private typealias Part = (token: EffectToken, effect: Effect<Dependencies, OutputActionType>)

    /// Returns the wanted effects for a state, in order.
    private let wanted: (StateType, EffectContext<Dependencies, OutputActionType>) -> [Part]
    /// Passed to the function; nothing runs in it.
    private let asking: EffectBase<Dependencies>
    /// The started effects that are still wanted, each with its own registry.
    private var started: [EffectToken: EffectBase<Dependencies>] = [:]
    /// Whether the run is ending, so that nothing starts any more.
    private var isStopped = false

    /// Creates a middleware with its dependencies; usually done by injecting the reader from `supervise`.
    ///
    /// `wanted` is called in the drain and must return promptly; equal states should give effects with equal tokens.
    public convenience init(dependencies: Dependencies, wanted: @escaping Wanted) {
        self.init(asking: EffectBase(.fixed(dependencies), registry: EffectRegistry(limit: 1))) {
            wanted($0, $1).parts.enumerated().map { index, part in
                (part.token ?? EffectToken(Place(index: index)), part)
            }
        }
    }

    /// Creates a middleware whose effects already have names.
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
        for base in exchange(&started, with: [:]).values { base.registry.cancelAll() }
    }

    public func stopEffects() {
        isStopped = true
        for base in started.values { base.registry.stop() }
    }

    /// `.supervising`, because it looks at the whole state: see `liftToCollection`.
    public var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> { .supervising }

    /// The number of running effects.
    public var runningEffects: Int { started.values.reduce(0) { $0 + $1.registry.count } }

    /// Starts and cancels effects whose wanted state has changed.
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

    /// The maximum number of running effects of one supervised effect, if it is a join.
    private static var mostEffects: Int { 10_000 }
}

extension SupervisingMiddleware where StateType: Identifiable, StateType.ID: Sendable {
    /// The name of an effect that one element wants.
    private struct ElementPlace: Hashable {
        /// The element that wants the effect.
        let id: StateType.ID
        /// Its name among the effects of the element.
        let token: EffectToken
    }

    /// Keeps effects running for each element of a collection while the element wants them.
    ///
    /// Elements are found by id; the first one with an id counts. Effects start with the element and are cancelled when it has
    /// left. The elements are examined before the first action and after each, whichever elements it is for: `inputAction` only
    /// describes the actions of elements, as in every such lift.
    ///
    /// Only this form can lift it to a collection: by key paths an output would be written into the answered action, an index
    /// names another element when one before it goes, and behind `AnyMiddleware` the effects cannot be seen. Those lifts trap
    /// when they are made, and say so.
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
    /// Returns a reader of a middleware that keeps effects running while the state wants them; see `SupervisingMiddleware`.
    public static func supervise<Input, Output, State>(
        _ wanted: @escaping SupervisingMiddleware<Input, Output, State, Dependencies>.Wanted
    ) -> MiddlewareReader where MiddlewareType == SupervisingMiddleware<Input, Output, State, Dependencies> {
        MiddlewareReader { SupervisingMiddleware(dependencies: $0, wanted: wanted) }
    }

    /// Like the form above, with the type of the middleware hidden.
    public static func supervise<Input, Output, State>(
        _ wanted: @escaping SupervisingMiddleware<Input, Output, State, Dependencies>.Wanted
    ) -> MiddlewareReader where MiddlewareType == AnyMiddleware<Input, Output, State> {
        MiddlewareReader {
            AnyMiddleware(
                SupervisingMiddleware<Input, Output, State, Dependencies>(dependencies: $0, wanted: wanted))
        }
    }
}
