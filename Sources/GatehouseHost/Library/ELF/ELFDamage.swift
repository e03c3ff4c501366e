// SPDX-License-Identifier: Apache-2.0

/// One reason why the dynamic loader could misread a library, crash on it, or weaken the process with it.
///
/// The loader trusts what it maps: wrong numbers there end the process, without a message.
public enum ELFDamage: Equatable, Sendable {
    /// A part that is not what it should be.
    case mismatch(ELFPart, expected: String, found: String)
    /// A part that cannot be read at all.
    case unreadable(ELFError)
    /// Something that is legal and yet refused; the text says what and what to do.
    case hazard(ELFPart, found: String, advice: String)
}

extension ELFDamage: CustomStringConvertible {
    /// One sentence: what was expected, what was found, and what to do.
    public var description: String {
        switch self {
        case .mismatch(let part, let expected, let found):
            "\(part): expected \(expected), found \(found); the file is damaged, build or copy it again"
        case .unreadable(let error): error.description
        case .hazard(let part, let found, let advice): "\(part): \(found); \(advice)"
        }
    }
}
