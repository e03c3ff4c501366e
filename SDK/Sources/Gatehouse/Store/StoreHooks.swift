// SPDX-License-Identifier: Apache-2.0

/// The owner's callbacks for misuse and losses; each runs in the drain.
///
/// Without hooks they go to standard error: misuse and loops always, late actions in debug builds.
public struct StoreHooks<Action: Sendable>: Sendable {
    /// Called once for an action that led to too many outputs, some of them dropped, when the rest of its work is
    /// done.
    public var onLoop: @Sendable (DispatchLoop<Action>) -> Void
    /// Called for an action dropped because it arrived after the store was released.
    public var onLateAction: @Sendable (DispatchedAction<Action>) -> Void
    /// Called for a use that the documentation forbids.
    public var onMisuse: @Sendable (Misuse) -> Void

    /// Creates hooks that write to standard error by default.
    public init(
        onLoop: (@Sendable (DispatchLoop<Action>) -> Void)? = nil,
        onLateAction: (@Sendable (DispatchedAction<Action>) -> Void)? = nil,
        onMisuse: (@Sendable (Misuse) -> Void)? = nil
    ) {
        self.onLoop = onLoop ?? { StandardError.report($0) }
        self.onLateAction =
            onLateAction ?? { late in
                #if DEBUG
                    StandardError.report(
                        "\(late.dispatcher.place): expected a living store for action \(late.action), found it released; "
                            + "keep the store for as long as actions are dispatched")
                #endif
            }
        self.onMisuse = onMisuse ?? { StandardError.report($0) }
    }
}

extension StoreHooks {
    /// The hooks in the form for a queue of actions.
    public var ofQueue: DrainHooks<DispatchedAction<Action>> {
        DrainHooks(
            onCut: { [onLoop] cut in onLoop(DispatchLoop(cut)) },
            onLate: onLateAction, onMisuse: onMisuse)
    }
}
