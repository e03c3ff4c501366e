// SPDX-License-Identifier: Apache-2.0

/// What a store tells its owner about misuse and losses; each hook runs in the drain.
///
/// Who sets no hook reads about it on standard error: misuse and loops always, late actions in debug builds.
public struct StoreHooks<Action: Sendable>: Sendable {
    /// One action led to more than it may, and some of that was dropped; called once, when what is left of it is done.
    public var onLoop: @Sendable (DispatchLoop<Action>) -> Void
    /// An action arrived after the store was released and was dropped.
    public var onLateAction: @Sendable (DispatchedAction<Action>) -> Void
    /// Something was done that the documentation forbids.
    public var onMisuse: @Sendable (Misuse) -> Void

    /// Hooks that write to standard error unless given.
    public init(
        onLoop: (@Sendable (DispatchLoop<Action>) -> Void)? = nil,
        onLateAction: (@Sendable (DispatchedAction<Action>) -> Void)? = nil,
        onMisuse: (@Sendable (Misuse) -> Void)? = nil
    ) {
        self.onLoop = onLoop ?? { StandardError.report($0) }
        self.onLateAction =
            onLateAction ?? { late in
                #if DEBUG
                    StandardError.report(LateAction(late))
                #endif
            }
        self.onMisuse = onMisuse ?? { StandardError.report($0) }
    }
}

extension StoreHooks {
    /// The hooks as a queue of actions calls them.
    public var ofQueue: DrainHooks<DispatchedAction<Action>> {
        DrainHooks(
            onCut: { [onLoop] cut in onLoop(DispatchLoop(cut)) },
            onLate: onLateAction, onMisuse: onMisuse)
    }
}

/// The words about an action that came too late.
private struct LateAction<Action: Sendable>: CustomStringConvertible {
    let description: String

    /// Says where it came from, what was expected, what was found, what to do.
    init(_ late: DispatchedAction<Action>) {
        description =
            "\(late.dispatcher.place): expected a living store for action \(late.action), found it released; keep the "
            + "store for as long as actions are dispatched"
    }
}
