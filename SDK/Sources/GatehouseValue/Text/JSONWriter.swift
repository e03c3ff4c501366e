// SPDX-License-Identifier: Apache-2.0

/// Writes values as JSON text, from a tree or a tape; recursion is as deep as the value.
package struct JSONWriter {
    /// The layout of the text.
    let style: JSONStyle

    /// Appends a value; `indent` is the number of enclosing containers.
    func write(_ value: Value, indent: Int, to bytes: inout [UInt8]) {
        switch value {
        case .null: Self.write("null", to: &bytes)
        case .bool(let value): Self.write(value ? "true" : "false", to: &bytes)
        case .integer(let value): Self.write(value.magnitude, isNegative: value < 0, to: &bytes)
        case .unsigned(let value): Self.write(value, isNegative: false, to: &bytes)
        case .double(let value): Self.write(value, to: &bytes)
        case .bigNumber(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): Self.writeString(text, to: &bytes)
        case .array(let elements):
            var separator = UInt8(ascii: "[")
            for element in elements {
                separate(&separator, indent: indent + 1, to: &bytes)
                write(element, indent: indent + 1, to: &bytes)
            }
            close("[", "]", isEmpty: elements.isEmpty, indent: indent, to: &bytes)
        case .object(let members):
            var separator = UInt8(ascii: "{")
            for (key, value) in members {
                separate(&separator, indent: indent + 1, to: &bytes)
                Self.writeString(key, to: &bytes)
                assign(to: &bytes)
                write(value, indent: indent + 1, to: &bytes)
            }
            close("{", "}", isEmpty: members.isEmpty, indent: indent, to: &bytes)
        }
    }

    /// Appends the value at an index of a tape, with the same text as its tree's: the last of repeated names counts.
    func write(_ tape: Tape, at index: Int, indent: Int, to bytes: inout [UInt8]) {
        switch tape.tag(at: index) {
        case TapeTag.yes: Self.write("true", to: &bytes)
        case TapeTag.no: Self.write("false", to: &bytes)
        case TapeTag.integer:
            let value = Int64(bitPattern: tape.word(at: index + 1))
            Self.write(value.magnitude, isNegative: value < 0, to: &bytes)
        case TapeTag.unsigned: Self.write(tape.word(at: index + 1), isNegative: false, to: &bytes)
        case TapeTag.double: Self.write(Double(bitPattern: tape.word(at: index + 1)), to: &bytes)
        case TapeTag.bigNumber: unsafe tape.withUTF8(at: index) { unsafe bytes.append(contentsOf: $0) }
        case TapeTag.string: unsafe tape.withUTF8(at: index) { unsafe Self.writeString($0, to: &bytes) }
        case TapeTag.array:
            let last = tape.closing(of: index)
            var separator = UInt8(ascii: "[")
            var place = index + 1
            while place < last {
                separate(&separator, indent: indent + 1, to: &bytes)
                write(tape, at: place, indent: indent + 1, to: &bytes)
                place = tape.end(of: place)
            }
            close("[", "]", isEmpty: last == index + 1, indent: indent, to: &bytes)
        case TapeTag.object:
            guard !tape.repeatsNames(in: index) else {
                return write(tape.value(at: index), indent: indent, to: &bytes)
            }
            let last = tape.closing(of: index)
            var separator = UInt8(ascii: "{")
            var place = index + 1
            while place < last {
                separate(&separator, indent: indent + 1, to: &bytes)
                unsafe tape.withUTF8(at: place) { unsafe Self.writeString($0, to: &bytes) }
                assign(to: &bytes)
                write(tape, at: place + 1, indent: indent + 1, to: &bytes)
                place = tape.end(of: place + 1)
            }
            close("{", "}", isEmpty: last == index + 1, indent: indent, to: &bytes)
        default: Self.write("null", to: &bytes)
        }
    }

    // MARK: - Implementation details

    /// Begins an element: the opening bracket before the first, then commas; a line of its own in the pretty style.
    private func separate(_ separator: inout UInt8, indent: Int, to bytes: inout [UInt8]) {
        bytes.append(separator)
        separator = UInt8(ascii: ",")
        breakLine(indent: indent, to: &bytes)
    }

    /// Separates a name and its value.
    private func assign(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: ":"))
        if style == .pretty { bytes.append(UInt8(ascii: " ")) }
    }

    /// Ends a container; opens an empty one too, which stays on one line.
    private func close(
        _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, isEmpty: Bool, indent: Int,
        to bytes: inout [UInt8]
    ) {
        if isEmpty { bytes.append(UInt8(ascii: opening)) } else { breakLine(indent: indent, to: &bytes) }
        bytes.append(UInt8(ascii: closing))
    }

    /// Starts a line in the pretty style.
    private func breakLine(indent: Int, to bytes: inout [UInt8]) {
        guard style == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        for _ in 0..<indent * 2 { bytes.append(UInt8(ascii: " ")) }
    }
}
