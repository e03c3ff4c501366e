// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The value of a header, with holes for parts of the payload and for secrets.
struct HeaderTemplate: SettingText {
    static let expected =
        "a text without line breaks, with {/pointer} for a part of the payload and {name} for a secret"

    /// The value with its holes.
    private let template: RequestTemplate

    /// The value as written.
    var text: String { template.text }

    /// Reads a value; nil for a line break or another control character, and for holes that are none.
    init?(_ text: String) {
        guard Self.isSafe(text), let template = RequestTemplate(text) else { return nil }
        self.template = template
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
    static func isName(_ text: String) -> Bool { !text.isEmpty && consists(text, of: "!#$%&'*+-.^_`|~") }

    /// Returns whether a text may be the name of a secret.
    static func isSecretName(_ text: String) -> Bool {
        text.first?.isLetter == true && consists(text, of: "_-")
    }

    /// Returns whether a text has only letters and digits of ASCII, and these marks.
    private static func consists(_ text: String, of marks: String) -> Bool {
        text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
    }
}
