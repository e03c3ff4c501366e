// SPDX-License-Identifier: Apache-2.0

/// The easiest way to write a middleware: one function from an action to an effect.
///
/// As in SwiftRex, the function runs in the drain **after** the reducers, so `state()` gives the state they left. Effects
/// that are still running when the middleware goes are cancelled.
///
/// Effect middlewares join by `<>` like all others: they hear an action first to last and answer it last to first. In a
/// join each keeps its own dependencies and its own tokens.
public final class EffectMiddleware<
    InputActionType: Sendable, OutputActionType: Sendable, StateType, Dependencies
>:
    MiddlewareProtocol
{
    /// From an action to an effect.
    public typealias OnAction = (
        InputActionType, GetState<StateType>, EffectContext<Dependencies, OutputActionType>
    ) -> Effect<Dependencies, OutputActionType>

    /// What the function works with; nil for a join or a lift, which have no function of their own.
    @usableFromInline let engine: EffectEngine<InputActionType, OutputActionType, StateType, Dependencies>?
    /// The answer to the action in hand, filled again for the next.
    @usableFromInline var pending: PendingEffect<InputActionType, OutputActionType, StateType, Dependencies>?
    /// Runs what is joined or lifted, in the order in which it handles an action; otherwise empty.
    @usableFromInline let row: ComposedMiddleware<InputActionType, OutputActionType, StateType>
    /// Counts the running effects of what is in the row.
    @usableFromInline let counts: [() -> Int]

    /// A middleware with its dependencies; usually made by injecting the reader that `onAction` gives.
    @inlinable
    public init(dependencies: Dependencies, onAction: @escaping OnAction) {
        engine = EffectEngine(dependencies: dependencies, onAction: onAction)
        row = ComposedMiddleware()
        counts = []
    }

    /// A join; joins among the parts are taken apart, so that each part is run once.
    @inlinable
    init(joining middlewares: [EffectMiddleware]) {
        engine = nil
        row = ComposedMiddleware(
            middlewares.flatMap { $0.engine == nil ? $0.row.members : [$0.eraseToAnyMiddleware()] })
        counts = middlewares.flatMap { part in part.engine == nil ? part.counts : [{ part.runningEffects }] }
    }

    /// An effect middleware of other types inside, which `running` counts the effects of.
    @inlinable
    init(
        around inner: AnyMiddleware<InputActionType, OutputActionType, StateType>,
        running: @escaping () -> Int
    ) {
        engine = nil
        row = ComposedMiddleware([inner])
        counts = [running]
    }

    deinit { engine?.registry.cancelAll() }

    @inlinable
    public func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        guard let engine else { return row.handle(action: action, from: dispatcher, state: state) }
        if !isKnownUniquelyReferenced(&pending) {
            pending = PendingEffect(engine, dispatcher: dispatcher, state: state)
        }
        guard let pending else { return .pure() }
        pending.action = action
        pending.dispatcher = dispatcher
        if pending.state.identity !== state.identity { pending.state = state }
        return IO(body: pending)
    }

    @inlinable
    public func start(state: GetState<StateType>) -> IO<OutputActionType> { row.start(state: state) }

    @inlinable
    public func gateChanged(to gate: GateState) { row.gateChanged(to: gate) }

    /// Cancels every running effect of this middleware; in a join, those of its parts.
    public func cancelEffects() {
        engine?.registry.cancelAll()
        row.cancelEffects()
    }

    /// How many effects are running; in a join, those of its parts together.
    public var runningEffects: Int {
        engine?.registry.count ?? counts.reduce(0) { $0 + $1() }
    }
}

/// An effect middleware that emits what it hears and needs nothing injected.
public typealias SimpleEffectMiddleware<Action: Sendable, State> = EffectMiddleware<
    Action, Action, State, Void
>

/// An effect middleware that emits what it hears.
public typealias SymmetricalEffectMiddleware<Action: Sendable, State, Dependencies> =
    EffectMiddleware<Action, Action, State, Dependencies>

extension EffectMiddleware: Semigroup {
    /// Joins two; they hear an action left first and answer it right first, and neither operand is changed.
    @inlinable
    public static func <> (lhs: EffectMiddleware, rhs: EffectMiddleware) -> EffectMiddleware {
        EffectMiddleware(joining: [lhs, rhs])
    }
}

extension EffectMiddleware: Monoid where Dependencies == Void {
    /// Answers no action.
    @inlinable
    public static var identity: EffectMiddleware { EffectMiddleware(joining: []) }
}

extension EffectMiddleware where Dependencies == Void {
    /// A middleware that needs nothing injected.
    @inlinable
    public static func onAction(_ onAction: @escaping OnAction) -> EffectMiddleware {
        EffectMiddleware(dependencies: (), onAction: onAction)
    }
}
