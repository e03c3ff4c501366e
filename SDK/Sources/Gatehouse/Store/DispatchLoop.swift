// SPDX-License-Identifier: Apache-2.0

/// An action that led to more outputs than it may, so that some were dropped.
public struct DispatchLoop<Action: Sendable>: Error, Sendable {
    /// The limit that was passed first.
    public let kind: DrainCut<DispatchedAction<Action>>.Kind
    /// The number of outputs, or bytes of them, that the limit allows.
    public let limit: Int
    /// The action that led to all of them.
    public let input: DispatchedAction<Action>
    /// The last outputs up to the first that was dropped, oldest first; of a chain, each was emitted in answer to the one
    /// before.
    public let recent: [DispatchedAction<Action>]
    /// How many outputs were dropped.
    public let dropped: Int

    /// What a queue of actions tells.
    @usableFromInline
    init(_ cut: DrainCut<DispatchedAction<Action>>) {
        kind = cut.kind
        limit = cut.limit
        input = cut.input
        recent = cut.recent
        dropped = cut.dropped
    }
}

extension DispatchLoop: CustomStringConvertible {
    /// One sentence: what was expected, what was found, what to do.
    public var description: String {
        let last = recent.map { "\($0.action) (\($0.dispatcher.place))" }.joined(separator: ", ")
        let order = kind == .chain ? ", each in answer to the one before" : ""
        let what = kind == .bytes ? "bytes of outputs" : "outputs"
        let more = dropped == 1 ? "1 more, which was dropped" : "\(dropped) more, which were dropped"
        return
            "dispatch of \(input.action) (\(input.dispatcher.place)): expected at most \(limit) \(what)\(order), found "
            + "\(more): \(last); look for the middlewares that answer each other"
    }
}
