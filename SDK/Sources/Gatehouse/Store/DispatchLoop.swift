// SPDX-License-Identifier: Apache-2.0

/// A report of an action that led to too many outputs, so that some were dropped.
public struct DispatchLoop<Action: Sendable>: Error, Sendable {
    /// The limit that was exceeded first.
    public let kind: DrainCut<DispatchedAction<Action>>.Kind
    /// The number of outputs, or of their bytes, that the limit allows.
    public let limit: Int
    /// The action that led to all of them.
    public let input: DispatchedAction<Action>
    /// The last outputs up to the first dropped one, oldest first; in a chain, each answers the one before.
    public let recent: [DispatchedAction<Action>]
    /// The number of dropped outputs.
    public let dropped: Int

    /// Creates a report from that of a queue.
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
