// SPDX-License-Identifier: Apache-2.0

/// Reads the text of a pattern.
struct TextPatternParser {
    /// The text, character by character.
    private let scalars: [Unicode.Scalar]
    /// The index of the next character.
    private var index = 0
    /// The number of open groups.
    private var depth = 0

    /// The greatest depth of nested groups; bounds the stack.
    private static let maximumDepth = 100
    /// The greatest count of a repetition.
    private static let maximumCount = 1_000

    /// Starts at the beginning of a text.
    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// Reads the whole text.
    mutating func parse() throws(TextPatternError) -> TextPatternNode {
        let node = try choice()
        guard next == nil else { throw .unbalanced(")") }
        return node
    }

    /// The next character, nil at the end.
    private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    /// Skips a character if it is the next one.
    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        index += 1
        return true
    }

    /// Reads parts with `|` between them.
    private mutating func choice() throws(TextPatternError) -> TextPatternNode {
        var parts = [try sequence()]
        while skip("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    /// Reads parts one after the other.
    private mutating func sequence() throws(TextPatternError) -> TextPatternNode {
        var parts: [TextPatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")" { parts.append(try repetition()) }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    /// Reads a part and its count.
    private mutating func repetition() throws(TextPatternError) -> TextPatternNode {
        let part = try atom()
        let counted: TextPatternNode
        switch next {
        case "*": counted = .repetition(part, least: 0, most: nil)
        case "+": counted = .repetition(part, least: 1, most: nil)
        case "?": counted = .repetition(part, least: 0, most: 1)
        case "{": counted = try count(of: part)
        default: return part
        }
        index += 1
        // The shortest and the longest match are equally good here.
        _ = skip("?")
        if let again = next, ["*", "+", "?", "{"].contains(again) { throw .nothingToRepeat("\(again)") }
        return counted
    }

    /// Reads the count in braces; stops at the closing one.
    private mutating func count(of part: TextPatternNode) throws(TextPatternError) -> TextPatternNode {
        index += 1
        guard let end = scalars[index...].firstIndex(of: "}") else { throw .unbalanced("{") }
        let text = String(String.UnicodeScalarView(scalars[index..<end]))
        let bounds = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(bounds.count), let least = bounds[0], least >= 0,
            text.unicodeScalars.allSatisfy({ $0 == "," || ScalarSet.digits.contains($0) })
        else { throw .malformed("{\(text)}") }
        let isOpen = text.unicodeScalars.last == ","
        let most = bounds.count == 1 ? least : bounds[1]
        guard isOpen || most.map({ $0 >= least }) == true else { throw .malformed("{\(text)}") }
        guard max(least, most ?? 0) <= Self.maximumCount else { throw .tooLarge }
        index = end
        return .repetition(part, least: least, most: isOpen ? nil : most)
    }

    /// Reads one character, set, group or anchor.
    private mutating func atom() throws(TextPatternError) -> TextPatternNode {
        guard let scalar = next else { return .sequence([]) }
        index += 1
        switch scalar {
        case "^": return .begin
        case "$": return .end
        case ".": return .take(.anyInLine)
        case "[": return .take(try set())
        case "(": return try group()
        case "\\": return .take(try escape())
        case "*", "+", "?", "{": throw .nothingToRepeat("\(scalar)")
        case "]", "}": throw .unbalanced("\(scalar)")
        default: return .take(ScalarSet(scalar))
        }
    }

    /// Reads the rest of a group.
    private mutating func group() throws(TextPatternError) -> TextPatternNode {
        if skip("?") {
            guard skip(":") else { throw .unsupported("(?" + (next.map { "\($0)" } ?? "")) }
        }
        depth += 1
        guard depth <= Self.maximumDepth else { throw .tooLarge }
        let node = try choice()
        guard skip(")") else { throw .unbalanced("(") }
        depth -= 1
        return node
    }

    /// Reads the rest of a set in brackets.
    private mutating func set() throws(TextPatternError) -> ScalarSet {
        var result = ScalarSet()
        let isNegated = skip("^")
        while !skip("]") {
            let first = try member()
            guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else {
                result.formUnion(first)
                continue
            }
            index += 1
            let last = try member()
            guard let low = first.single, let high = last.single, low <= high else {
                throw .malformed("a range in brackets that has no beginning before its end")
            }
            result.formUnion(ScalarSet(low...high))
        }
        result.isNegated = isNegated
        return result
    }

    /// Reads one character or class inside brackets.
    private mutating func member() throws(TextPatternError) -> ScalarSet {
        guard let scalar = next else { throw .unbalanced("[") }
        index += 1
        return scalar == "\\" ? try escape() : ScalarSet(scalar)
    }

    /// Reads the rest of an escape.
    private mutating func escape() throws(TextPatternError) -> ScalarSet {
        guard let scalar = next else { throw .malformed("a \\ at the end") }
        index += 1
        switch scalar {
        case "x": return try hexadecimal(digits: 2)
        case "u": return try hexadecimal(digits: 4)
        default:
            if let known = Self.escapes[scalar] { return known }
            guard !ScalarSet.wordCharacters.contains(scalar), scalar.isASCII else {
                throw .unsupported("\\\(scalar)")
            }
            return ScalarSet(scalar)
        }
    }

    /// The meanings of letters after a backslash.
    private static let escapes: [Unicode.Scalar: ScalarSet] = [
        "d": .digits, "D": .digits.inverted, "w": .wordCharacters, "W": .wordCharacters.inverted,
        "s": .spaces, "S": .spaces.inverted, "t": ScalarSet("\t"), "n": ScalarSet("\n"), "r": ScalarSet("\r"),
        "v": ScalarSet("\u{B}"), "f": ScalarSet("\u{C}"), "0": ScalarSet("\0"),
    ]

    /// Reads a character given by its number.
    private mutating func hexadecimal(digits: Int) throws(TextPatternError) -> ScalarSet {
        let text = String(String.UnicodeScalarView(scalars[index...].prefix(digits)))
        guard text.utf8.count == digits, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }),
            let number = UInt32(text, radix: 16), let scalar = Unicode.Scalar(number)
        else { throw .malformed("an escape that needs \(digits) hexadecimal digits of a character") }
        index += digits
        return ScalarSet(scalar)
    }
}

extension ScalarSet {
    /// The one character of the set, nil for a class.
    fileprivate var single: UInt32? {
        guard !isNegated, ranges.count == 1, ranges[0].count == 1 else { return nil }
        return ranges[0].lowerBound
    }
}

/// A part of a pattern, before it becomes steps.
indirect enum TextPatternNode: Equatable {
    /// One character of a set.
    case take(ScalarSet)
    /// One part after the other; without parts, it matches the empty text.
    case sequence([TextPatternNode])
    /// One of several parts.
    case choice([TextPatternNode])
    /// A part several times; without `most`, any number of times.
    case repetition(TextPatternNode, least: Int, most: Int?)
    /// The beginning of the text.
    case begin
    /// The end of the text.
    case end
}
