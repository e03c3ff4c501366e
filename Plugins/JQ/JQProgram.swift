// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The text of one jq program whose brackets and texts close and which reads nothing but its input.
///
/// Only compiling all programs of an instance together shows whether it compiles; see `JQRules`.
struct JQProgram: Codable, Sendable {
    /// The program as written.
    let text: String

    /// Reads a program; throws an error with its place for a refused word.
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

    /// The program as a part of another one; a comment at its end does not swallow the rest.
    var part: String { "(\(text)\n)" }
}
