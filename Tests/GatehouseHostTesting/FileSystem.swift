// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads and writes whole small files.
public enum FileSystem {
    /// The bytes of a file.
    public static func read(_ path: String) throws -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemFailure("open \(path)") }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(file, &chunk, chunk.count)
            guard count >= 0 else { throw SystemFailure("read \(path)") }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }

    /// Creates or overwrites a file, in place.
    public static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o644) throws {
        try write(bytes, to: path, O_TRUNC, mode: mode)
    }

    /// Writes to the end of a file, which is made if there is none.
    public static func append(_ text: String, to path: String) throws {
        try write(Array(text.utf8), to: path, O_APPEND, mode: 0o644)
    }

    /// Writes to a file that is opened with a flag.
    private static func write(_ bytes: [UInt8], to path: String, _ flag: Int32, mode: UInt32) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | flag | O_CLOEXEC, mode)
        guard file >= 0 else { throw SystemFailure("open \(path)") }
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(file, buffer.baseAddress?.advanced(by: written), bytes.count - written)
            }
            guard count > 0 else { throw SystemFailure("write \(path)") }
            written += count
        }
    }

    /// Sets the mode of a file or folder, whatever the umask.
    public static func setMode(_ mode: UInt32, of path: String) throws {
        guard unsafe chmod(path, mode) == 0 else { throw SystemFailure("chmod \(path)") }
    }

    /// The mode of a file or folder, without its kind.
    public static func mode(of path: String) throws -> UInt32 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemFailure("stat \(path)") }
        return status.st_mode & 0o7777
    }

    /// The inode number of a file, independent of its name.
    public static func identity(of path: String) throws -> UInt64 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemFailure("stat \(path)") }
        return UInt64(status.st_ino)
    }

    /// Gives a file or folder to another user, which needs root.
    public static func setOwner(_ owner: UInt32, of path: String) throws {
        guard unsafe chown(path, owner, .max) == 0 else { throw SystemFailure("chown \(path)") }
    }

    /// Sets the modification time of a file or folder to the given number of days ago.
    public static func setAge(days: Int, of path: String) throws {
        let then = timespec(tv_sec: time(nil) - days * 86_400, tv_nsec: 0)
        let result = unsafe [then, then].withUnsafeBufferPointer {
            unsafe utimensat(AT_FDCWD, path, $0.baseAddress, 0)
        }
        guard result == 0 else { throw SystemFailure("utimensat \(path)") }
    }

    /// Whether there is a folder.
    public static func isFolder(_ path: String) -> Bool {
        guard let folder = unsafe opendir(path) else { return false }
        unsafe closedir(folder)
        return true
    }

    /// The names in a folder, sorted; empty when there is no such folder.
    public static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a folder with all its contents; links are removed, not followed.
    public static func removeFolder(_ path: String) {
        for name in names(in: path).map({ path + "/" + $0 }) where unsafe unlink(name) != 0 {
            removeFolder(name)
        }
        _ = unsafe rmdir(path)
    }

    /// Whether this user is root, who may give files away.
    public static var isRoot: Bool { geteuid() == 0 }

    /// Locks a file against other programs, like one that writes to it, until the result is released. The corresponding C
    /// function is `lockf`.
    public static func lock(_ path: String) throws -> FileLock {
        let file = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw SystemFailure("open \(path)") }
        guard lockf(file, F_TLOCK, 0) == 0 else { throw SystemFailure("lockf \(path)") }
        return FileLock(descriptor: file)
    }

    /// A lock on a file.
    public final class FileLock {
        private let descriptor: Int32

        /// Takes ownership of the descriptor that holds the lock.
        fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }
    }

    /// Makes a symbolic link.
    public static func link(_ path: String, to target: String) throws {
        guard unsafe symlink(target, path) == 0 else { throw SystemFailure("symlink \(path)") }
    }

    /// Extends a file with zeros that occupy no space, or shortens it.
    public static func setSize(_ count: Int, of path: String) throws {
        guard unsafe truncate(path, off_t(count)) == 0 else { throw SystemFailure("truncate \(path)") }
    }

    /// Makes a folder, whose parent must exist.
    public static func makeFolder(_ path: String) throws {
        guard unsafe mkdir(path, 0o755) == 0 else { throw SystemFailure("mkdir \(path)") }
    }

    /// Whether anything exists at a path. The corresponding C function is `access`.
    public static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Renames a file, replacing the one that has the new name. The corresponding C function is `rename`.
    public static func rename(_ path: String, to other: String) throws {
        guard unsafe Glibc.rename(path, other) == 0 else { throw SystemFailure("rename \(path)") }
    }

    /// Makes a named pipe. The corresponding C function is `mkfifo`.
    public static func makePipe(_ path: String) throws {
        guard unsafe mkfifo(path, 0o600) == 0 else { throw SystemFailure("mkfifo \(path)") }
    }

    /// Removes a file or link; does nothing if there is none.
    public static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// The path of the running program. The corresponding C function is `readlink`.
    static var ownExecutable: String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
