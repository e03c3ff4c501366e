// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseHostTesting
import Testing

/// TLS between a member and a Redis, the real one, with certificates that are made here.
@Suite(
    .enabled(
        if: RedisServer.isInstalled && CertificateAuthority.isInstalled,
        "redis-server and openssl are not installed"), .timeLimit(.minutes(10)))
struct RedisEncryptionTests {
    /// Whom this side trusts unless told otherwise.
    private let authority = try? CertificateAuthority()

    /// Who signs here.
    private func trusted() throws -> CertificateAuthority { try #require(authority) }

    /// The access to a port by TLS.
    private func access(
        _ port: Int, host: String = "localhost", trusting ca: String?,
        showing identity: CertificateAuthority.Identity? = nil, serverName: String? = nil
    ) -> RedisAccess {
        RedisAccess(
            .tcp(host: host, port: port, isEncrypted: true),
            tls: RedisAccess.TLS(
                authorities: ca.map { AccessFile($0, from: "/") },
                identity: identity.map {
                    RedisAccess.Identity(
                        certificate: AccessFile($0.certificate, from: "/"), key: AccessFile($0.key, from: "/")
                    )
                }, serverName: serverName))
    }

    /// A cluster by such an access.
    private func cluster(_ access: RedisAccess) -> RedisCluster {
        RedisCluster(access, name: "shop", partitions: 4, patience: .seconds(30))
    }

    /// Why nobody is let in, or nobody lets himself in.
    private func denial(_ access: RedisAccess, patience: Duration = .seconds(30)) -> String {
        do {
            _ = try RedisCluster(access, name: "shop", partitions: 4, patience: patience).connect()
            return "nothing was said"
        } catch ClusterFailure.denied(let reason) {
            return reason
        } catch {
            return "\(error)"
        }
    }

    /// What is said to somebody who does not speak TLS.
    private func disagreement(_ words: String) -> String {
        "Redis does not speak TLS as this host does: \(words); name the port at which it does, or write redis:// for one without"
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `what goes on is encrypted, to a name and to an address`(host: String) throws {
        let authority = try trusted()
        let (server, port) = try RedisServer.encrypted(try authority.identity("redis"), trusting: authority)
        let cluster = cluster(access(port, host: host, trusting: authority.certificate))
        let engine = try cluster.connect()
        try engine.join(ClusterPresence(name: "a", life: "1"))
        var batch = ClusterBatch()
        // Larger than what is encrypted at once, and than what is received at once.
        for number in 0..<20 {
            batch.add(
                Array(repeating: UInt8(number), count: 50_000), to: 0,
                from: ClusterOrigin(source: "in", sequence: UInt64(number + 1)))
        }
        try engine.append(batch)
        var found: [[UInt8]] = []
        try engine.read([(0, .start)], atMost: 100, waiting: .zero) { _, entry in
            unsafe found.append(Array(entry.action))
        }
        #expect(found == (0..<20).map { Array(repeating: UInt8($0), count: 50_000) })
        let clients = try server.call("CLIENT", "LIST")
        withExtendedLifetime(engine) { #expect(clients.contains(" laddr=127.0.0.1:\(port) ")) }
    }

    @Test func `a certificate may be asked for, and what is shown is accepted`() throws {
        let authority = try trusted()
        let (server, port) = try RedisServer.encrypted(
            try authority.identity("redis"), trusting: authority, asksForCertificates: true)
        let client = try authority.identity("client")
        _ = try cluster(access(port, trusting: authority.certificate, showing: client)).connect()
        for _ in 0..<5 {
            #expect(
                denial(access(port, trusting: authority.certificate))
                    == "Redis asks for a certificate of this side: tlsv13 alert certificate required; name one by \"cert\" and \"key\" in \"tls\""
            )
        }
        let other = try CertificateAuthority()
        let stranger = try other.identity("stranger")
        let strange = access(port, trusting: authority.certificate, showing: stranger)
        #expect(
            denial(strange)
                == "Redis does not accept the certificate in \(stranger.certificate): tlsv1 alert unknown ca; renew it, or let Redis trust its issuer"
        )
        _ = (server, other)
    }

    @Test func `a server whose certificate somebody else has signed is not trusted`() throws {
        let authority = try trusted()
        let (server, port) = try RedisServer.encrypted(try authority.identity("redis"), trusting: authority)
        let other = try CertificateAuthority()
        #expect(
            denial(access(port, trusting: other.certificate))
                == "the certificate of Redis is signed by none of those in \(other.certificate): self-signed certificate in certificate chain; name the file with its issuer's certificate by \"ca\" in \"tls\""
                || denial(access(port, trusting: other.certificate))
                    == "the certificate of Redis is signed by none of those in \(other.certificate): unable to get local issuer certificate; name the file with its issuer's certificate by \"ca\" in \"tls\""
        )
        #expect(
            denial(access(port, trusting: nil)).hasPrefix(
                "the certificate of Redis is signed by none of those that this machine trusts: "))
        _ = server
    }

    @Test func `a certificate for another name is not accepted, unless that name is what is expected`() throws
    {
        let authority = try trusted()
        let (server, port) = try RedisServer.encrypted(
            try authority.identity("redis", for: "DNS:redis.example"), trusting: authority)
        for host in ["localhost", "127.0.0.1"] {
            #expect(
                denial(access(port, host: host, trusting: authority.certificate))
                    == "the certificate of Redis is not one for \(host); connect to a name that it has, or write that as \"serverName\" in \"tls\""
            )
        }
        _ = try cluster(access(port, trusting: authority.certificate, serverName: "redis.example")).connect()
        _ = server
    }

    @Test(arguments: [
        (-30, "the certificate of Redis has expired; renew it there"),
        (30, "the certificate of Redis is not valid yet; look at the clocks of both machines"),
    ])
    func `a certificate of another time is not accepted`(days: Int, reason: String) throws {
        let authority = try trusted()
        let clock = try FalseClock("clock", in: authority.folder)
        try clock.set(by: days * 86_400)
        let identity = try authority.identity("redis\(days)", clock: clock)
        let (server, port) = try RedisServer.encrypted(identity, trusting: authority)
        #expect(denial(access(port, trusting: authority.certificate)) == reason)
        _ = server
    }

    @Test func `a port without TLS is told, and so is one with it to whoever speaks without`() throws {
        let authority = try trusted()
        let port = try LocalPort.free()
        let plain = try RedisServer("--port", "\(port)")
        let silent = denial(access(port, trusting: authority.certificate), patience: .milliseconds(300))
        // It waits for the end of a line, which may by chance be in what is sent.
        #expect(
            [
                "the engine cannot be reached: no answer came in time, before TLS was negotiated; if it does not speak TLS at this port, name the port at which it does, or write redis://",
                disagreement("wrong version number"),
            ].contains(silent), "\(silent)")
        _ = plain
        let (server, other) = try RedisServer.encrypted(try authority.identity("redis"), trusting: authority)
        let reason = denial(RedisAccess(.tcp(host: "localhost", port: other)))
        #expect(
            reason.hasSuffix(", before any answer; if it speaks TLS at this port, write rediss://"),
            "\(reason)")
        _ = server
    }

    @Test func `what is older than TLS 1_2 is not spoken`() throws {
        let authority = try trusted()
        let (server, port) = try RedisServer.encrypted(
            try authority.identity("redis"), trusting: authority, "--tls-protocols", "TLSv1.1")
        #expect(
            denial(access(port, trusting: authority.certificate))
                == disagreement("tlsv1 alert protocol version"))
        _ = server
    }

    @Test func `a certificate is asked for by TLS 1_2, too`() throws {
        let authority = try trusted()
        let (server, port) = try RedisServer.encrypted(
            try authority.identity("redis"), trusting: authority, asksForCertificates: true,
            "--tls-protocols",
            "TLSv1.2")
        let client = try authority.identity("client")
        _ = try cluster(access(port, trusting: authority.certificate, showing: client)).connect()
        #expect(
            denial(access(port, trusting: authority.certificate)).hasPrefix(
                "Redis asks for a certificate of this side: "))
        _ = server
    }

    @Test func `files that cannot be used are told with their paths`() throws {
        let authority = try trusted()
        let (server, port) = try RedisServer.encrypted(try authority.identity("redis"), trusting: authority)
        let one = try authority.identity("one")
        let other = try authority.identity("other")
        let ca = authority.certificate
        let none = try authority.folder.write("no certificate\n", to: "none.pem")
        try FileSystem.setMode(0o600, of: none)
        let advice = "write what belongs there in PEM, a key without a password"
        #expect(
            denial(access(port, trusting: none)).hasPrefix(
                "\(none): it cannot be used for TLS: no certificate"))
        #expect(
            denial(access(port, trusting: ca, showing: .init(certificate: none, key: one.key)))
                == "\(none): it cannot be used for TLS: no start line; \(advice)")
        #expect(
            denial(access(port, trusting: ca, showing: .init(certificate: one.certificate, key: none)))
                .hasSuffix(
                    "; \(advice)"))
        #expect(
            denial(access(port, trusting: ca, showing: .init(certificate: one.certificate, key: other.key)))
                == "\(other.key): it is not the key to the certificate in \(one.certificate); name those that belong together by \"cert\" and \"key\" in \"tls\""
        )
        try FileSystem.setMode(0o644, of: one.key)
        #expect(
            denial(access(port, trusting: ca, showing: one))
                == "\(one.key): others may read or write it; take that from them with chmod 600")
        #expect(
            denial(access(port, trusting: "/none/ca.pem"))
                == "/none/ca.pem: it cannot be read: No such file or directory; write it there, and let this user read it"
        )
        _ = server
    }

    @Test func `a server that is killed is lost, and found again`() throws {
        let authority = try trusted()
        let (server, port) = try RedisServer.encrypted(try authority.identity("redis"), trusting: authority)
        let cluster = cluster(access(port, trusting: authority.certificate))
        let engine = try cluster.connect()
        try server.kill()
        let failure = #expect(throws: ClusterFailure.self) { try engine.reader() }
        let ends = ["the other side has closed the connection", "Connection reset by peer", "Broken pipe"]
        #expect(failure.map { ends.map(ClusterFailure.lost).contains($0) } == true, "\(failure as Any)")
        try server.restart()
        _ = try cluster.connect()
    }
}
