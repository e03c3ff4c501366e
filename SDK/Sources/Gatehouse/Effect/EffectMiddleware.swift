// SPDX-License-Identifier: Apache-2.0

/// The easiest way to write a middleware: one function from an action to an effect.
///
/// As in SwiftRex, the function runs in the drain **after** the reducers, so `state()` gives the state they left. Effects
/// that are still running when the middleware goes are cancelled.
///
/// One function has at most 10,000 effects running, or what it is made with; the next one waits, in order, until one ends, and
/// that is told once as `Misuse.tooManyEffects`. What is over at once, as `fireAndForget` and `just` are, never waits. Of
/// those in the background, which need not end, there may be as many beside them; the next one is not started, which is told
/// each time.
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

    /// From the state at the end of a run to an effect.
    public typealias OnStopping = (
        GetState<StateType>, EffectContext<Dependencies, OutputActionType>
    ) -> Effect<Dependencies, OutputActionType>

    /// What an effect middleware is made of.
    @usableFromInline
    enum Form {
        /// One function that answers actions.
        case leaf(EffectLeaf<InputActionType, OutputActionType, StateType, Dependencies>)
        /// What was joined or lifted, in the order in which it handles an action; the closures count its effects, and make the
        /// same once more with effects of its own.
        case row(
            ComposedMiddleware<InputActionType, OutputActionType, StateType>, counts: [() -> EffectCount],
            again: () -> EffectMiddleware)
    }

    /// The form of this middleware: one function, or several joined.
    @usableFromInline let form: Form

    /// A middleware with its dependencies; usually made by injecting the reader that `onAction` gives.
    ///
    /// `onStopping` is called in the drain when the run ends or is asked to end, after the last input and when the effects that
    /// are not `finishing` are cancelled; its own effect counts as `finishing`.
    @inlinable
    public init(
        dependencies: Dependencies, maximumEffects: Int = 10_000, onAction: @escaping OnAction,
        onStopping: OnStopping? = nil
    ) {
        form = .leaf(
            EffectLeaf(
                .fixed(dependencies), maximumEffects: maximumEffects, onAction: onAction,
                onStopping: onStopping))
    }

    /// A middleware whose dependencies may change while it runs: they are looked up each time that a context is asked for them.
    ///
    /// So an effect that starts later, behind a `delay` or a `debounce`, works with those that there are when it starts: its
    /// function asks the context then, in the drain or in a task. What the closure of the middleware itself has read from the
    /// context stays as it was.
    @inlinable
    public init(
        reading dependencies: @escaping @Sendable () -> Dependencies, maximumEffects: Int = 10_000,
        onAction: @escaping OnAction, onStopping: OnStopping? = nil
    ) {
        form = .leaf(
            EffectLeaf(
                .read(dependencies), maximumEffects: maximumEffects, onAction: onAction,
                onStopping: onStopping))
    }

    /// A join; joins among the parts are taken apart, so that each part is run once.
    @inlinable
    init(joining parts: [EffectMiddleware]) {
        var row = ComposedMiddleware<InputActionType, OutputActionType, StateType>()
        var counts: [() -> EffectCount] = []
        for part in parts {
            switch part.form {
            case .leaf:
                row.append(middleware: part)
                counts.append { part.effects }
            case .row(let members, let more, _):
                row.append(middleware: members)
                counts += more
            }
        }
        form = .row(row, counts: counts) { EffectMiddleware(joining: parts.map { $0.again() }) }
    }

    /// An effect middleware of other types inside; `count` counts its effects, `again` makes it once more.
    @inlinable
    init<Inner: MiddlewareProtocol<InputActionType, OutputActionType, StateType>>(
        around inner: Inner, count: @escaping () -> EffectCount, again: @escaping () -> EffectMiddleware
    ) {
        form = .row(ComposedMiddleware([inner.eraseToAnyMiddleware()]), counts: [count], again: again)
    }

    /// One function, with what it has running.
    @inlinable
    init(_ leaf: EffectLeaf<InputActionType, OutputActionType, StateType, Dependencies>) {
        form = .leaf(leaf)
    }

    /// The same functions and dependencies, with effects and tokens of their own.
    @inlinable
    func again() -> EffectMiddleware {
        switch form {
        case .leaf(let leaf): EffectMiddleware(leaf.again())
        case .row(_, _, let again): again()
        }
    }

    @inlinable
    public func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        switch form {
        case .leaf(let leaf): leaf.handle(action, from: dispatcher, state: state)
        case .row(let row, _, _): row.handle(action: action, from: dispatcher, state: state)
        }
    }

    @inlinable
    public func start(state: GetState<StateType>) -> IO<OutputActionType> {
        if case .row(let row, _, _) = form { row.start(state: state) } else { .pure() }
    }

    @inlinable
    public func stopping(state: GetState<StateType>) -> IO<OutputActionType> {
        switch form {
        case .leaf(let leaf): leaf.stopping(state)
        case .row(let row, _, _): row.stopping(state: state)
        }
    }

    @inlinable
    public func gateChanged(to gate: GateState) {
        if case .row(let row, _, _) = form { row.gateChanged(to: gate) }
    }

    /// Cancels every running effect of this middleware; in a join, those of its parts.
    public func cancelEffects() {
        switch form {
        case .leaf(let leaf): leaf.base.registry.cancelAll()
        case .row(let row, _, _): row.cancelEffects()
        }
    }

    public func stopEffects() {
        switch form {
        case .leaf(let leaf): leaf.base.registry.stop()
        case .row(let row, _, _): row.stopEffects()
        }
    }

    /// How many effects are running, with those that wait for others to end; in a join, those of its parts together.
    public var runningEffects: Int { effects.running }

    /// What it has running; in a join, that of its parts together.
    @usableFromInline var effects: EffectCount {
        switch form {
        case .leaf(let leaf): leaf.base.registry.effects
        case .row(_, let counts, _): counts.reduce(EffectCount()) { $0 + $1() }
        }
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
    /// The middleware that answers no action.
    @inlinable
    public static var identity: EffectMiddleware { EffectMiddleware(joining: []) }
}

extension EffectMiddleware where Dependencies == Void {
    /// A middleware that needs nothing injected.
    @inlinable
    public static func onAction(
        _ onAction: @escaping OnAction, onStopping: OnStopping? = nil
    ) -> EffectMiddleware {
        EffectMiddleware(dependencies: (), onAction: onAction, onStopping: onStopping)
    }
}
