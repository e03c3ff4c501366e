// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseManifest
internal import GatehouseSupport
internal import GatehouseValue

/// The key `tls` of `cluster`: what encryption takes; the paths of files in PEM, as they are written.
package struct ClusterTLSConfiguration: Equatable, Sendable {
    /// The certificates of those who may vouch for the engine; nil for those that the system trusts.
    var ca: String?
    /// What a member shows, and the key to it; nil for nothing.
    var identity: Identity?
    /// The name that the certificate of the engine must have; nil for the host in its address.
    var serverName: String?

    /// A certificate and the key to it.
    struct Identity: Equatable, Sendable {
        /// What is shown.
        let cert: String
        /// The key.
        let key: String
    }

    /// The same with files that can be read.
    ///
    /// - Parameter base: the folder that relative paths start from.
    func access(from base: String) -> RedisAccess.TLS {
        RedisAccess.TLS(
            authorities: ca.map { AccessFile($0, from: base) },
            identity: identity.map {
                RedisAccess.Identity(
                    certificate: AccessFile($0.cert, from: base), key: AccessFile($0.key, from: base))
            }, serverName: serverName)
    }
}

extension ClusterTLSConfiguration {
    /// The keys of the object.
    private enum Key: String, CaseIterable {
        case ca, cert, key, serverName
    }

    /// Reads the value of `tls`; nil, with a report, if any of it is wrong.
    static func read(_ node: LocatedNode) -> ClusterTLSConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        var tls = ClusterTLSConfiguration()
        var (cert, key): (String?, String?)
        let areRead = [
            reader.read(.ca, into: &tls.ca) { $0.filePath() },
            reader.read(.cert, into: &cert) { $0.filePath() },
            reader.read(.key, into: &key) { $0.filePath() },
            reader.read(.serverName, into: &tls.serverName, readName),
        ]
        for (one, other) in [(Key.cert, Key.key), (.key, .cert)] where reader[other] == nil {
            reader[one]?.reportKey(
                "\"cert\" and \"key\" belong together; add \(Quotation.of(other.rawValue))")
        }
        if let cert, let key { tls.identity = Identity(cert: cert, key: key) }
        return (cert == nil) == (key == nil) && areRead.allSatisfy(\.self) ? tls : nil
    }

    /// Reads the name that a certificate must have.
    private static func readName(_ node: LocatedNode) -> String? {
        node.text(
            "the name of a host", advice: "write one that the certificate of the engine has"
        ) { !$0.isEmpty && !$0.utf8.contains { $0 <= UInt8(ascii: " ") } }
    }
}
