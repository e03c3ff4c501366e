// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One sender of webhooks: the signature of its requests, and their actions.
struct Hook: Equatable, Sendable {
    /// The encoding of a signature in its header field.
    enum Encoding: String, Codable, Sendable {
        /// The HMAC in hexadecimal digits.
        case hex
        /// The HMAC in base 64.
        case base64
        /// The secret itself instead of an HMAC.
        case plain
    }

    /// The treatment of a body that comes again under another id.
    enum SameBody: String, Codable, Sendable {
        /// It is refused: anybody who has seen a request could send it again under another id.
        case refuse
        /// It is another delivery.
        case accept
    }

    /// The sender's form of requests.
    var form = HookForm.github
    /// The files of one or two secrets; a request may be signed with either.
    var secretFiles: [SecretPath] = []
    /// The type of the actions; if it ends with a slash, the event is appended.
    var type: String
    /// The only types that deliveries may have; nil for any.
    var allow: [ActionTypePattern]?
    /// The greatest distance of a signature's time from the host's, in seconds; for forms that sign a time.
    var tolerance = 300
    /// The header field with the signature.
    var signatureHeader: String
    /// The text before the signature in its field.
    var signaturePrefix: String
    /// The encoding of the signature.
    var signatureEncoding: Encoding
    /// The header field that identifies a repeated delivery; empty for none.
    var idHeader: String
    /// The header field that names the event; empty for none.
    var eventHeader: String
    /// The treatment of a body that comes again under another id; for forms that sign only the body.
    var sameBody: SameBody

    /// Whether repeated bodies are detected.
    var tellsBodies: Bool { !form.hasOwnHeaders && sameBody == .refuse }

    /// Creates a hook with the defaults of its form.
    init(_ form: HookForm, secretFiles: [SecretPath]) {
        self.form = form
        self.secretFiles = secretFiles
        let isGitHub = form == .github
        type = form == .generic ? "hooks/" : form.rawValue + "/"
        signatureHeader = isGitHub ? "X-Hub-Signature-256" : "X-Signature-256"
        signaturePrefix = isGitHub ? "sha256=" : ""
        signatureEncoding = .hex
        idHeader = isGitHub ? "X-GitHub-Delivery" : ""
        eventHeader = isGitHub ? "X-GitHub-Event" : ""
        sameBody = isGitHub ? .refuse : .accept
    }

    /// Returns the action type for an event.
    func actionType(event: String?, hook name: String) -> String {
        type.hasSuffix("/") ? type + (event ?? name) : type
    }

    /// Returns whether a delivery may have an action type, which may be unknown so far.
    func admits(_ type: String) -> Bool {
        guard let allow else { return true }
        return allow.contains { pattern in
            pattern.description.hasSuffix("*")
                ? type.utf8.starts(with: pattern.stem.utf8) : type.utf8.elementsEqual(pattern.stem.utf8)
        }
    }
}

extension Hook: Codable {
    /// The keys, as in the schema.
    private enum Key: String, CodingKey {
        case form, secretFiles, type, allow, tolerance
        case signatureHeader, signaturePrefix, signatureEncoding, idHeader, eventHeader, sameBody

        /// The keys of forms without headers of their own.
        static let headers: [Key] = [
            .signatureHeader, .signaturePrefix, .signatureEncoding, .idHeader, .eventHeader, .sameBody,
        ]
    }

    /// Reads a hook; throws for a key that its form does not use, because it would have no effect.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            try container.decodeIfPresent(HookForm.self, forKey: .form) ?? .github,
            secretFiles: try container.decode([SecretPath].self, forKey: .secretFiles))
        guard (1...2).contains(secretFiles.count) else {
            throw CodingFailure(
                at: decoder.codingPath + [Key.secretFiles], expected: "1 or 2 files",
                found: "\(secretFiles.count)")
        }
        func read<Member: Decodable>(_ key: Key, into member: inout Member) throws {
            member = try container.decodeIfPresent(Member.self, forKey: key) ?? member
        }
        try read(.type, into: &type)
        guard !type.isEmpty, !type.contains("*") else {
            throw CodingFailure(
                at: decoder.codingPath + [Key.type], expected: "the beginning of an action type, without *",
                found: Value.string(type).json())
        }
        allow = try container.decodeIfPresent([ActionTypePattern].self, forKey: .allow)
        let useless = (form.hasOwnHeaders ? Key.headers : []) + (form.signsTime ? [] : [.tolerance])
        if let key = useless.first(where: container.contains) {
            throw CodingFailure(
                at: decoder.codingPath + [key],
                expected:
                    "nothing, because the form \(form.rawValue) \(key == .tolerance ? "signs no time" : "has its own headers")",
                found: "the key")
        }
        try read(.tolerance, into: &tolerance)
        guard (1...86_400).contains(tolerance) else {
            throw CodingFailure(
                at: decoder.codingPath + [Key.tolerance], expected: "1 to 86400 seconds",
                found: "\(tolerance)")
        }
        try read(.signatureHeader, into: &signatureHeader)
        try read(.signaturePrefix, into: &signaturePrefix)
        try read(.signatureEncoding, into: &signatureEncoding)
        try read(.idHeader, into: &idHeader)
        try read(.eventHeader, into: &eventHeader)
        try read(.sameBody, into: &sameBody)
    }

    /// Writes a form that can be read again.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(form, forKey: .form)
        try container.encode(secretFiles, forKey: .secretFiles)
        try container.encode(type, forKey: .type)
        try container.encodeIfPresent(allow, forKey: .allow)
        if form.signsTime { try container.encode(tolerance, forKey: .tolerance) }
        guard !form.hasOwnHeaders else { return }
        try container.encode(signatureHeader, forKey: .signatureHeader)
        try container.encode(signaturePrefix, forKey: .signaturePrefix)
        try container.encode(signatureEncoding, forKey: .signatureEncoding)
        try container.encode(idHeader, forKey: .idHeader)
        try container.encode(eventHeader, forKey: .eventHeader)
        try container.encode(sameBody, forKey: .sameBody)
    }
}
