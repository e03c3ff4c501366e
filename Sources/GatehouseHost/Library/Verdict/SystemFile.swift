// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Small files and modes of the system.
public enum SystemFile {
    /// Why a small file could not be read whole.
    public enum ReadingError: Error, Equatable, Sendable {
        /// The system refused; its number for the reason.
        case system(code: Int32)
        /// It has more bytes than are wanted.
        case tooLarge(limit: Int)
    }

    /// All bytes of a file, a pipe or a device, of which there may be `limit`.
    ///
    /// - Throws: the system's reason, or that there are more.
    public static func bytes(of path: String, limit: Int) throws(ReadingError) -> [UInt8] {
        // A pipe that nobody writes to is empty, instead of holding this process up for ever.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .system(code: errno) }
        defer { close(file) }
        guard fcntl(file, F_SETFL, 0) == 0 else { throw .system(code: errno) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(file, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 {
                let code = errno
                if code == EINTR { continue }
                throw .system(code: code)
            }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        }
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

extension SystemFile.ReadingError: CustomStringConvertible {
    /// The reason without the path.
    public var description: String {
        switch self {
        case .system(let code): SystemReason.text(of: code)
        case .tooLarge(let limit): "it has more than \(limit) bytes, and no more are read"
        }
    }
}
