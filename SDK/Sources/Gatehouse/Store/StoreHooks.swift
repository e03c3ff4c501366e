// SPDX-License-Identifier: Apache-2.0

/// What a store tells its owner about misuse and losses; each hook runs in the drain.
public struct StoreHooks<Action: Sendable>: Sendable {
    /// A chain of synchronous outputs passed the limit and was cut.
    public var onLoop: @Sendable (DispatchLoop<Action>) -> Void
    /// An action arrived after the store was released and was dropped.
    public var onLateAction: @Sendable (DispatchedAction<Action>) -> Void

    /// Hooks that do nothing unless given.
    public init(
        onLoop: @escaping @Sendable (DispatchLoop<Action>) -> Void = { _ in },
        onLateAction: @escaping @Sendable (DispatchedAction<Action>) -> Void = { _ in }
    ) {
        self.onLoop = onLoop
        self.onLateAction = onLateAction
    }
}
