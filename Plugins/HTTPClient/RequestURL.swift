// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The URL of a service; scheme, host and port are fixed, the rest may have holes.
struct RequestURL: Sendable {
    /// The URL as written, with its holes.
    var text: String { template.text }
    /// Scheme, host and port, in lower case.
    let origin: String
    /// The host, in lower case and without brackets.
    let host: String
    /// The port, that of the scheme where none is written.
    let port: UInt16
    /// The whole with its holes.
    private let template: RequestTemplate

    /// The URL in the settings, where an empty text is none.
    struct Setting: SettingText {
        static let expected =
            "a URL of http or https, with {/pointer} for parts of the payload after the host"

        /// The URL; nil for none.
        let value: RequestURL?
        var text: String { value?.text ?? "" }

        /// Creates the setting of no URL.
        init() { value = nil }

        init?(_ text: String) {
            value = RequestURL(text)
            guard text.isEmpty || value != nil else { return nil }
        }
    }

    /// Reads a URL; nil for one with another scheme, without a host, with a user, or with holes in the wrong place.
    init?(_ text: String) {
        guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return nil }
        let host = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        guard !host.isEmpty, let port = Self.port(of: host, scheme), !host.contains(where: "{}@".contains),
            !text.contains("#"), !text.unicodeScalars.contains(" "), let template = RequestTemplate(text)
        else { return nil }
        for case .secret in template.parts { return nil }
        self.template = template
        origin = (scheme + host).lowercased()
        self.port = port
        let name = host.first == "[" ? host.dropFirst().prefix { $0 != "]" } : host.prefix { $0 != ":" }
        self.host = name.lowercased()
    }

    /// Returns the port after a host, or that of the scheme without one; nil for one that is invalid.
    private static func port(of host: Substring, _ scheme: String) -> UInt16? {
        guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") else {
            return scheme == "https://" ? 443 : 80
        }
        let port = UInt16(host[host.index(after: colon)...])
        return colon > host.startIndex && port != 0 ? port : nil
    }

    /// Returns the URL for a payload, percent-encoding everything in holes but letters, digits, `-`, `.`, `_` and `~`.
    func filled(from payload: Value?) throws(RequestRefusal) -> String {
        try template.filled("the URL", from: payload, secrets: [:]) { text, before in
            // As steps of a path, dots lead out of the operator's place for the hole, and an empty text leads to its parent.
            let isStep = text == "." || text == ".." || text.isEmpty && !before.contains("?")
            return isStep ? nil : Self.percentEncoded(text)
        }
    }

    /// Returns whether a redirect keeps scheme, host and port.
    func hasSameOrigin(_ other: String) -> Bool {
        let other = other.lowercased()
        guard other.hasPrefix(origin) else { return false }
        return other.dropFirst(origin.count).first.map("/?#".contains) ?? true
    }

    /// Percent-encodes a text for a URL.
    private static func percentEncoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            let character = Character(Unicode.Scalar(byte))
            if character.isASCII, character.isLetter || character.isNumber || "-._~".contains(character) {
                encoded.append(character)
            } else {
                encoded += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
