// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// What a child that tries something on the past tells the host: one JSON object a line, and a word at the end.
package enum HistoryEvent: Equatable, Sendable, ChildMessage {
    /// This action is dispatched next.
    case step(sequence: UInt64, type: String, origin: String)
    /// So many of so many actions are done.
    case progress(done: UInt64, total: UInt64)
    /// What was asked for.
    case answer(Value)
    /// It cannot be tried; why, line by line.
    case failure([String])
    /// The child has nothing more to do.
    case end

    /// The event as it is told.
    package var line: String { self == .end ? HostChild.lastLine : json }

    /// Reads an event; nil for a line that no such child tells.
    package init?(line: Substring) {
        if line == HostChild.lastLine { self = .end } else { self.init(json: line) }
    }
}
