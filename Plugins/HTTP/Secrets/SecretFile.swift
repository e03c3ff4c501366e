// SPDX-License-Identifier: Apache-2.0

import CSecret
import Glibc
import Synchronization

/// A secret in a file, read again after each change; never printed.
final class SecretFile: Sendable {
    /// Why there is no secret, in a sentence for the operator.
    struct Failure: Error, Equatable {
        /// The sentence; it names the file, but none of its content.
        let sentence: String
    }

    /// Distinguishes one content of a file from the next.
    private struct Stamp: Equatable {
        /// The device, inode and size.
        let file: [UInt64]
        /// The times of the last write and of the last change of any kind, which nobody can set back.
        let times: [Int64]

        /// Takes the facts from the system.
        init(_ stamp: gatehouse_secret_stamp) {
            file = [stamp.device, stamp.inode, stamp.size]
            times = [stamp.written, stamp.written_part, stamp.changed, stamp.changed_part]
        }
    }

    /// The longest secret file, in bytes.
    private static let longest = 4_096

    /// The possible paths of the file, in order.
    private let places: [String]
    /// The latest content.
    private let known = Mutex<(Stamp, [UInt8])?>(nil)

    /// Creates a secret that has not been read.
    init(_ path: SecretPath) {
        let credentials = unsafe getenv("CREDENTIALS_DIRECTORY").map { unsafe String(cString: $0) }
        places = path.places(credentials: credentials)
    }

    /// Returns the current secret, without a line break at its end.
    ///
    /// - Throws: why there is none.
    func bytes() throws(Failure) -> [UInt8] {
        for place in places.dropLast() where unsafe access(place, F_OK) == 0 { return try bytes(at: place) }
        return try bytes(at: places[places.count - 1])
    }

    /// Returns the secret in one file.
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
    /// Creates a failure about a file, from words that end with a zero.
    fileprivate init(_ path: String, _ words: [CChar]) {
        let rest = String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        sentence = "the secret \(path): \(rest)"
    }
}
