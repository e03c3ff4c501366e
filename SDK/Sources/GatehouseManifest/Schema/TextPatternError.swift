// SPDX-License-Identifier: Apache-2.0

/// Why a text is no pattern.
public enum TextPatternError: Error, Equatable, Sendable {
    /// A construct that regular expressions elsewhere have and patterns here have not.
    case unsupported(String)
    /// A bracket, group or repetition that is not closed, or one that is closed without being open.
    case unbalanced(String)
    /// A repetition without anything before it.
    case nothingToRepeat(String)
    /// An escape, range or count that makes no sense.
    case malformed(String)
    /// Groups inside each other, or repetitions of repetitions, beyond what is accepted.
    case tooLarge
}

extension TextPatternError: CustomStringConvertible {
    public var description: String { "expected a pattern, found \(found); \(advice)" }

    /// What is wrong, as it stands after "found".
    var found: String {
        switch self {
        case .unsupported(let part): "\(part), which is not supported"
        case .unbalanced(let part): "a \(part) without its counterpart"
        case .nothingToRepeat(let part): "a \(part) with nothing before it to repeat"
        case .malformed(let part): part
        case .tooLarge: "one that is too large"
        }
    }

    /// What to do about it.
    var advice: String {
        switch self {
        case .unsupported: "write the pattern without it"
        case .unbalanced(let part), .nothingToRepeat(let part): "write \\\(part) for the character itself"
        case .malformed: "correct it"
        case .tooLarge: "nest and repeat less"
        }
    }
}
