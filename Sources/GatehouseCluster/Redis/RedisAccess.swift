// SPDX-License-Identifier: Apache-2.0

/// How to connect to a Redis: its address, the user, and the files needed.
package struct RedisAccess: Equatable, Sendable {
    /// The address and the user.
    package let address: RedisAddress
    /// The file of the password; nil where none is needed.
    package let password: AccessFile?
    /// The terms of encryption, where the address asks for it.
    package let tls: TLS
    /// How to be let in by the Sentinels that the address names; nil where these ask for nothing.
    package let sentinels: Login?
    /// Whether the server is one of these Sentinels.
    let isSentinel: Bool

    /// A user, and the file of the password.
    package struct Login: Equatable, Sendable {
        /// The user; nil for the one named default.
        package let user: String?
        /// The file.
        package let password: AccessFile

        /// Creates a login from its parts.
        package init(user: String?, password: AccessFile) { (self.user, self.password) = (user, password) }
    }

    /// The terms of encryption.
    package struct TLS: Equatable, Sendable {
        /// The certificates of authorities that may vouch for the server; nil for the system's trusted ones.
        package var authorities: AccessFile?
        /// The client certificate; nil for none.
        package var identity: Identity?
        /// The name that the server's certificate must have; nil for the host of the address.
        package var serverName: String?

        /// Creates terms; by default with the system's authorities and no client certificate.
        package init(
            authorities: AccessFile? = nil, identity: Identity? = nil, serverName: String? = nil
        ) {
            self.authorities = authorities
            self.identity = identity
            self.serverName = serverName
        }
    }

    /// A certificate and the key to it.
    package struct Identity: Equatable, Sendable {
        /// The certificate, followed by those of its issuers.
        package let certificate: AccessFile
        /// The key; nobody else may read it.
        package let key: AccessFile

        /// Creates an identity from a certificate and its key.
        package init(certificate: AccessFile, key: AccessFile) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Creates the access to an address.
    package init(
        _ address: RedisAddress, password: AccessFile? = nil, tls: TLS = TLS(), sentinels: Login? = nil
    ) {
        self.init(address, password: password, tls: tls, sentinels: sentinels, isSentinel: false)
    }

    /// Creates the access to a server, or to a Sentinel.
    private init(
        _ address: RedisAddress, password: AccessFile?, tls: TLS, sentinels: Login?, isSentinel: Bool
    ) {
        self.address = address
        self.password = password
        self.tls = tls
        self.sentinels = sentinels
        self.isSentinel = isSentinel
    }

    /// Returns the access to one of the Sentinels, in the same terms of encryption.
    func sentinel(at port: RedisAddress.Port) -> RedisAccess {
        RedisAccess(
            .tcp(
                host: port.host, port: port.number, user: sentinels?.user, isEncrypted: address.isEncrypted),
            password: sentinels?.password, tls: tls, sentinels: nil, isSentinel: true)
    }

    /// Returns the access to a socket in the file system without a password.
    package static func unix(path: String) -> RedisAccess { RedisAccess(.unix(path: path)) }

    /// Whose answer it is, in a sentence: one about a Sentinel begins with its place.
    private var subject: String { isSentinel ? "it" : "Redis" }
    /// What has the password in the configuration.
    private var key: String { isSentinel ? "sentinels" : "cluster" }

    /// The user as part of a sentence.
    package var who: String { address.user.map { "the user \($0)" } ?? "the default user" }

    /// The name that the server's certificate must have.
    package var serverName: String {
        if let name = tls.serverName { return name }
        if case .tcp(let host, _) = address.place { return host }
        return ""
    }
}

// MARK: - What keeps this side out

extension RedisAccess {
    /// Interprets an answer that denies access rather than a command; nil for any other.
    ///
    /// Only the answer's own text is repeated, which never has a password.
    package func refusal(_ reason: String) -> ClusterFailure? {
        let words = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        switch reason.prefix(while: { $0 != " " }) {
        case "WRONGPASS":
            return .denied(
                "\(subject) does not accept the password in \(password?.path ?? "no file") for \(who): \(words); write the right one there"
            )
        case "NOAUTH":
            return .denied(
                "\(subject) asks for a password: \(words); write it into a file, and name that by \"password\" in \"\(key)\""
            )
        case "MOVED", "ASK", "CROSSSLOT", "CLUSTERDOWN":
            return .denied(
                "Redis is one node of several and does not have this cluster: \(words); name the node that has the keys {gatehouse:…} by \"engine\""
            )
        case "NOREPLICAS":
            return .denied(
                "Redis takes no writes, because too few replicas follow it: \(words); start them, or lower min-replicas-to-write"
            )
        case "READONLY":
            return .lost("\(address) is a replica now: \(words)")
        case "MISCONF":
            return .denied(
                "Redis takes no writes, because it cannot save them: \(words); look at its log, and make room on its disk"
            )
        case "NOPERM":
            return lacksRights(words[...])
        case "DENIED":
            let first = words.prefix { $0 != "." && $0 != ":" }
            return .denied(
                "Redis lets nobody in from another machine: \(first); give it a password or users")
        case "ERR" where reason.hasPrefix("ERR AUTH <password> called without any password"):
            return .denied(
                "\(subject) has no password for \(who), and one is in \(password?.path ?? "no file"); give it that one by requirepass, or remove \"password\" from \"\(key)\""
            )
        case "ERR"
        where reason.hasPrefix("ERR ACL failure in script")
            || reason.hasPrefix("ERR The user executing the script can't"):
            // The location in the script follows.
            let said = words.ranges(of: " script: ").last.map { words[..<$0.lowerBound] } ?? words[...]
            return lacksRights(said)
        default: return nil
        }
    }

    /// Returns the failure for missing rights, in the server's words.
    private func lacksRights(_ words: Substring) -> ClusterFailure {
        .denied(
            "\(subject) does not let \(who) do what a member must: \(words); give it the rights that Documentation/Scaling.md lists"
        )
    }

    /// Returns the failure for a server certificate that is not accepted.
    ///
    /// - Parameters:
    ///   - verdict: the number of `X509_verify_cert_error_string`.
    ///   - words: its words.
    func distrust(_ verdict: Int, _ words: String) -> ClusterFailure {
        switch verdict {
        case 9:
            return .denied(
                "the certificate of Redis is not valid yet; look at the clocks of both machines")
        case 10: return .denied("the certificate of Redis has expired; renew it there")
        case 62, 64:
            return .denied(
                "the certificate of Redis is not one for \(serverName); connect to a name that it has, or write that as \"serverName\" in \"tls\""
            )
        case 2, 18, 19, 20, 21:
            let trusted = tls.authorities.map { "those in \($0.path)" } ?? "those that this machine trusts"
            return .denied(
                "the certificate of Redis is signed by none of \(trusted): \(words); name the file with its issuer's certificate by \"ca\" in \"tls\""
            )
        default: return .denied("the certificate of Redis is not accepted: \(words); renew it there")
        }
    }

    /// Returns the failure when the server does not accept this side.
    ///
    /// - Parameters:
    ///   - alert: the number of the alert.
    ///   - words: its words.
    package func rejection(_ alert: Int, _ words: String) -> ClusterFailure {
        guard let certificate = tls.identity?.certificate else {
            return .denied(
                "Redis asks for a certificate of this side: \(words); name one by \"cert\" and \"key\" in \"tls\""
            )
        }
        return .denied(
            "Redis does not accept the certificate in \(certificate.path): \(words); renew it, or let Redis trust its issuer"
        )
    }

    /// Returns the failure for a file that is readable but unusable.
    func unusable(_ file: AccessFile?, _ words: String) -> ClusterFailure {
        .denied(
            "\(file?.path ?? "the certificates that this machine trusts"): it cannot be used for TLS: \(words); write what belongs there in PEM, a key without a password"
        )
    }

    /// The failure when the key does not belong to the certificate.
    package var mismatch: ClusterFailure {
        .denied(
            "\(tls.identity?.key.path ?? ""): it is not the key to the certificate in \(tls.identity?.certificate.path ?? ""); name those that belong together by \"cert\" and \"key\" in \"tls\""
        )
    }

    /// Returns the failure when the two sides do not agree on TLS.
    func disagreement(_ words: String) -> ClusterFailure {
        .denied(
            "Redis does not speak TLS as this host does: \(words); name the port at which it does, or write redis:// for one without"
        )
    }
}
