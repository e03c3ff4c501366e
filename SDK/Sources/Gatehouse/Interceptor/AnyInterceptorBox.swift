// SPDX-License-Identifier: Apache-2.0

/// The functions of one interceptor, specialized for its types where it was erased; `AnyInterceptor` calls
/// them.
@usableFromInline
final class AnyInterceptorBox<ActionType: Sendable, StateType> {
    /// Returns whether it wants to see an action.
    @usableFromInline let concerns: (ActionType) -> Bool
    /// Takes an action that it wants to see.
    @usableFromInline let enter: (Interception<ActionType, StateType>) -> Void
    /// Called when gates around it move.
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
