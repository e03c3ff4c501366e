// SPDX-License-Identifier: Apache-2.0

/// The words and marks of a Swift file, without comments and with every literal emptied.
struct SwiftTokens {
    /// Names and keywords as written, backticks included; directives and macros with their `#`; all else byte by byte.
    let texts: [String]

    /// Reads a file; nil when there may be a regular expression between bare slashes, which takes a parser to tell.
    init?(_ source: [UInt8]) {
        let bytes = SourceStripper.stripLiterals(source)
        var texts: [String] = []
        var place = 0
        while place < bytes.count {
            let start = place
            place += 1
            if bytes[start] == UInt8(ascii: "`") {
                while place < bytes.count, bytes[place] != UInt8(ascii: "`") { place += 1 }
                place = min(place + 1, bytes.count)
            } else if bytes[start] == UInt8(ascii: "#") || Self.isPartOfName(bytes[start]) {
                while place < bytes.count, Self.isPartOfName(bytes[place]) { place += 1 }
            } else if bytes[start] == UInt8(ascii: "/"), Self.opensExpression(after: texts.last),
                place < bytes.count, !Self.isBlank(bytes[place])
            {
                return nil
            } else if Self.isBlank(bytes[start]) {
                continue
            }
            texts.append(String(decoding: bytes[start..<place], as: UTF8.self))
        }
        self.texts = texts
    }

    /// Whether a byte belongs to a name or number; every byte beyond ASCII does.
    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    /// Whether a byte is blank space.
    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (9...13).contains(byte)
    }

    /// Whether a slash behind this token cannot be a division.
    private static func opensExpression(after token: String?) -> Bool {
        guard let token, let last = token.utf8.last else { return true }
        return !(isPartOfName(last) || "`)]}>?!\"".utf8.contains(last)) || Self.openers.contains(token)
    }

    /// The keywords behind which an expression begins.
    private static let openers: Set<String> = [
        "return", "in", "case", "where", "try", "await", "if", "guard", "while", "else", "throw", "switch",
    ]
}
