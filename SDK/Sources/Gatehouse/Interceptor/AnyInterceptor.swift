// SPDX-License-Identifier: Apache-2.0

/// A type-erased interceptor, or several in a row.
///
/// It keeps the interceptor alive.
@frozen
public struct AnyInterceptor<ActionType: Sendable, StateType>: InterceptorProtocol {
    /// Forwards to the interceptor.
    @usableFromInline let box: AnyInterceptorBox<ActionType, StateType>

    /// Creates an interceptor that hides the type of another; an erased one is taken as it is.
    @inlinable
    public init<Interceptor: InterceptorProtocol<ActionType, StateType>>(_ interceptor: Interceptor) {
        if let erased = interceptor as? AnyInterceptor {
            self = erased
        } else {
            box = AnyInterceptorBox(
                concerns: { interceptor.concerns($0) },
                enter: { way in
                    let passage = Passage(way.onward)
                    interceptor.intercept(
                        action: way.action, from: way.dispatcher, state: way.state, output: way.output,
                        next: Next(passage))
                    passage.close()
                },
                gateChanged: { interceptor.gateChanged(to: $0) })
        }
    }

    /// Creates an interceptor from its `intercept` function.
    @inlinable
    public init(
        intercept:
            @escaping (
                _ action: ActionType, _ dispatcher: ActionSource,
                _ state: OwnState<ActionType, StateType>, _ output: AnyActionHandler<ActionType>,
                _ next: Next<ActionType>
            ) -> Void
    ) {
        box = AnyInterceptorBox(
            concerns: { _ in true },
            enter: { way in
                let passage = Passage(way.onward)
                intercept(way.action, way.dispatcher, way.state, way.output, Next(passage))
                passage.close()
            },
            gateChanged: { _ in })
    }

    /// Creates an interceptor that wraps others.
    ///
    /// - Parameters:
    ///   - concerns: whether it wants to see an action.
    ///   - enter: takes an action that it wants to see; passes it on by `onward`, or to others by `enter`.
    ///   - gateChanged: called when gates around it move.
    @inlinable
    public init(
        concerns: @escaping (ActionType) -> Bool,
        enter: @escaping (Interception<ActionType, StateType>) -> Void,
        gateChanged: @escaping (GateState) -> Void
    ) {
        box = AnyInterceptorBox(concerns: concerns, enter: enter, gateChanged: gateChanged)
    }

    /// Whether it was made to let every action pass.
    @inlinable
    public var isIdentity: Bool { box.isIdentity }

    @inlinable
    public func concerns(_ action: ActionType) -> Bool { box.concerns(action) }

    @inlinable
    public func intercept(
        action: ActionType, from dispatcher: ActionSource, state: OwnState<ActionType, StateType>,
        output: AnyActionHandler<ActionType>, next: Next<ActionType>
    ) {
        let onward = Onward<ActionType>(
            before: next.passage.onward, late: { $0 },
            pass: { changed in
                if let changed { next(changed) } else { next() }
            })
        enter(
            Interception(action: action, from: dispatcher, state: state, output: output, onward: onward))
    }

    @inlinable
    public func gateChanged(to gate: GateState) { box.gateChanged(gate) }

    /// Passes an action to the interceptor, or around it if it does not want to see it; called in the drain.
    @inlinable
    public func enter(_ way: Interception<ActionType, StateType>) {
        guard box.concerns(way.action) else { return way.onward.pass(nil) }
        box.enter(way)
    }

    /// Returns the same interceptor, since it is erased already.
    @inlinable
    public func eraseToAnyInterceptor() -> AnyInterceptor { self }
}
