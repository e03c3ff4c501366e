// SPDX-License-Identifier: Apache-2.0

/// Why a text is no pattern.
public enum TextPatternError: Error, Equatable, Sendable {
    /// A construct of other regular expressions that patterns do not have.
    case unsupported(String)
    /// A bracket, group or repetition that is not closed, or closed without being open.
    case unbalanced(String)
    /// A repetition without anything before it.
    case nothingToRepeat(String)
    /// An escape, range or count that makes no sense.
    case malformed(String)
    /// Nested groups or repetitions beyond the limit.
    case tooLarge
}

extension TextPatternError: CustomStringConvertible {
    public var description: String { "expected a pattern, found \(found); \(advice)" }

    /// The problem, as worded after "found".
    var found: String {
        switch self {
        case .unsupported(let part): "\(part), which is not supported"
        case .unbalanced(let part): "a \(part) without its counterpart"
        case .nothingToRepeat(let part): "a \(part) with nothing before it to repeat"
        case .malformed(let part): part
        case .tooLarge: "one that is too large"
        }
    }

    /// The remedy.
    var advice: String {
        switch self {
        case .unsupported: "write the pattern without it"
        case .unbalanced(let part), .nothingToRepeat(let part): "write \\\(part) for the character itself"
        case .malformed: "correct it"
        case .tooLarge: "nest and repeat less"
        }
    }
}
