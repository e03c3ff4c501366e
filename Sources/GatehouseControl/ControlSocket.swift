// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseRuntime
private import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// A listening socket for clients, and the proof that no other host listens at its path.
///
/// Clients may connect from here on; they are answered once a host serves them. The proof is a lock on a file beside the
/// socket, which the system releases when the process ends, however it ends. So of two hosts that find the socket of a
/// dead one, only the first replaces it.
package final class ControlSocket: Sendable {
    /// The path of the socket.
    package let path: String
    /// The descriptor of the listening socket.
    package let descriptor: Int32
    /// The file of the socket.
    private let file: ListenerFile?
    /// Locked for as long as this host owns the socket.
    private let lock: Int32

    /// Listens at a path, replacing the socket of a killed host.
    package init(path: String) throws(ControlSocketError) {
        self.path = path
        do { try LocalSocket.check(path) } catch { throw .obstacle(error, at: path) }
        let file = path + ".lock"
        let lock = unsafe open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .obstacle(.system(reason: SystemReason.last), at: file) }
        self.lock = lock
        do throws(LocalSocket.Obstacle) {
            guard gatehouse_lock_alone(lock, 0) == 0 else { throw .alive }
            descriptor = try LocalSocket.listen(at: path, mode: 0o600)
            self.file = ListenerFile(at: path)
        } catch {
            close(lock)
            throw .obstacle(error, at: path)
        }
    }

    /// Goes on with the socket of the host before, which has told this one to take its place.
    package init(handedOver descriptor: Int32, path: String) throws(ControlSocketError) {
        self.path = path
        let file = path + ".lock"
        let lock = unsafe open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .obstacle(.system(reason: SystemReason.last), at: file) }
        // The host before has the lock until it has answered its last client; then it goes to this one.
        BackgroundThread.start { while gatehouse_lock_alone(lock, 0) != 0 { usleep(10_000) } }
        self.lock = lock
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        self.descriptor = descriptor
        self.file = ListenerFile(at: path)
    }

    /// Removes the socket unless something else has replaced it, and ends connecting; called once, at a good end.
    package func remove() {
        file?.remove()
        close(lock)
    }
}
