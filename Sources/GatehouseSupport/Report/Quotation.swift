// SPDX-License-Identifier: Apache-2.0

package import GatehouseValue

/// Shows text and values of a file in a message: on one line, in JSON's spelling, cut when long.
package enum Quotation {
    /// A text in double quotes, with its control characters escaped.
    package static func of(_ text: String) -> String { Value.string(text).quoted }

    /// A value of the file as text; an array or object by its kind.
    package static func of(_ located: LocatedValue) -> String {
        switch located.content {
        case .array, .object: located.kindName
        default: located.value.quoted
        }
    }

    /// Words in quotes, the last two joined by "or".
    package static func choice(of words: [String]) -> String {
        let quoted = words.map { of($0) }
        guard quoted.count > 1, let last = quoted.last else { return quoted.first ?? "nothing" }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
    }

    /// Words in quotes with commas between them.
    package static func list(of words: [String]) -> String { words.map { of($0) }.joined(separator: ", ") }

    /// A text with its control characters and line ends escaped, such as `\u{1B}`, and otherwise unchanged.
    package static func bare(_ text: String) -> String { escaped(text, where: isControl) }

    /// A text of several lines with all control characters escaped except line ends and tabs.
    package static func lines(_ text: String) -> String { escaped(text) { isControl($0) && !isLayout($0) } }

    /// A message with its control characters escaped except tabs and the line ends before indented lines.
    ///
    /// Lists and traces below a message are indented by two blanks or more. Any other line end came with text from outside, whose
    /// author could forge a message with it.
    package static func message(_ text: String) -> String {
        let lines = lines(text)
        guard lines.utf8.contains(UInt8(ascii: "\n")) else { return lines }
        let parts = lines.split(separator: "\n", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts[0])) { result, part in
            result += (part.hasPrefix("  ") ? "\n" : "\\n") + part
        }
    }

    /// Escapes the terminal control characters in JSON text, from an offset on, as JSON spells them: `\u009b`.
    ///
    /// JSON writers leave such characters unescaped, because programs do not mind. Line ends and tabs stay, as part of the layout;
    /// ASCII text is scanned once.
    package static func escapeControls(in json: inout [UInt8], from start: Int = 0) {
        guard json.span.extracting(start...).mayHaveControls else { return }
        let text = String(decoding: json[start...], as: UTF8.self)
        guard text.unicodeScalars.contains(where: { isControl($0) && !isLayout($0) }) else { return }
        json.removeSubrange(start...)
        for scalar in text.unicodeScalars {
            if isControl(scalar), !isLayout(scalar) {
                let digits = String(scalar.value, radix: 16)
                json.append(
                    contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
            } else {
                json.append(contentsOf: String(scalar).utf8)
            }
        }
    }

    /// A text with some of its characters escaped.
    private static func escaped(_ text: String, where isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if isEscaped(scalar) {
                result += scalar.escaped(asASCII: true)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Whether a terminal would obey the character, a line reader end a line there, or the following text change its direction.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether a control character is part of the layout of text.
    private static func isLayout(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\t" }
}

extension Span<UInt8> {
    /// Whether UTF-8 may contain control characters other than line ends and tabs: a byte is one in ASCII, or not ASCII.
    fileprivate var mayHaveControls: Bool {
        // Nearly all text has none of them either, which fewer instructions tell.
        var unusual: UInt8 = 0
        for index in indices {
            let byte = self[index]
            unusual |= byte | (byte &+ 1) | (byte &- 0x20)
        }
        guard unusual & 0x80 != 0 else { return false }
        var found: UInt8 = 0
        for index in indices {
            let byte = self[index]
            // The top bit is set for 0x7F and above, and by the borrow for bytes below 0x20.
            found |= byte | (byte &+ 1) | (byte < 0x20 && byte != 0x0A && byte != 0x09 ? 0x80 : 0)
        }
        return found & 0x80 != 0
    }
}
