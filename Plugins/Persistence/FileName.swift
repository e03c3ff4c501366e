// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The name of a file within a folder.
struct FileName: Codable, Sendable {
    /// The name; not empty, without slashes and zeros, and not the name of a folder.
    let text: String

    /// Creates the default, `documents.sqlite`.
    init() { text = "documents.sqlite" }

    /// Reads the name; throws an error with its place for one that leads elsewhere.
    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        let isName =
            !["", ".", ".."].contains(text) && !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        guard isName else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "a name for a file, without slashes",
                found: Value.string(text).json())
        }
    }

    /// Writes the name as plain text, as in the settings.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
