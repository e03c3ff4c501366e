// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc

/// A socket that listens for clients, and the proof that no other host does at the same path.
///
/// Clients may connect from here on; they are answered when a host serves them. The proof is a lock on a file beside the
/// socket, which goes with the process however it ends. So of two hosts that find the socket of a dead one only the first
/// replaces it.
public final class ControlSocket: Sendable {
    /// Where it is.
    public let path: String
    /// The socket.
    let descriptor: Int32
    /// Locked as long as the socket is this host's.
    private let lock: Int32

    /// Listens at a path, and replaces what a host has left there that was killed.
    public init(path: String) throws(ControlSocketError) {
        self.path = path
        let bytes = path.utf8.count
        guard bytes <= Int(GATEHOUSE_LOCAL_PATH_BYTES) else { throw .tooLong(path: path, bytes: bytes) }
        let file = path + ".lock"
        let lock = unsafe open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .system(path: file, reason: SystemReason.last) }
        self.lock = lock
        do throws(ControlSocketError) {
            guard gatehouse_lock_alone(lock, 0) == 0 else { throw .alive(path: path) }
            descriptor = try Self.listen(path)
        } catch {
            close(lock)
            throw error
        }
    }

    /// Listens at a path that nobody else may replace.
    private static func listen(_ path: String) throws(ControlSocketError) -> Int32 {
        for _ in 0..<2 {
            let descriptor = unsafe gatehouse_local_listen(path, 0o600)
            if descriptor >= 0 { return descriptor }
            guard descriptor == -EADDRINUSE else {
                throw .system(path: path, reason: SystemReason.text(of: -descriptor))
            }
            guard let status = SystemFile.status(path) else { continue }
            guard status.st_mode & S_IFMT == S_IFSOCK else { throw .occupied(path: path) }
            // It may be that of another program.
            if ControlFolder.isAlive(path) { throw .alive(path: path) }
            _ = unsafe unlink(path)
        }
        throw .occupied(path: path)
    }

    /// Removes the socket; nobody can connect any more. Called once, when the host ends in good order.
    public func remove() {
        _ = unsafe unlink(path)
        close(lock)
    }
}
