// SPDX-License-Identifier: Apache-2.0

private import Glibc

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
