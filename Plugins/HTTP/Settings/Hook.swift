// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One sender of webhooks: how its requests are signed, and which actions they become.
struct Hook: Codable, Equatable, Sendable {
    /// Whose way of doing it is meant; it says what the other keys are by default.
    enum Form: String, Codable, Sendable {
        /// GitHub's.
        case github
        /// Nobody's: the keys say it.
        case generic
    }

    /// How a signature is written in its header field.
    enum Encoding: String, Codable, Sendable {
        /// The HMAC in hexadecimal digits.
        case hex
        /// The HMAC in base 64.
        case base64
        /// No HMAC, but the secret itself.
        case plain
    }

    /// Whose way of doing it is meant.
    var form = Form.github
    /// The files of one or two secrets; a request may be signed with either.
    var secretFiles: [SecretPath] = []
    /// The type of the actions; the event is put behind it when it ends with a slash.
    var type: String
    /// The header field with the signature.
    var signatureHeader: String
    /// The text before the signature in its field.
    var signaturePrefix: String
    /// How the signature is written.
    var signatureEncoding: Encoding
    /// The header field by which a delivery that comes again is known; empty for none.
    var idHeader: String
    /// The header field that names the event; empty for none.
    var eventHeader: String

    /// The keys, which the schema describes.
    private enum Key: String, CodingKey {
        case form, secretFiles, type, signatureHeader, signaturePrefix, signatureEncoding, idHeader
        case eventHeader
    }

    /// A hook with what its form says.
    init(_ form: Form, secretFiles: [SecretPath]) {
        self.form = form
        self.secretFiles = secretFiles
        let isGitHub = form == .github
        type = isGitHub ? "github/" : "hooks/"
        signatureHeader = isGitHub ? "X-Hub-Signature-256" : "X-Signature-256"
        signaturePrefix = isGitHub ? "sha256=" : ""
        signatureEncoding = .hex
        idHeader = isGitHub ? "X-GitHub-Delivery" : ""
        eventHeader = isGitHub ? "X-GitHub-Event" : ""
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            try container.decodeIfPresent(Form.self, forKey: .form) ?? .github,
            secretFiles: try container.decode([SecretPath].self, forKey: .secretFiles))
        guard (1...2).contains(secretFiles.count) else {
            throw CodingFailure(
                at: decoder.codingPath + [Key.secretFiles], expected: "1 or 2 files",
                found: "\(secretFiles.count)")
        }
        type = try container.decodeIfPresent(String.self, forKey: .type) ?? type
        guard !type.isEmpty, !type.contains("*") else {
            throw CodingFailure(
                at: decoder.codingPath + [Key.type], expected: "the beginning of an action type, without *",
                found: Value.string(type).json())
        }
        signatureHeader =
            try container.decodeIfPresent(String.self, forKey: .signatureHeader) ?? signatureHeader
        signaturePrefix =
            try container.decodeIfPresent(String.self, forKey: .signaturePrefix) ?? signaturePrefix
        signatureEncoding =
            try container.decodeIfPresent(Encoding.self, forKey: .signatureEncoding) ?? signatureEncoding
        idHeader = try container.decodeIfPresent(String.self, forKey: .idHeader) ?? idHeader
        eventHeader = try container.decodeIfPresent(String.self, forKey: .eventHeader) ?? eventHeader
    }

    /// The type of the action that a request with an event becomes.
    func actionType(event: String?, hook name: String) -> String {
        type.hasSuffix("/") ? type + (event ?? name) : type
    }
}
