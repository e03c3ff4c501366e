// SPDX-License-Identifier: Apache-2.0

import CSecret
import Glibc
import Synchronization

/// A secret in a file, which is read again when the file has changed; never printed.
final class SecretFile: Sendable {
    /// Why there is no secret, in a sentence for the operator.
    struct Failure: Error, Equatable {
        /// The sentence; it names the file, and nothing that is in it.
        let sentence: String
    }

    /// What tells one content of a file from the next.
    private struct Stamp: Equatable {
        /// The file itself, and its size.
        let file: [UInt64]
        /// When it was written, and when it was changed in any way, which nobody can set back.
        let times: [Int64]

        /// What the system says of a file.
        init(_ stamp: gatehouse_secret_stamp) {
            file = [stamp.device, stamp.inode, stamp.size]
            times = [stamp.written, stamp.written_part, stamp.changed, stamp.changed_part]
        }
    }

    /// A longer file is none with a secret.
    private static let longest = 4_096

    /// Where the file may be, in order.
    private let places: [String]
    /// What was read last.
    private let known = Mutex<(Stamp, [UInt8])?>(nil)

    /// A secret that was not read.
    init(_ path: SecretPath) {
        let credentials = unsafe getenv("CREDENTIALS_DIRECTORY").map { unsafe String(cString: $0) }
        places = path.places(credentials: credentials)
    }

    /// The secret as it is in the file now, without a line break at its end.
    ///
    /// - Throws: why there is none.
    func bytes() throws(Failure) -> [UInt8] {
        for place in places.dropLast() where unsafe access(place, F_OK) == 0 { return try bytes(at: place) }
        return try bytes(at: places[places.count - 1])
    }

    /// The secret in one file.
    private func bytes(at path: String) throws(Failure) -> [UInt8] {
        var words = [CChar](repeating: 0, count: Int(gatehouse_secret_words))
        var found = gatehouse_secret_stamp()
        let file = unsafe gatehouse_secret_open(path, true, &found, &words)
        guard file >= 0 else { throw Failure(path, words) }
        defer { close(file) }
        let stamp = Stamp(found)
        if let (before, secret) = known.withLock({ $0 }), before == stamp { return secret }
        var bytes = [CChar](repeating: 0, count: Self.longest + 1)
        let count = unsafe gatehouse_secret_read(file, &bytes, bytes.count, &words)
        guard count >= 0 else { throw Failure(path, words) }
        let secret = bytes.prefix(count).map { UInt8(bitPattern: $0) }
        known.withLock { $0 = (stamp, secret) }
        return secret
    }
}

extension SecretFile.Failure {
    /// A sentence about a file, with words that end with a zero.
    fileprivate init(_ path: String, _ words: [CChar]) {
        let rest = String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        sentence = "the secret \(path): \(rest)"
    }
}
