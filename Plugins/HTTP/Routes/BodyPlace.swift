// SPDX-License-Identifier: Apache-2.0

/// A place in the sender's body, which the host receives on one line.
struct BodyPlace: Equatable, Sendable {
    /// The line, from 1; a line ends at a line feed.
    let line: Int
    /// The column, from 1, in Unicode scalars.
    let column: Int

    /// Locates a scalar, from 1; linear in the length of the body before it.
    init(ofScalar number: Int, in body: [UInt8]) {
        var (line, column, left) = (1, 1, number - 1)
        // All bytes of a scalar but the first begin with the bits 10.
        for byte in body where byte & 0xC0 != 0x80 {
            if left <= 0 { break }
            left -= 1
            if byte == UInt8(ascii: "\n") {
                (line, column) = (line + 1, 1)
            } else {
                column += 1
            }
        }
        (self.line, self.column) = (line, column)
    }
}
