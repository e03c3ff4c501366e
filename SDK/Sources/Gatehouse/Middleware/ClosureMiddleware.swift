// SPDX-License-Identifier: Apache-2.0

/// A middleware that consists of its `handle` function.
@usableFromInline
struct ClosureMiddleware<InputActionType: Sendable, OutputActionType: Sendable, StateType>: MiddlewareProtocol {
    /// Called for each action.
    @usableFromInline let handle: (InputActionType, ActionSource, GetState<StateType>) -> IO<OutputActionType>

    /// A middleware around a closure.
    @inlinable
    init(handle: @escaping (InputActionType, ActionSource, GetState<StateType>) -> IO<OutputActionType>) {
        self.handle = handle
    }

    @inlinable
    func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        handle(action, dispatcher, state)
    }
}
