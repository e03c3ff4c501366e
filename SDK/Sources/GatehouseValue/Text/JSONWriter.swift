// SPDX-License-Identifier: Apache-2.0

/// Writes values as JSON text; recursion is as deep as the value.
struct JSONWriter {
    /// The layout.
    let style: JSONStyle

    /// Appends a value; `indent` is the number of containers around it.
    func write(_ value: Value, indent: Int, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: value.description.utf8)
        case .unsigned(let value): bytes.append(contentsOf: value.description.utf8)
        case .double(let value):
            bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
        case .bigNumber(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): Self.writeString(text, to: &bytes)
        case .array(let elements):
            writeContainer("[", "]", of: elements, indent: indent, to: &bytes) { element, bytes in
                write(element, indent: indent + 1, to: &bytes)
            }
        case .object(let members):
            writeContainer("{", "}", of: members, indent: indent, to: &bytes) { member, bytes in
                Self.writeString(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                if style == .pretty { bytes.append(UInt8(ascii: " ")) }
                write(member.value, indent: indent + 1, to: &bytes)
            }
        }
    }

    /// Appends a quoted string, escaping quotes, backslashes and control characters and nothing else.
    static func writeString(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.contains(where: needsEscape) {
            for byte in text.utf8 { writeEscaped(byte, to: &bytes) }
        } else {
            bytes.append(contentsOf: text.utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    // MARK: - Implementation details

    /// Whether RFC 8259 forbids the byte inside a string.
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Appends one byte of a string.
    private static func writeEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        guard needsEscape(byte) else { return bytes.append(byte) }
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x00...0x1F:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            let low = byte & 15
            bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        default: bytes.append(byte)
        }
    }

    /// Appends brackets, separators and line breaks around the elements; empty containers stay on one line.
    private func writeContainer<Elements: Collection>(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, of elements: Elements, indent: Int,
        to bytes: inout [UInt8], _ writeElement: (Elements.Element, inout [UInt8]) -> Void
    ) {
        bytes.append(UInt8(ascii: open))
        var isFirst = true
        for element in elements {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            breakLine(indent: indent + 1, to: &bytes)
            writeElement(element, &bytes)
        }
        if !isFirst { breakLine(indent: indent, to: &bytes) }
        bytes.append(UInt8(ascii: close))
    }

    /// Starts a line in the pretty style.
    private func breakLine(indent: Int, to bytes: inout [UInt8]) {
        guard style == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent * 2))
    }
}
