// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Decides who may ask for what: by the origin of a request, and by the token.
struct Guard: Sendable {
    /// The settings of the instance.
    let settings: HTTP.Settings
    /// The id of the instance, for messages.
    let instance: String
    /// The token; nil for none.
    let token: SecretFile?
    /// The names of this server in lower case, because host names ignore case.
    private let knownHosts: Set<String>
    /// Collects refusals.
    let throttledLog: ThrottledLog

    /// Creates the guard of an instance.
    init(_ context: HTTP.Context, _ throttledLog: ThrottledLog) {
        settings = context.settings
        knownHosts = Set(settings.hosts.map { $0.lowercased() })
        instance = context.instance
        token = SecretPath(settings.tokenFile).map(SecretFile.init)
        self.throttledLog = throttledLog
    }

    // MARK: - Where a request comes from

    /// Returns why a request is not served, nil when it is.
    ///
    /// A page of another site that makes a browser ask here names itself in `Origin`. A site whose own name resolves to this
    /// machine is recognized by that name in `Host`, because it cannot use an address.
    func objection(to request: HTTPRequest) -> HTTPResponse? {
        let host = (request["host"] ?? "").lowercased()
        guard isOurs(host) else {
            throttledLog.note(
                .origin, "\(request.client) asked for the host \(Value.string(host).json()); it was refused")
            return .refusal(
                421,
                "expected an address, localhost or one of \"hosts\" in the settings of the instance \(instance) as Host, found \(Value.string(host).json())"
            )
        }
        guard let origin = request["origin"]?.lowercased() else { return nil }
        let site = ["http://", "https://"].first(where: origin.hasPrefix).map {
            origin.dropFirst($0.count)
        }
        if let site, site == host || knownHosts.contains(String(site)) { return nil }
        throttledLog.note(
            .origin, "a page of \(Value.string(origin).json()) asked for \(request.path); it was refused")
        return .refusal(403, "expected a page of this server as Origin, found \(Value.string(origin).json())")
    }

    /// Returns whether a host name, with or without port, is one of this server's.
    private func isOurs(_ host: String) -> Bool {
        if knownHosts.contains(host) { return true }
        // A Unix socket has no name, and no browser reaches it.
        if settings.listen.isUnix { return true }
        let isBracketed = host.hasPrefix("[")
        let end = isBracketed ? host.lastIndex(of: "]").map(host.index(after:)) : host.lastIndex(of: ":")
        let (name, port) = end.map { (host[..<$0], host[$0...]) } ?? (host[...], "")
        guard port.isEmpty || port.first == ":" && Self.isNumber(port.dropFirst(), atMost: 5) else {
            return false
        }
        if isBracketed {
            return name.count > 2
                && name.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        if name == "localhost" || knownHosts.contains(String(name)) { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { Self.isNumber($0, atMost: 3) && UInt8($0) != nil }
    }

    /// Returns whether a text has only digits, at least one and at most this many.
    private static func isNumber(_ text: Substring, atMost most: Int) -> Bool {
        (1...most).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    // MARK: - The token

    /// Returns why a request may change nothing, nil when it may.
    func objection(toChangeBy request: HTTPRequest) -> HTTPResponse? {
        guard let token else {
            return .refusal(
                403,
                "nobody may change anything here; name the file of a token as \"tokenFile\" in the settings of the instance \(instance)"
            )
        }
        let secret: [UInt8]
        do {
            secret = try token.bytes()
        } catch {
            throttledLog.note(.token, error.sentence)
            return .refusal(503, "the token of the instance \(instance) cannot be read; look at its health")
        }
        let challenge = [(name: "WWW-Authenticate", value: "Bearer")]
        guard let field = request["authorization"], field.lowercased().hasPrefix("bearer ") else {
            return .refusal(401, "expected the token as \"Authorization: Bearer …\", found none", challenge)
        }
        let given = Array(field.utf8.dropFirst("bearer ".utf8.count))
        guard Signature.areEqual(secret, given) else {
            throttledLog.note(.token, "\(request.client) showed a wrong token for \(request.path)")
            return .refusal(
                401, "expected the token of the instance \(instance), found another one", challenge)
        }
        return nil
    }

    /// Returns why a request may not look, nil when it may.
    func objection(toLookBy request: HTTPRequest) -> HTTPResponse? {
        settings.reading == .open ? nil : objection(toChangeBy: request)
    }
}
