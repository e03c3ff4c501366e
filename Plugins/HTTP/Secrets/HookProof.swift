// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Decides whether the sender of a request to a hook knows its secret, by the rule of the hook's form.
struct HookProof: Sendable {
    /// Why a request proves nothing.
    enum Failure: Error, Equatable {
        /// A header is missing.
        case missing(String)
        /// A header has an unexpected content.
        case malformed(String, expected: String)
        /// The signature in a header does not match the body and the secret.
        case wrong(String)
        /// The signed time is this many seconds from the host's.
        case late(Int, tolerance: Int)
        /// One of the operator's secrets cannot be a key.
        case uselessSecret
    }

    /// The request's header.
    let request: HTTPRequest
    /// The body as it came.
    let body: [UInt8]
    /// The time of the host in seconds since 1970; nil without a clock, which is only possible if no time is signed.
    let now: Double?

    /// The prefix of secrets of the Standard Webhooks; a key in base 64 follows.
    private static let keyPrefix = Array("whsec_".utf8)

    /// Returns whether the check of some secrets needs the time.
    static func needsClock(_ hook: Hook, secrets: [[UInt8]]) -> Bool {
        hook.form == .gitlab ? secrets.contains { $0.starts(with: keyPrefix) } : hook.form.signsTime
    }

    /// Checks the signature, and then its time.
    ///
    /// - Parameter secrets: one or two, all of which are tried even if the first succeeds.
    func check(_ hook: Hook, secrets: [[UInt8]]) throws(Failure) {
        switch hook.form {
        case .github, .generic:
            let field = try field(hook.signatureHeader)
            guard Signature.isValid(field, of: body, for: hook, secrets: secrets) else {
                throw .wrong(hook.signatureHeader)
            }
        case .gitlab: try checkGitLab(hook, secrets)
        case .stripe: try checkStripe(hook, secrets)
        case .slack:
            let time = try field("X-Slack-Request-Timestamp")
            let given = try field("X-Slack-Signature")
            guard given.hasPrefix("v0=") else {
                throw .malformed("X-Slack-Signature", expected: "v0= and hexadecimal digits")
            }
            let isSigned = Self.isSigned(
                Array("v0:\(time):".utf8) + body, as: [given.dropFirst(3)], secrets, Signature.hex)
            guard isSigned else { throw .wrong("X-Slack-Signature") }
            try check(time, in: "X-Slack-Request-Timestamp", hook)
        }
    }

    /// Returns why a request proves nothing regardless of its body; nil where the body decides.
    ///
    /// - Parameter secrets: as for `check`.
    static func objection(
        toHeaderOf request: HTTPRequest, now: Double?, _ hook: Hook, secrets: [[UInt8]]
    ) -> Failure? {
        do throws(Failure) {
            try HookProof(request: request, body: [], now: now).check(hook, secrets: secrets)
            return nil
        } catch {
            switch error {
            case .missing, .malformed, .uselessSecret, .wrong("X-Gitlab-Token"): return error
            case .wrong: return hook.signatureEncoding == .plain && !hook.form.signsTime ? error : nil
            case .late: return nil
            }
        }
    }

    /// Checks the signature if the operator has given a key for it and GitLab sends one, otherwise the token.
    private func checkGitLab(_ hook: Hook, _ secrets: [[UInt8]]) throws(Failure) {
        let keys = secrets.filter { $0.starts(with: Self.keyPrefix) }
        let tokens = secrets.filter { !$0.starts(with: Self.keyPrefix) }
        if !keys.isEmpty, tokens.isEmpty || request["webhook-signature"] != nil {
            return try checkStandard(hook, keys)
        }
        let token = Array(try field("X-Gitlab-Token").utf8)
        // Compare all, so that the time does not reveal which of them it was.
        guard Signature.isAny([token], expectedOf: tokens, \.self) else { throw .wrong("X-Gitlab-Token") }
    }

    /// Checks the rule of the Standard Webhooks: id, time and body, with points between them, are signed.
    private func checkStandard(_ hook: Hook, _ secrets: [[UInt8]]) throws(Failure) {
        let given = try field("webhook-signature")
        let (id, time) = (try field("webhook-id"), try field("webhook-timestamp"))
        let signatures = given.split(separator: " ").filter { $0.hasPrefix("v1,") }.map { $0.dropFirst(3) }
        guard !signatures.isEmpty else { throw .malformed("webhook-signature", expected: "v1, and base 64") }
        var keys: [[UInt8]] = []
        for secret in secrets {
            guard let key = Signature.bytes(ofBase64: secret.dropFirst(Self.keyPrefix.count)), !key.isEmpty
            else { throw .uselessSecret }
            keys.append(key)
        }
        guard Self.isSigned(Array("\(id).\(time).".utf8) + body, as: signatures, keys, Signature.base64)
        else { throw .wrong("webhook-signature") }
        try check(time, in: "webhook-timestamp", hook)
    }

    /// Checks signed time and body, with a point between; while Stripe changes a secret, there is a signature with each.
    private func checkStripe(_ hook: Hook, _ secrets: [[UInt8]]) throws(Failure) {
        let header = "Stripe-Signature"
        let pairs = try field(header).split(separator: ",").map { part in
            part.filter { $0 != " " }.split(separator: "=", maxSplits: 1)
        }
        let times = pairs.filter { $0.count == 2 && $0[0] == "t" }
        let signatures = pairs.filter { $0.count == 2 && $0[0] == "v1" }.map { $0[1][...] }
        guard times.count == 1, !signatures.isEmpty else {
            throw .malformed(header, expected: "t=TIME,v1=SIGNATURE")
        }
        let time = String(times[0][1])
        guard Self.isSigned(Array("\(time).".utf8) + body, as: signatures, secrets, Signature.hex) else {
            throw .wrong(header)
        }
        try check(time, in: header, hook)
    }

    /// Returns whether one of the signatures is that of a message with one of the secrets; compares all.
    private static func isSigned(
        _ message: [UInt8], as given: [Substring], _ secrets: [[UInt8]], _ text: ([UInt8]) -> [UInt8]
    ) -> Bool {
        Signature.isAny(given.map { Array($0.utf8) }, expectedOf: secrets) {
            text(Signature.of(message, with: $0))
        }
    }

    /// Returns the value of a header field.
    private func field(_ name: String) throws(Failure) -> String {
        guard let field = request[name.lowercased()] else { throw .missing(name) }
        return field
    }

    /// Checks that a time in seconds since 1970 is near the host's, in either direction, because no clock is exact.
    private func check(_ time: String, in header: String, _ hook: Hook) throws(Failure) {
        // Without a sign, which an integer may have.
        guard time.first?.isNumber == true, let seconds = UInt32(time) else {
            throw .malformed(header, expected: "a time in seconds since 1970")
        }
        let distance = abs((now ?? 0) - Double(seconds))
        guard distance <= Double(hook.tolerance) else {
            throw .late(Int(distance), tolerance: hook.tolerance)
        }
    }
}

extension HookProof.Failure {
    /// The sentence for the sender.
    var sentence: String {
        switch self {
        case .missing(let header): "expected a signature as \(header), found none"
        case .malformed(let header, let expected): "expected \(expected) as \(header), found something else"
        case .wrong("X-Gitlab-Token"): "the token in X-Gitlab-Token is not the secret"
        case .wrong(let header): "the signature in \(header) does not fit the body and the secret"
        case .late(let seconds, let tolerance):
            "the signature is \(seconds) seconds away from the time of this host, \(tolerance) are allowed; set the clocks, or sign again"
        case .uselessSecret: "the secret of this hook cannot be used; the host's log has the reason"
        }
    }

    /// The description for the operator, after the client and the hook.
    var account: String {
        switch self {
        case .missing: "without a signature"
        case .malformed(let header, _): "with a \(header) that is none"
        case .wrong: "with a wrong signature"
        case .late(let seconds, let tolerance):
            "with a signature \(seconds) seconds away from the time of this host, \(tolerance) are allowed by \"tolerance\""
        case .uselessSecret:
            "whose secret begins with whsec_ and has no base 64 after it; write the signing token there as GitLab shows it"
        }
    }
}
