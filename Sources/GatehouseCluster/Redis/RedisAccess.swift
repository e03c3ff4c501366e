// SPDX-License-Identifier: Apache-2.0

/// How one comes to a Redis: where it is, as whom, and by which files.
public struct RedisAccess: Equatable, Sendable {
    /// Where it is, and as whom one comes.
    public let address: RedisAddress
    /// Has the password; nil where none is asked for.
    public let password: AccessFile?
    /// What encryption takes, where the address asks for it.
    public let tls: TLS

    /// What encryption takes.
    public struct TLS: Equatable, Sendable {
        /// The certificates of those who may vouch for the server; nil for those that the system trusts.
        public var authorities: AccessFile?
        /// What this side shows; nil for nothing.
        public var identity: Identity?
        /// The name that the server's certificate must have; nil for the host of the address.
        public var serverName: String?

        /// Trusts whom the system trusts, and shows nothing, unless told otherwise.
        public init(
            authorities: AccessFile? = nil, identity: Identity? = nil, serverName: String? = nil
        ) {
            self.authorities = authorities
            self.identity = identity
            self.serverName = serverName
        }
    }

    /// A certificate and the key to it.
    public struct Identity: Equatable, Sendable {
        /// What is shown, with those of who has signed it behind it.
        public let certificate: AccessFile
        /// The key; nobody else may read it.
        public let key: AccessFile

        /// A certificate with its key.
        public init(certificate: AccessFile, key: AccessFile) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// The way to an address.
    public init(_ address: RedisAddress, password: AccessFile? = nil, tls: TLS = TLS()) {
        self.address = address
        self.password = password
        self.tls = tls
    }

    /// The way to a socket in the file system, to which one comes without a password.
    public static func unix(path: String) -> RedisAccess { RedisAccess(.unix(path: path)) }

    /// The user in the words of a sentence.
    var who: String { address.user.map { "the user \($0)" } ?? "the default user" }

    /// The name that the server's certificate must have.
    var serverName: String {
        if let name = tls.serverName { return name }
        if case .tcp(let host, _) = address.place { return host }
        return ""
    }
}

// MARK: - What keeps this side out

extension RedisAccess {
    /// What an answer means that says no to whoever asks rather than to what is asked; nil for any other.
    ///
    /// Only what stands in the answer is repeated, which never has a password.
    func refusal(_ reason: String) -> ClusterFailure? {
        let words = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        switch reason.prefix(while: { $0 != " " }) {
        case "WRONGPASS":
            return .denied(
                "Redis does not accept the password in \(password?.path ?? "no file") for \(who): \(words); write the right one there"
            )
        case "NOAUTH":
            return .denied(
                "Redis asks for a password: \(words); write it into a file, and name that by \"password\" in \"cluster\""
            )
        case "NOPERM":
            return lacksRights(words[...])
        case "DENIED":
            let first = words.prefix { $0 != "." && $0 != ":" }
            return .denied(
                "Redis lets nobody in from another machine: \(first); give it a password or users")
        case "ERR" where reason.hasPrefix("ERR AUTH <password> called without any password"):
            return .denied(
                "Redis has no password for \(who), and one is in \(password?.path ?? "no file"); give it that one by requirepass, or remove \"password\" from \"cluster\""
            )
        case "ERR"
        where reason.hasPrefix("ERR ACL failure in script")
            || reason.hasPrefix("ERR The user executing the script can't"):
            // Behind it stands where in the script that was.
            let said = words.ranges(of: " script: ").last.map { words[..<$0.lowerBound] } ?? words[...]
            return lacksRights(said)
        default: return nil
        }
    }

    /// What it means that the user may not do something; in the words of the server.
    private func lacksRights(_ words: Substring) -> ClusterFailure {
        .denied(
            "Redis does not let \(who) do what a member must: \(words); give it the rights that Documentation/Scaling.md lists"
        )
    }

    /// What it means that the certificate of the server is not accepted.
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
                "the certificate of Redis is signed by none of \(trusted): \(words); name the file with the certificate of who has signed it by \"ca\" in \"tls\""
            )
        default: return .denied("the certificate of Redis is not accepted: \(words); renew it there")
        }
    }

    /// What it means that the server does not accept this side.
    ///
    /// - Parameters:
    ///   - alert: the number of the alert.
    ///   - words: its words.
    func rejection(_ alert: Int, _ words: String) -> ClusterFailure {
        guard let certificate = tls.identity?.certificate else {
            return .denied(
                "Redis asks for a certificate of this side: \(words); name one by \"cert\" and \"key\" in \"tls\""
            )
        }
        return .denied(
            "Redis does not accept the certificate in \(certificate.path): \(words); renew it, or let Redis trust who has signed it"
        )
    }

    /// What it means that a file cannot be used, although it can be read.
    func unusable(_ file: AccessFile?, _ words: String) -> ClusterFailure {
        .denied(
            "\(file?.path ?? "the certificates that this machine trusts"): it cannot be used for TLS: \(words); write what belongs there in PEM, a key without a password"
        )
    }

    /// What it means that the key is not that of the certificate.
    var mismatch: ClusterFailure {
        .denied(
            "\(tls.identity?.key.path ?? ""): it is not the key to the certificate in \(tls.identity?.certificate.path ?? ""); name those that belong together by \"cert\" and \"key\" in \"tls\""
        )
    }

    /// What it means that the two sides do not agree on TLS.
    func disagreement(_ words: String) -> ClusterFailure {
        .denied(
            "Redis does not speak TLS as this host does: \(words); name the port at which it does, or write redis:// for one without"
        )
    }
}
