// SPDX-License-Identifier: Apache-2.0

/// What `AnyInterceptor` calls: the functions of one interceptor, compiled for its types where it was erased.
@usableFromInline
final class AnyInterceptorBox<ActionType: Sendable, StateType> {
    /// Whether it wants to see an action.
    @usableFromInline let concerns: (ActionType) -> Bool
    /// Takes an action that it wants to see.
    @usableFromInline let enter: (Interception<ActionType, StateType>) -> Void
    /// Told about gates around it.
    @usableFromInline let gateChanged: (GateState) -> Void
    /// Whether it lets every action pass.
    @usableFromInline let isIdentity: Bool

    /// A box of these functions.
    @inlinable
    init(
        concerns: @escaping (ActionType) -> Bool,
        enter: @escaping (Interception<ActionType, StateType>) -> Void,
        gateChanged: @escaping (GateState) -> Void, isIdentity: Bool = false
    ) {
        self.concerns = concerns
        self.enter = enter
        self.gateChanged = gateChanged
        self.isIdentity = isIdentity
    }
}
