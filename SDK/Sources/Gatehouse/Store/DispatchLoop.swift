// SPDX-License-Identifier: Apache-2.0

/// A chain of outputs that was cut because each was emitted synchronously in answer to the one before.
public struct DispatchLoop<Action: Sendable>: Error, Sendable {
    /// How many outputs one input may lead to, one after the other.
    public let limit: Int
    /// The last actions of the chain, oldest first, the one that was dropped last.
    public let recent: [DispatchedAction<Action>]
}

extension DispatchLoop: CustomStringConvertible {
    /// One sentence: what was expected, what was found, what to do.
    public var description: String {
        let chain = recent.map { "\($0.action) (\($0.dispatcher.place))" }.joined(separator: ", ")
        return
            "dispatch: expected at most \(limit) outputs, each in answer to the one before, found one more: \(chain); "
            + "the last was dropped, so look for the middlewares that answer each other"
    }
}
