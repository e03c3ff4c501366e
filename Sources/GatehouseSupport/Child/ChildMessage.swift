// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What a host and a child of it send each other: one JSON object without a line feed.
///
/// Synthesized coding decides on the form. Of messages that go to the program of an older version, or come from it, the form belongs to
/// the number of `ChildProtocol`: a member may be added where the other end can do without, because unknown members are ignored.
package protocol ChildMessage: Codable {}

extension ChildMessage {
    /// The message as the other end reads it; empty, which no end accepts, if JSON cannot hold one of its numbers.
    package var json: String { (try? Value(encoding: self))?.json() ?? "" }

    /// The same in UTF-8.
    package var bytes: [UInt8] { Array(json.utf8) }

    /// Reads a message; nil for anything that the other end does not write.
    package init?(json: some StringProtocol) { self.init(bytes: Array(json.utf8)) }

    /// Reads a message in UTF-8; nil for anything that the other end does not write.
    package init?(bytes: [UInt8]) {
        guard let value = try? JSONText.parse(bytes), let message = try? value.decode(Self.self) else {
            return nil
        }
        self = message
    }
}
