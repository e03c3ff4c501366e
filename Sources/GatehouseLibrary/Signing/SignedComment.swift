// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest

/// What a signer says with a signature, in the comment that is signed too.
///
/// One form each, byte by byte: what is added, left out or written in another order is no comment of Gatehouse, so that a later
/// word that restricts a signature is not overlooked by an earlier host.
package enum SignedComment: Equatable, Sendable {
    /// A library: the id and the version of its plugin, the serial, and the digest of it with all that it brings from its folder.
    case plugin(id: String, version: String, serial: Int, digest: String)
    /// A list of what is not to run any more.
    case revocations(serial: Int)
    /// An index of libraries.
    case index(serial: Int)

    /// Reads a comment; nil for any other.
    init?(_ text: String) {
        var fields: [Substring: Substring] = [:]
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        for word in words {
            guard let equals = word.firstIndex(of: "=") else { continue }
            fields[word[..<equals]] = word[word.index(after: equals)...]
        }
        guard let serial = fields["serial"].flatMap({ Int($0) }), serial >= 0 else { return nil }
        if let id = fields["id"], let version = fields["version"], let digest = fields["sha256"] {
            self = .plugin(
                id: String(id), version: String(version), serial: serial, digest: String(digest))
        } else {
            self = words.contains("index") ? .index(serial: serial) : .revocations(serial: serial)
        }
        guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
    }

    /// The comment as it is signed.
    package var text: String {
        switch self {
        case .plugin(let id, let version, let serial, let digest):
            "gatehouse plugin id=\(id) version=\(version) serial=\(serial) sha256=\(digest)"
        case .revocations(let serial): "gatehouse revocations serial=\(serial)"
        case .index(let serial): "gatehouse index serial=\(serial)"
        }
    }
}
