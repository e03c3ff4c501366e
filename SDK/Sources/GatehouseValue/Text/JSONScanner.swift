// SPDX-License-Identifier: Apache-2.0

/// Steps through the bytes of a JSON text; the only file that touches them.
///
/// Ownership: borrows the bytes for the duration of one `JSONText` call and must not outlive it.
@safe
struct JSONScanner {
    /// The text. Reads go through `byte(at:)`, `copy(from:to:into:)` and `text(from:to:)`, which stay inside.
    private let bytes: UnsafeRawBufferPointer
    /// The next byte to read.
    var offset = 0
    /// The number of open containers.
    var depth = 0
    /// Whether comments count as white space.
    private let allowsComments: Bool
    /// The offset of a comment without end; the cursor is then at the end of the text.
    private(set) var openComment: Int?
    /// The last place whose line and column were counted; callers ask for places in ascending order.
    private var counted = TextPosition(line: 1, column: 1, offset: 0)

    /// Starts at the first byte.
    init(_ bytes: UnsafeRawBufferPointer, allowsComments: Bool = false) {
        unsafe self.bytes = bytes
        self.allowsComments = allowsComments
    }

    /// The length of the text in bytes.
    var count: Int { unsafe bytes.count }

    /// Returns the byte at an offset, or after the end 0, which no JSON text contains.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 { offset < count ? unsafe bytes[offset] : 0 }

    /// The byte under the cursor, or 0 after the end.
    @inline(__always)
    var current: UInt8 { byte(at: offset) }

    /// Returns the bytes of a range within the text, known to be UTF-8, as a string.
    func text(from start: Int, to end: Int) -> String {
        unsafe String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// Appends the bytes of a range within the text.
    func copy(from start: Int, to end: Int, into buffer: inout [UInt8]) {
        unsafe buffer.append(contentsOf: bytes[start..<end])
    }

    // MARK: - White space

    /// Skips space, tab, line feed and carriage return, and comments where they are allowed.
    mutating func skipSpace() {
        while true {
            switch current {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"): offset += 1
            case UInt8(ascii: "/") where allowsComments:
                guard skipComment() else { return }
            default: return
            }
        }
    }

    /// Skips a comment up to the end of its line, or up to its end mark; false when none begins here.
    private mutating func skipComment() -> Bool {
        let start = offset
        switch byte(at: start + 1) {
        case UInt8(ascii: "/"):
            while offset < count, current != UInt8(ascii: "\n") { offset += 1 }
        case UInt8(ascii: "*"):
            offset += 2
            while offset < count, current != UInt8(ascii: "*") || byte(at: offset + 1) != UInt8(ascii: "/") {
                offset += 1
            }
            if offset < count { offset += 2 } else { openComment = start }
        default: return false
        }
        return true
    }

    // MARK: - Positions and errors

    /// Returns line and column of an offset; amortised O(1) per byte while offsets ascend.
    mutating func position(at offset: Int) -> TextPosition {
        if offset < counted.offset { counted = TextPosition(line: 1, column: 1, offset: 0) }
        var line = counted.line
        var column = counted.column
        for place in counted.offset..<offset {
            let byte = byte(at: place)
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        counted = TextPosition(line: line, column: column, offset: offset)
        return counted
    }

    /// Returns the error with its position.
    mutating func failure(_ reason: JSONSyntaxError.Reason, at offset: Int) -> JSONSyntaxError {
        JSONSyntaxError(position: position(at: offset), reason: reason)
    }

    /// Returns the error for something unexpected under the cursor.
    mutating func unexpected(_ expected: JSONSyntaxError.Expectation) -> JSONSyntaxError {
        guard offset < count else { return failure(.unexpected(nil, expected: expected), at: offset) }
        guard let scalar = scalar(at: offset) else { return failure(.invalidUTF8, at: offset) }
        return failure(.unexpected(scalar, expected: expected), at: offset)
    }

    // MARK: - UTF-8

    /// Returns the length of the scalar at an offset in bytes; 0 when they are not UTF-8.
    func scalarLength(at offset: Int) -> Int {
        func follows(_ distance: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
            range.contains(byte(at: offset + distance))
        }
        switch byte(at: offset) {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: return follows(1) ? 2 : 0
        case 0xE0: return follows(1, 0xA0...0xBF) && follows(2) ? 3 : 0
        case 0xED: return follows(1, 0x80...0x9F) && follows(2) ? 3 : 0
        case 0xE1...0xEF: return follows(1) && follows(2) ? 3 : 0
        case 0xF0: return follows(1, 0x90...0xBF) && follows(2) && follows(3) ? 4 : 0
        case 0xF1...0xF3: return follows(1) && follows(2) && follows(3) ? 4 : 0
        case 0xF4: return follows(1, 0x80...0x8F) && follows(2) && follows(3) ? 4 : 0
        default: return 0
        }
    }

    /// Returns the scalar at an offset; nil at the end and where the bytes are not UTF-8.
    func scalar(at offset: Int) -> Unicode.Scalar? {
        let length = scalarLength(at: offset)
        guard offset < count, length > 0 else { return nil }
        return text(from: offset, to: offset + length).unicodeScalars.first
    }
}
