// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The text of one jq program, of which it is known that its brackets and texts close and that it reads nothing but its input.
///
/// Whether it compiles is known only when all programs of an instance are compiled together; see `JQRules`.
struct JQProgram: Codable, Sendable {
    /// The program as it was written.
    let text: String

    /// Reads a program; a word that is refused is an error with its place.
    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        guard (1...65_536).contains(text.unicodeScalars.count) else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "a jq program of 1 to 65536 characters",
                found: text.isEmpty ? "an empty one" : "\(text.unicodeScalars.count) characters")
        }
        var scanner = JQScanner(text)
        if let objection = scanner.objection() {
            throw CodingFailure(
                at: decoder.codingPath, expected: objection.expected, found: objection.found)
        }
    }

    /// Writes the text.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// The program as a part of another one; a comment at its end does not swallow what follows.
    var part: String { "(\(text)\n)" }
}
