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

    /// The longest secret file, in bytes.
    private static let longest = 4_096

    /// The possible paths of the file, in order.
    private let places: [String]
    /// The latest content, with the facts that distinguish it from the next one.
    private let known = Mutex<(stamp: [UInt64], secret: [UInt8])?>(nil)

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
        // Nobody can set back the time of the last change of any kind.
        let times = [found.written, found.written_part, found.changed, found.changed_part]
        let stamp = [found.device, found.inode, found.size] + times.map { UInt64(bitPattern: $0) }
        if let known = known.withLock({ $0 }), known.stamp == stamp { return known.secret }
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
