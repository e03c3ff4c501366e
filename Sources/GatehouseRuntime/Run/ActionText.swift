// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// The line of input that the action in hand was read from, to say in which column a payload is wrong.
///
/// Marked safe because holding one does nothing; looking a column up is sound until the reader is asked for the next line.
@safe
package struct ActionText {
    /// Text above this many bytes is read only as far as somebody asks for it: 64 KiB.
    ///
    /// Reading takes up to fifty times the memory of the text.
    package static let longestReadWhole = 1 << 16

    /// The line without its ending, borrowed from the reader; empty for a long one.
    package let bytes: UnsafeRawBufferPointer
    /// Whether the whole line is the payload, not a member of it.
    package let isPayload: Bool
    /// Whether whoever dispatches the action calls `HostStore.sendOrders` after it, at the latest when no other one is at hand.
    var isFollowed = false

    /// Borrows the line: it must outlive the value.
    package init(bytes: UnsafeRawBufferPointer, isPayload: Bool) {
        unsafe self.bytes = unsafe bytes
        self.isPayload = isPayload
    }

    /// The line, where it is a whole action; nil where it is only a payload, or too long to be at hand.
    @inline(__always)
    var wholeAction: UnsafeRawBufferPointer? { unsafe isPayload || bytes.isEmpty ? nil : bytes }

    /// The column of the value of the payload that does not fit, from 1, or of the innermost one around it that is there.
    ///
    /// Reads the line once more; nil for a line that is no JSON, or a long one.
    package func column(of failure: CodingFailure) -> Int? {
        guard let line = unsafe try? JSONText.parseLocated([UInt8](bytes))
        else { return nil }
        let pointer = JSONPointer(tokens: (isPayload ? [] : ["payload"]) + failure.pointer.tokens)
        return line.nearest(to: pointer).part.position.column
    }
}
