// SPDX-License-Identifier: Apache-2.0

/// A path to a place inside a JSON value, as defined by RFC 6901; the empty text is the whole value.
public struct JSONPointer: Sendable, Hashable {
    /// The steps from the whole inwards, unescaped: member names and array positions.
    public let tokens: [String]

    /// The empty pointer to the whole document.
    public static let whole = JSONPointer(tokens: [])

    /// Reads a pointer such as `/orders/0/by`, in which `~1` means a slash and `~0` a tilde.
    public init(_ text: String) throws(JSONPointerError) {
        guard !text.isEmpty else {
            tokens = []
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { throw .missingSlash(text) }
        var tokens: [String] = []
        var token: [UInt8] = []
        var afterTilde = false
        for byte in text.utf8.dropFirst() {
            if afterTilde {
                switch byte {
                case UInt8(ascii: "0"): token.append(UInt8(ascii: "~"))
                case UInt8(ascii: "1"): token.append(UInt8(ascii: "/"))
                default: throw .invalidTilde(text)
                }
                afterTilde = false
            } else if byte == UInt8(ascii: "~") {
                afterTilde = true
            } else if byte == UInt8(ascii: "/") {
                tokens.append(String(decoding: token, as: UTF8.self))
                token.removeAll(keepingCapacity: true)
            } else {
                token.append(byte)
            }
        }
        guard !afterTilde else { throw .invalidTilde(text) }
        tokens.append(String(decoding: token, as: UTF8.self))
        self.tokens = tokens
    }

    /// Creates a pointer from unescaped tokens: `~` and `/` mean themselves.
    public init(tokens: [String]) { self.tokens = tokens }

    /// Returns the pointer one step further in; the token is unescaped.
    public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }

    /// Returns whether the other pointer leads to the same place or to one inside it.
    public func contains(_ other: JSONPointer) -> Bool {
        tokens.count <= other.tokens.count
            && zip(tokens, other.tokens).allSatisfy { ExactText($0) == ExactText($1) }
    }

    /// Returns the array position in a token: digits without leading zeros; nil for anything else.
    static func arrayIndex(_ token: String) -> Int? {
        let digits = token.utf8
        guard digits.count == 1 || digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(token)
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The escaped text, as read by `init(_:)`.
    public var description: String {
        var text: [UInt8] = []
        for token in tokens {
            text.append(UInt8(ascii: "/"))
            for byte in token.utf8 {
                switch byte {
                case UInt8(ascii: "~"): text += [UInt8(ascii: "~"), UInt8(ascii: "0")]
                case UInt8(ascii: "/"): text += [UInt8(ascii: "~"), UInt8(ascii: "1")]
                default: text.append(byte)
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
