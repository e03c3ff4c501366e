// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The value of a header, with holes for parts of the payload and for secrets.
struct HeaderTemplate: Codable, Sendable {
    /// The value with its holes.
    private let template: RequestTemplate

    /// Reads a value; throws an error with its place for a line break or another control character.
    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard Self.isSafe(text), let template = RequestTemplate(text) else {
            throw CodingFailure(
                at: decoder.codingPath,
                expected:
                    "a text without line breaks, with {/pointer} for a part of the payload and {name} for a secret",
                found: Value.string(text).json())
        }
        self.template = template
    }

    /// Writes the text.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(template.text)
    }

    /// The names of the secrets in it.
    var secrets: [String] {
        template.parts.compactMap { if case .secret(let name) = $0 { name } else { nil } }
    }

    /// Returns the value for a payload; `name` is the header's.
    func filled(
        _ name: String, from payload: Value?, secrets: [String: String]
    ) throws(RequestRefusal) -> String {
        try template.filled("the header \(name)", from: payload, secrets: secrets) { text, _ in
            Self.isSafe(text) ? text : nil
        }
    }

    /// Returns whether a text has no control characters, which could begin another header.
    static func isSafe(_ text: String) -> Bool { !text.utf8.contains { $0 < 0x20 || $0 == 0x7F } }

    /// Returns whether a text may be the name of a header, RFC 9110.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
                        || "!#$%&'*+-.^_`|~".unicodeScalars.contains($0))
            }
    }

    /// Returns whether a text may be the name of a secret.
    static func isSecretName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic else {
            return false
        }
        return text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" || $0 == "-")
        }
    }
}
