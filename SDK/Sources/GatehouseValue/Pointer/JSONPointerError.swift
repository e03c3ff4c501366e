// SPDX-License-Identifier: Apache-2.0

/// Why a text is not a JSON Pointer; each case carries that text.
public enum JSONPointerError: Error, Equatable, Sendable {
    /// Not empty, yet without a leading slash.
    case missingSlash(String)
    /// A tilde followed by neither 0 nor 1.
    case invalidTilde(String)
}

extension JSONPointerError: CustomStringConvertible {
    /// The mistake and the correction.
    public var description: String {
        switch self {
        case .missingSlash(let text):
            "JSON Pointer \"\(text)\": expected \"/\" in front, found none; write \"/\(text)\", or \"\" for the whole"
        case .invalidTilde(let text):
            "JSON Pointer \"\(text)\": expected 0 or 1 after \"~\", found neither; write ~0 for \"~\", ~1 for \"/\""
        }
    }
}
