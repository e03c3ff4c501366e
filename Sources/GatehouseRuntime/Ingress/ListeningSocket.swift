// SPDX-License-Identifier: Apache-2.0

private import CLinux
package import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// A socket that writers can connect to; they are read once a run reads it.
package final class ListeningSocket: Sendable, CustomStringConvertible {
    /// The descriptor of the socket.
    package let descriptor: Int32
    /// The name in messages: that of its file, or the one under which it was passed.
    package let name: String
    /// Whether writers receive acknowledgements.
    package let acknowledges: Bool
    /// The rules for writers.
    package let rules: InputConfiguration
    /// The file of this host's own socket; nil for a socket that was passed.
    private let file: ListenerFile?
    /// The path where a supervisor has opened it; nil for others.
    private let supervisedPath: String?

    /// Listens at a path, replacing the socket of a killed host.
    ///
    /// - Throws: that another process listens there, that the path is occupied, or the system's reason.
    package init(
        path: String, mode: Int, acknowledges: Bool, rules: InputConfiguration = InputConfiguration()
    ) throws(ListeningError) {
        let (folder, name) = SystemFile.parts(of: path)
        do { try LocalSocket.check(path) } catch { throw .blocked(path: path, error) }
        // Of two hosts that find the socket of a dead one, only the first replaces it: the other waits here.
        let lock = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock != -1 else { throw .blocked(path: folder, .system(reason: SystemReason.last)) }
        defer { Glibc.close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .blocked(path: folder, .system(reason: SystemReason.last)) }
        }
        do {
            descriptor = try LocalSocket.listen(at: path, mode: mode)
        } catch {
            throw .blocked(path: path, error)
        }
        file = ListenerFile(at: path)
        self.name = name
        self.acknowledges = acknowledges
        self.rules = rules
        supervisedPath = nil
    }

    /// Wraps a socket that already listens.
    ///
    /// - Parameters:
    ///   - path: where a supervisor or the host before has opened it; nil for others.
    ///   - isOwn: whether it belongs to this host by now; otherwise it stays when this host ends.
    package init(
        handedOver descriptor: Int32, name: String, at path: String? = nil, isOwn: Bool = false,
        acknowledges: Bool, rules: InputConfiguration
    ) {
        self.descriptor = descriptor
        self.name = name
        self.acknowledges = acknowledges
        self.rules = rules
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        file = isOwn ? path.flatMap(ListenerFile.init(at:)) : nil
        supervisedPath = path
    }

    /// Whether its file is this host's to remove.
    package var isOwn: Bool { file != nil }

    /// Removes the socket's file, unless another host has replaced it; nobody can connect any more.
    package func remove() { file?.remove() }

    /// Closes the socket; called once, on the event loop, when nobody waits for it.
    package func close() { Glibc.close(descriptor) }

    /// The location, as an operator knows it.
    package var description: String {
        file?.path ?? supervisedPath ?? "the socket \(Quotation.of(name)) that was handed over"
    }
}

/// Why there is no socket to listen on.
package enum ListeningError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nobody can listen at the path.
    case blocked(path: String, LocalSocket.Obstacle)
    /// No socket was passed, or none of this name; the names of those that were.
    case notHandedOver(name: String?, found: [String])

    /// One sentence with the place and the remedy.
    package var description: String {
        switch self {
        case .blocked(let path, .alive):
            "\(path): another process already listens there; end it, or listen at another path"
        case .blocked(let path, .occupied):
            "\(path): expected nothing or the socket of a host that has ended, found something else; remove it, or listen at another path"
        case .blocked(let path, .tooLong(let bytes)):
            "\(path): expected a path of at most 107 bytes for a socket, found \(bytes); choose a shorter one"
        case .notHandedOver(nil, _):
            "expected sockets in LISTEN_FDS, as systemd hands them over, found none; start the host by its socket unit, or listen at \"unix:PATH\""
        case .notHandedOver(let name?, let found):
            "expected a socket named \(Quotation.of(name)) in LISTEN_FDNAMES, found "
                + (found.isEmpty ? "no socket" : Quotation.list(of: found))
                + "; name it with FileDescriptorName= in the socket unit"
        case .blocked(let path, .system(let reason)):
            "\(path): cannot listen there: \(reason); choose another path"
        }
    }
}

/// Unix sockets that listen at a path.
package enum LocalSocket {
    /// Why listening at a path fails.
    package enum Obstacle: Error, Equatable, Sendable {
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
            guard descriptor == -EADDRINUSE else { throw .system(reason: SystemReason.text(of: -descriptor)) }
            switch ListeningAddress.clear(path) {
            case .listener: throw .alive
            // What is no socket is still there the second time.
            case .nobody, .other: continue
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
