// SPDX-License-Identifier: Apache-2.0

/// A middleware that does nothing; composing with it changes nothing.
@frozen
public struct IdentityMiddleware<InputActionType: Sendable, OutputActionType: Sendable, StateType>:
    MiddlewareProtocol, Equatable, Sendable
{
    /// Creates the only value of this type.
    @inlinable
    public init() {}

    @inlinable
    public func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        .pure()
    }
}
