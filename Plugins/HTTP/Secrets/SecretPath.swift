// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The path of a file with a secret, as the operator wrote it.
struct SecretPath: Codable, Equatable, Hashable, Sendable {
    /// The path; not empty. A relative one is looked up among the credentials of the service first.
    let text: String

    /// Creates a path without checking it.
    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "the path of a file with a secret",
                found: Value.string(text).json())
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Returns the possible paths of the file, in order of lookup.
    ///
    /// - Parameter credentials: the service manager's folder in `CREDENTIALS_DIRECTORY`; nil without one.
    func places(credentials: String?) -> [String] {
        guard !text.hasPrefix("/"), let credentials, !credentials.isEmpty else { return [text] }
        return [credentials + "/" + text, text]
    }
}
