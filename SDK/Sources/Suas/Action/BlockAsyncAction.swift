// SPDX-License-Identifier: Apache-2.0

/// An async action made from a closure.
public struct BlockAsyncAction: AsyncAction {
    /// Called each time the action reaches an async middleware.
    private let executionBlock: @Sendable (@escaping GetStateFunction, @escaping DispatchFunction) -> Void

    /// Creates an action that executes the closure; `AsyncAction` has the contracts of the two functions.
    public init(
        executionBlock:
            @escaping @Sendable (
                _ getState: @escaping GetStateFunction, _ dispatch: @escaping DispatchFunction
            ) -> Void
    ) {
        self.executionBlock = executionBlock
    }

    public func execute(getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction) {
        executionBlock(getState, dispatch)
    }
}
