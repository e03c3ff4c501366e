// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file of lines, open for appending; closed at the end of its life. Used by one thread at a time.
///
/// It always ends with a whole line: opening it removes a line that an accident has cut off, and a line without room is taken
/// back.
struct LineFile: ~Copyable {
    /// The path of the file.
    let path: String
    /// The open file.
    private let descriptor: Int32
    /// The size of the file in bytes.
    private(set) var size: Int
    /// The time of the last write before it was opened, in seconds since 1970.
    let lastWrite: Double
    /// The number of bytes of an incomplete line that were removed.
    private(set) var repaired = 0

    /// The number of attempts to lock a file, and the pause between two of them in microseconds.
    private static let lockTries = 100, lockPause: UInt32 = 50_000

    /// Opens a file, or creates it, and waits up to five seconds for another instance to release it.
    init(path: String) throws(FileFailure) {
        self.path = path
        let descriptor = unsafe open(
            path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o640)
        guard descriptor >= 0 else {
            if [ELOOP, EISDIR, ENXIO].contains(errno) { throw Self.notAFile(path) }
            throw FileFailure(path: path)
        }
        do throws(FileFailure) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw FileFailure(path: path) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw Self.notAFile(path) }
            try Self.lock(descriptor, path)
            // Include writes during the wait for the lock.
            guard unsafe fstat(descriptor, &status) == 0 else { throw FileFailure(path: path) }
            let end = try Self.endOfLines(descriptor, size: Int(status.st_size), path)
            if end < Int(status.st_size), ftruncate(descriptor, end) != 0 { throw FileFailure(path: path) }
            repaired = Int(status.st_size) - end
            size = end
            lastWrite = Double(status.st_mtim.tv_sec)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Returns the failure for something other than a file.
    private static func notAFile(_ path: String) -> FileFailure {
        FileFailure(
            .notAFile, "\(path): expected a file, found something else; set \"file\" to another name")
    }

    /// Takes the lock that lets only one instance at a time write to a file.
    private static func lock(_ descriptor: Int32, _ path: String) throws(FileFailure) {
        for _ in 0..<lockTries {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw FileFailure(path: path) }
            usleep(lockPause)
        }
        throw FileFailure(
            .locked, "\(path): another process writes to it; end that one, or set \"file\" to another name"
        )
    }

    /// Returns the end of the last whole line.
    private static func endOfLines(_ descriptor: Int32, size: Int, _ path: String) throws(FileFailure) -> Int
    {
        var end = size
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while end > 0 {
            let start = max(0, end - chunk.count)
            let count = unsafe pread(descriptor, &chunk, end - start, start)
            guard count == end - start else { throw FileFailure(path: path) }
            if let last = chunk[..<count].lastIndex(of: UInt8(ascii: "\n")) { return start + last + 1 }
            end = start
        }
        return 0
    }

    /// Ensures that the name of a file or folder is on the disk, if the system can open its folder.
    static func syncName(of path: String) {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let folder = path[..<end].isEmpty ? (path.hasPrefix("/") ? "/" : ".") : String(path[..<end])
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        Glibc.close(descriptor)
    }

    /// Returns whether the file is still at its path, and has not been moved away.
    func isInPlace() -> Bool {
        var here = stat()
        var there = stat()
        return unsafe fstat(descriptor, &here) == 0 && lstat(path, &there) == 0
            && here.st_ino == there.st_ino && here.st_dev == there.st_dev
    }

    /// Appends lines, each with a line break at its end, until there is no more room.
    ///
    /// - Returns: the size of the lines that had room, in bytes; more than 0.
    /// - Throws: why not even the first had.
    mutating func append(_ lines: [UInt8], sync: Bool) throws(FileFailure) -> Int {
        var written = 0
        while written < lines.count {
            let count = unsafe lines.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress?.advanced(by: written), lines.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let failure = FileFailure(path: path)
                written = (lines[..<written].lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
                // Remove a line with only a part written.
                ftruncate(descriptor, size + written)
                if written == 0 { throw failure }
                break
            }
            written += count
        }
        if sync, fdatasync(descriptor) != 0 {
            let failure = FileFailure(path: path)
            ftruncate(descriptor, size)
            throw failure
        }
        size += written
        return written
    }
}
