// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc

/// Unix sockets that listen at a path.
enum LocalSocket {
    /// Why nobody can listen at a path.
    enum Obstacle: Error, Equatable {
        /// Another process listens at the path.
        case alive
        /// Something stands there that is no socket of a process that has ended.
        case occupied
        /// The path has this many bytes, and the system takes fewer.
        case tooLong(bytes: Int)
        /// The system refused it; `reason` is its own word.
        case system(reason: String)
    }

    /// Finds that a path is longer than the system takes.
    static func check(_ path: String) throws(Obstacle) {
        let bytes = path.utf8.count
        guard bytes <= Int(GATEHOUSE_LOCAL_PATH_BYTES) else { throw .tooLong(bytes: bytes) }
    }

    /// Listens at a path, and replaces a socket that a process has left there that was killed.
    ///
    /// The caller sees to it that nobody else replaces it at the same time.
    ///
    /// - Returns: the descriptor, which does not block and is the caller's to close.
    static func listen(at path: String, mode: Int) throws(Obstacle) -> Int32 {
        for _ in 0..<2 {
            let descriptor = unsafe gatehouse_local_listen(path, Int32(mode))
            if descriptor >= 0 { return descriptor }
            guard descriptor == -EADDRINUSE else {
                throw .system(reason: SystemReason.text(of: -descriptor))
            }
            guard let status = SystemFile.status(path) else { continue }
            guard status.st_mode & S_IFMT == S_IFSOCK else { throw .occupied }
            let other = unsafe gatehouse_local_connect(path)
            if other >= 0 { close(other) }
            guard other == -ECONNREFUSED || other == -ENOENT else { throw .alive }
            _ = unsafe unlink(path)
        }
        throw .occupied
    }
}
