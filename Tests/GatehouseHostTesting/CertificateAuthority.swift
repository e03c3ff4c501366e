// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Signs certificates, using the program `openssl`; its files are removed with this object.
public final class CertificateAuthority {
    /// Whether this machine has the program.
    public static let isInstalled = unsafe access(program, X_OK) == 0
    /// The path of the program.
    private static let program = "/usr/bin/openssl"

    /// The folder of all files.
    public let folder: TemporaryFolder
    /// The file with its own certificate.
    public var certificate: String { folder("ca.pem") }

    /// A certificate and the key to it, as paths of files.
    public struct Identity: Sendable {
        /// The file of the certificate.
        public let certificate: String
        /// The file of the key, which only this user can read.
        public let key: String

        /// Wraps existing files, whether they belong together or not.
        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Creates an authority that nobody trusts yet.
    public init() throws {
        folder = try TemporaryFolder()
        try run(
            ["req", "-x509", "-subj", "/CN=authority", "-days", "2", "-out", "ca.pem"] + Self.newKey("ca.key")
        )
    }

    /// Makes a key and signs a certificate for it.
    ///
    /// - Parameters:
    ///   - name: the name of the files.
    ///   - names: the subject, in the syntax of `openssl`.
    ///   - clock: the clock that determines the time; nil for the machine's. The certificate is valid for two
    ///     days from then on.
    public func identity(
        _ name: String, for names: String = "DNS:localhost,IP:127.0.0.1", clock: FalseClock? = nil
    ) throws -> Identity {
        try run(["req", "-subj", "/CN=\(name)", "-out", "\(name).csr"] + Self.newKey("\(name).key"))
        try folder.write("subjectAltName=\(names)\n", to: "\(name).names")
        try run(
            [
                "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-days", "2", "-extfile", "\(name).names", "-out", "\(name).pem",
            ], clock)
        return Identity(certificate: folder("\(name).pem"), key: folder("\(name).key"))
    }

    /// The arguments that make a key.
    private static func newKey(_ name: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", name]
    }

    /// Runs the program.
    private func run(_ arguments: [String], _ clock: FalseClock? = nil) throws {
        let outcome = try ChildProcess.run(
            Self.program, arguments: arguments, in: folder.path, environment: clock?.environment ?? [:])
        guard outcome.exitCode == 0 else { throw RedisServer.Refusal(description: outcome.errors) }
    }
}

extension RedisServer {
    /// Starts a server that also speaks TLS at a port of this machine.
    ///
    /// - Parameters:
    ///   - identity: the server's certificate.
    ///   - authority: the authority that it trusts for certificates of clients.
    ///   - asksForCertificates: whether clients must have a certificate.
    ///   - options: further options of the server.
    public static func encrypted(
        _ identity: CertificateAuthority.Identity, trusting authority: CertificateAuthority,
        asksForCertificates: Bool = false, _ options: String...
    ) throws -> (server: RedisServer, port: Int) {
        let port = try LocalPort.free()
        let server = try RedisServer(
            options: [
                "--tls-port", "\(port)", "--tls-cert-file", identity.certificate, "--tls-key-file",
                identity.key,
                "--tls-ca-cert-file", authority.certificate, "--tls-auth-clients",
                asksForCertificates ? "yes" : "no",
            ] + options)
        return (server, port)
    }
}
