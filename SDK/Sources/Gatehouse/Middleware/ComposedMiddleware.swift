// SPDX-License-Identifier: Apache-2.0

/// Middlewares in a row: they handle an action first to last, and their work runs last to first.
///
/// `pre 1, pre 2, reduce, io 2, io 1`. Always flat: a composition that joins another takes over its members; an identity
/// adds nothing. A value: joining never changes an operand.
public struct ComposedMiddleware<InputActionType: Sendable, OutputActionType: Sendable, StateType>:
    MiddlewareProtocol
{
    /// The members in the order in which they handle an action.
    @usableFromInline var row: [AnyMiddleware<InputActionType, OutputActionType, StateType>] = []
    /// The members' answers, refilled for each action.
    @usableFromInline let answers = Answers<OutputActionType>()

    /// The members in the order in which they handle an action.
    @inlinable
    public var members: [AnyMiddleware<InputActionType, OutputActionType, StateType>] { row }

    /// Creates an empty composition; behaves as identity.
    @inlinable
    public init() {}

    /// Creates a composition of the given middlewares, in order.
    @inlinable
    public init(_ middlewares: [AnyMiddleware<InputActionType, OutputActionType, StateType>]) {
        for middleware in middlewares { append(middleware: middleware) }
    }

    /// Adds a middleware at the end: it handles actions last and its work runs first.
    @inlinable
    public mutating func append<Middleware: MiddlewareProtocol<InputActionType, OutputActionType, StateType>>(
        middleware: Middleware
    ) {
        let erased = middleware.eraseToAnyMiddleware()
        if let composition = erased.composition {
            row.append(contentsOf: composition.members)
        } else if !erased.isIdentity {
            row.append(erased)
        }
    }

    @inlinable
    public func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        collect { $0.handle(action: action, from: dispatcher, state: state) }
    }

    @inlinable
    public func start(state: GetState<StateType>) -> IO<OutputActionType> {
        collect { $0.start(state: state) }
    }

    @inlinable
    public func stopping(state: GetState<StateType>) -> IO<OutputActionType> {
        collect { $0.stopping(state: state) }
    }

    public func gateChanged(to gate: GateState) {
        for member in row { member.gateChanged(to: gate) }
    }

    public func cancelEffects() {
        for member in row { member.cancelEffects() }
    }

    public func stopEffects() {
        for member in row { member.stopEffects() }
    }

    /// Calls each member in order and stacks the answers.
    @inlinable
    func collect(
        _ ask: (AnyMiddleware<InputActionType, OutputActionType, StateType>) -> IO<OutputActionType>
    ) -> IO<OutputActionType> {
        let stack = IOStack.reuse(&answers.stack)
        for member in row { stack.push(ask(member)) }
        return stack.io
    }

    /// Holds the stack, so that handling an action does not change the composition.
    @usableFromInline
    final class Answers<Output: Sendable> {
        /// Reused from action to action.
        @safe @exclusivity(unchecked) @usableFromInline var stack = IOStack<Output>()

        /// Creates a body with an empty stack.
        @usableFromInline
        init() {}
    }
}

extension ComposedMiddleware: Monoid {
    /// An empty composition.
    public static var identity: ComposedMiddleware { ComposedMiddleware() }

    /// Joins the members of the left, then those of the right.
    public static func <> (lhs: ComposedMiddleware, rhs: ComposedMiddleware) -> ComposedMiddleware {
        ComposedMiddleware(lhs.members + rhs.members)
    }
}

/// Composes two middlewares of any types with the same actions and state; neither operand is changed.
@inlinable
public func <> <First: MiddlewareProtocol, Second: MiddlewareProtocol>(
    lhs: First, rhs: Second
) -> ComposedMiddleware<First.InputActionType, First.OutputActionType, First.StateType>
where
    First.InputActionType == Second.InputActionType, First.OutputActionType == Second.OutputActionType,
    First.StateType == Second.StateType
{
    ComposedMiddleware([lhs.eraseToAnyMiddleware(), rhs.eraseToAnyMiddleware()])
}
