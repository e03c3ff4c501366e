// SPDX-License-Identifier: Apache-2.0

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
        /// The file itself.
        let device: UInt, inode: UInt
        /// How long it is.
        let size: Int
        /// When it was written last.
        let seconds: Int, nanoseconds: Int
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
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else {
            throw Failure(
                sentence:
                    "\(path): the secret cannot be read: \(unsafe String(cString: strerror(errno))); write it there, and let this user read it"
            )
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(
                sentence: "\(path): expected a file with a secret, found something else; name a file")
        }
        guard status.st_mode & (S_IROTH | S_IWOTH | S_IWGRP) == 0 else {
            throw Failure(
                sentence: "\(path): others may read or write the secret; take that from them with chmod 600")
        }
        let stamp = Stamp(
            device: UInt(status.st_dev), inode: UInt(status.st_ino), size: Int(status.st_size),
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
        if let (before, secret) = known.withLock({ $0 }), before == stamp { return secret }
        var bytes = [UInt8](repeating: 0, count: Self.longest + 1)
        let count = unsafe read(file, &bytes, bytes.count)
        guard count >= 0, count <= Self.longest else {
            throw Failure(
                sentence:
                    "\(path): expected a secret of at most \(Self.longest) bytes, found a longer one; shorten it"
            )
        }
        bytes.removeLast(bytes.count - count)
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
            bytes.removeLast()
        }
        guard !bytes.isEmpty else {
            throw Failure(sentence: "\(path): expected a secret, found an empty file; write one there")
        }
        let secret = bytes
        known.withLock { $0 = (stamp, secret) }
        return secret
    }
}
