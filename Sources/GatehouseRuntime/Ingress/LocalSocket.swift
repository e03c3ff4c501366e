// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Unix sockets that listen at a path.
package enum LocalSocket {
    /// Why listening at a path fails.
    package enum Obstacle: Error, Equatable {
        /// Another process listens at the path.
        case alive
        /// The path holds something other than the socket of a process that has ended.
        case occupied
        /// The path has this many bytes, more than the system's limit.
        case tooLong(bytes: Int)
        /// The system refused; `reason` is its own message.
        case system(reason: String)
    }

    /// Refuses a path that exceeds the system's limit.
    package static func check(_ path: String) throws(Obstacle) {
        let bytes = path.utf8.count
        guard bytes <= LocalAddress.mostBytes else { throw .tooLong(bytes: bytes) }
    }

    /// Listens at a path, replacing the socket of a killed process.
    ///
    /// The caller ensures that nobody else replaces it at the same time.
    ///
    /// - Returns: the descriptor, which does not block and is the caller's to close.
    package static func listen(at path: String, mode: Int) throws(Obstacle) -> Int32 {
        for _ in 0..<2 {
            let descriptor = open(path, mode_t(mode))
            if descriptor >= 0 { return descriptor }
            guard descriptor == -EADDRINUSE else {
                throw .system(reason: SystemReason.text(of: -descriptor))
            }
            switch ListeningAddress.clear(path) {
            case .nobody: continue
            case .listener: throw .alive
            case .other: throw .occupied
            }
        }
        throw .occupied
    }

    /// Listens at a path where nothing exists, with these permissions from the first moment; returns the descriptor, or the
    /// system's error below 0.
    private static func open(_ path: String, _ mode: mode_t) -> Int32 {
        guard let address = LocalAddress(path) else { return -ENAMETOOLONG }
        let made = LocalAddress.makeSocket(SOCK_STREAM)
        guard made >= 0 else { return -errno }
        // The socket's own mode becomes that of its file, less the umask of the process, so nobody else gets in before the
        // chmod.
        let isBound = fchmod(made, mode) == 0 && address.bind(made)
        if isBound, unsafe chmod(path, mode) == 0, Glibc.listen(made, SOMAXCONN) == 0 {
            gatehouse_own(made)
            return made
        }
        let reason = errno
        if isBound { _ = unsafe unlink(path) }
        close(made)
        return -reason
    }
}
