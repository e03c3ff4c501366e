// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Small files and modes of the system, as far as verdicts ask for them.
enum SystemFile {
    /// The bytes of a file, at most `limit`; nil when it cannot be read.
    static func bytes(of path: String, limit: Int) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < limit {
            let count = unsafe read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// Opens a plain file for reading, and tells what the system knows of it; the caller closes it.
    ///
    /// - Parameter following: whether a link at the end of the path is followed; without, it is no plain file.
    /// - Throws: that there is none, that it is something else, or the system's reason.
    static func openRegular(
        _ path: String, following: Bool = true
    ) throws(LibraryFileError) -> (descriptor: Int32, status: stat) {
        let file = unsafe open(
            path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (following ? 0 : O_NOFOLLOW))
        guard file >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw .missing(path: path)
            // A socket, or a device that is not there.
            case ENXIO: throw .notARegularFile(path: path)
            case ELOOP where !following: throw .notARegularFile(path: path)
            default: throw .system(path: path, call: "open", reason: SystemReason.last)
            }
        }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else {
            let reason = SystemReason.last
            close(file)
            throw .system(path: path, call: "fstat", reason: reason)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw .notARegularFile(path: path)
        }
        return (file, status)
    }

    /// Whether a plain file stands there, links followed.
    static func isFile(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Owner and mode of a folder, links followed; nil when there is none.
    static func folder(_ path: String) -> (owner: UInt32, mode: UInt32)? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        return (status.st_uid, status.st_mode)
    }

    /// Whether an owner is root or the user of this process.
    static func isTrusted(owner: UInt32) -> Bool { owner == 0 || owner == geteuid() }

    /// A variable of the environment, nil when it is not set.
    static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}
