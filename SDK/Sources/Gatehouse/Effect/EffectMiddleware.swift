// SPDX-License-Identifier: Apache-2.0

/// The easiest way to write a middleware: one function from an action to an effect.
///
/// As in SwiftRex, the function runs in the drain **after** the reducers, so `state()` returns the state they left. Effects
/// that are still running when the middleware is released are cancelled.
///
/// One function has at most 10,000 effects running, unless it is created with another limit. The next one waits, in order,
/// until one ends, which is reported once as `Misuse.tooManyEffects`. Effects that are over at once, such as `fireAndForget`
/// and `just`, never wait. As many more may run in the background, where they need not end; the next one is not started, which
/// is reported each time.
///
/// Effect middlewares join by `<>` like all others: they handle an action first to last and answer it last to first. In a join
/// each keeps its own dependencies and its own tokens.
///
/// ```swift
/// static func night(_ steps: Int) -> SimpleEffectMiddleware<LampAction, Lamp> {
///     .onAction { action, lamp, _ in
///         guard action == .toggle, lamp().isOn else { return .doNothing }
///         return .just(.dim(steps))
///     }
/// }
/// ```
public final class EffectMiddleware<
    InputActionType: Sendable, OutputActionType: Sendable, StateType, Dependencies
>:
    MiddlewareProtocol
{
    /// Maps an action to an effect.
    public typealias OnAction = (
        InputActionType, GetState<StateType>, EffectContext<Dependencies, OutputActionType>
    ) -> Effect<Dependencies, OutputActionType>

    /// Maps the state at the end of a run to an effect.
    public typealias OnStopping = (
        GetState<StateType>, EffectContext<Dependencies, OutputActionType>
    ) -> Effect<Dependencies, OutputActionType>

    /// The structure of an effect middleware.
    @usableFromInline
    enum Form {
        /// One function that answers actions.
        case leaf(EffectLeaf<InputActionType, OutputActionType, StateType, Dependencies>)
        /// Joined or lifted middlewares, in the order in which they handle an action; the closures count the effects, and make
        /// the same middleware again with its own effects.
        case row(
            ComposedMiddleware<InputActionType, OutputActionType, StateType>, counts: [() -> EffectCount],
            again: () -> EffectMiddleware)
    }

    /// The form of this middleware: one function, or several joined.
    @usableFromInline let form: Form

    /// Creates a middleware with its dependencies; usually done by injecting the reader from `onAction`.
    ///
    /// `onStopping` is called in the drain when the run ends or is asked to end, after the last input and after the effects
    /// that are not `finishing` are cancelled; its own effect counts as `finishing`.
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

    /// Creates a middleware whose dependencies may change while it runs: each access through a context looks them up.
    ///
    /// So an effect that starts later, after a `delay` or a `debounce`, uses the dependencies at its start: its function asks
    /// the context then, in the drain or in a task. Values that the middleware's closure itself has read from the context do
    /// not change.
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

    /// Creates a join; joins among the parts are taken apart, so that each part is run once.
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

    /// Wraps a lifted middleware; `count` counts its effects, `again` makes the whole once more.
    @inlinable
    init<Inner: MiddlewareProtocol<InputActionType, OutputActionType, StateType>>(
        around inner: Inner, count: @escaping () -> EffectCount, again: @escaping () -> EffectMiddleware
    ) {
        form = .row(ComposedMiddleware([inner.eraseToAnyMiddleware()]), counts: [count], again: again)
    }

    /// Wraps one function with its running effects.
    @inlinable
    init(_ leaf: EffectLeaf<InputActionType, OutputActionType, StateType, Dependencies>) {
        form = .leaf(leaf)
    }

    /// Returns the same functions and dependencies, with their own effects and tokens.
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

    /// The number of effects that run or wait for others to end; in a join, those of its parts together.
    public var runningEffects: Int { effects.running }

    /// The running effects and intervals; in a join, those of its parts together.
    @usableFromInline var effects: EffectCount {
        switch form {
        case .leaf(let leaf): leaf.base.registry.effects
        case .row(_, let counts, _): counts.reduce(EffectCount()) { $0 + $1() }
        }
    }
}

/// An effect middleware that emits the type of action that it handles and needs no dependencies.
public typealias SimpleEffectMiddleware<Action: Sendable, State> = EffectMiddleware<
    Action, Action, State, Void
>

/// An effect middleware that emits the type of action that it handles.
public typealias SymmetricalEffectMiddleware<Action: Sendable, State, Dependencies> =
    EffectMiddleware<Action, Action, State, Dependencies>

extension EffectMiddleware: Semigroup {
    /// Joins two; they handle an action left first and answer it right first, and neither operand is changed.
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
    /// Creates a middleware that needs no dependencies.
    @inlinable
    public static func onAction(
        _ onAction: @escaping OnAction, onStopping: OnStopping? = nil
    ) -> EffectMiddleware {
        EffectMiddleware(dependencies: (), onAction: onAction, onStopping: onStopping)
    }
}
