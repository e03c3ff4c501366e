// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The path of a file with a secret, as the operator wrote it.
struct SecretPath: Codable, Equatable, Hashable, Sendable {
    /// Not empty; a relative one is looked for among the credentials of the service first.
    let text: String

    /// A path without a look at it.
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

    /// Where the file may be, in the order in which it is looked for.
    ///
    /// - Parameter credentials: the folder that the service manager names in `CREDENTIALS_DIRECTORY`; nil without one.
    func places(credentials: String?) -> [String] {
        guard !text.hasPrefix("/"), let credentials, !credentials.isEmpty else { return [text] }
        return [credentials + "/" + text, text]
    }
}
