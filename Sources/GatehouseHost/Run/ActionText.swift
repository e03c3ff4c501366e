// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The line of input that the action in hand was read from, to say in which column a payload is wrong.
///
/// Marked safe because holding one does nothing; looking a column up is sound until the reader is asked for the next line.
@safe
struct ActionText {
    /// The line without its ending, borrowed from the reader.
    let bytes: UnsafeRawBufferPointer

    /// The column of the value of the payload that does not fit, from 1, or of the innermost one around it that is there.
    ///
    /// Reads the line once more; nil for a line that is no JSON.
    func column(of failure: CodingFailure) -> Int? {
        guard let line = unsafe try? JSONText.parseLocated([UInt8](bytes)) else { return nil }
        return line.nearest(to: JSONPointer(tokens: ["payload"] + failure.pointer.tokens)).part.position
            .column
    }
}
