// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// A socket that writers can connect to; they are read once a run reads it.
package final class ListeningSocket: Sendable {
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
        do { try LocalSocket.check(path) } catch { throw ListeningError(error, at: path) }
        // Of two hosts that find the socket of a dead one, only the first replaces it: the other waits here.
        let lock = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw .system(path: folder, reason: SystemReason.last) }
        defer { Glibc.close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .system(path: folder, reason: SystemReason.last) }
        }
        do {
            descriptor = try LocalSocket.listen(at: path, mode: mode)
        } catch {
            throw ListeningError(error, at: path)
        }
        file = ListenerFile(at: path)
        self.name = name
        self.acknowledges = acknowledges
        self.rules = rules
        supervisedPath = nil
    }

    /// Wraps a socket that a supervisor has opened at a path, and that stays when this host ends.
    package init(
        handedOver descriptor: Int32, at path: String, acknowledges: Bool,
        rules: InputConfiguration = InputConfiguration()
    ) {
        self.descriptor = descriptor
        name = SystemFile.parts(of: path).name
        self.acknowledges = acknowledges
        self.rules = rules
        supervisedPath = path
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        file = nil
    }

    /// Wraps a socket that already listens.
    package init(
        handedOver descriptor: Int32, name: String, acknowledges: Bool,
        rules: InputConfiguration = InputConfiguration()
    ) {
        self.descriptor = descriptor
        self.name = name
        self.acknowledges = acknowledges
        self.rules = rules
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        file = nil
        supervisedPath = nil
    }

    /// Removes the socket's file, unless another host has replaced it; nobody can connect any more.
    package func remove() { file?.remove() }

    /// Closes the socket; called once, on the event loop, when nobody waits for it.
    package func close() { Glibc.close(descriptor) }
}

extension ListeningSocket: CustomStringConvertible {
    /// The location, as an operator knows it.
    package var description: String {
        file?.path ?? supervisedPath ?? "the socket \(Quotation.of(name)) that was handed over"
    }
}

/// Why there is no socket to listen on.
package enum ListeningError: Error, Equatable, Sendable {
    /// Another process listens at the path.
    case alive(path: String)
    /// The path holds something other than the socket of a host that has ended.
    case occupied(path: String)
    /// The path exceeds the system's limit.
    case tooLong(path: String, bytes: Int)
    /// No socket was passed, or none of this name; the names of those that were.
    case notHandedOver(name: String?, found: [String])
    /// The system refused; `reason` is its own message.
    case system(path: String, reason: String)

    /// Wraps the obstacle at a path.
    package init(_ obstacle: LocalSocket.Obstacle, at path: String) {
        switch obstacle {
        case .alive: self = .alive(path: path)
        case .occupied: self = .occupied(path: path)
        case .tooLong(let bytes): self = .tooLong(path: path, bytes: bytes)
        case .system(let reason): self = .system(path: path, reason: reason)
        }
    }
}

extension ListeningError: CustomStringConvertible {
    /// One sentence with the place and the remedy.
    package var description: String {
        switch self {
        case .alive(let path):
            "\(path): another process already listens there; end it, or listen at another path"
        case .occupied(let path):
            "\(path): expected nothing or the socket of a host that has ended, found something else; remove it, or listen at another path"
        case .tooLong(let path, let bytes):
            "\(path): expected a path of at most 107 bytes for a socket, found \(bytes); choose a shorter one"
        case .notHandedOver(nil, _):
            "expected sockets in LISTEN_FDS, as systemd hands them over, found none; start the host by its socket unit, or listen at \"unix:PATH\""
        case .notHandedOver(let name?, let found):
            "expected a socket named \(Quotation.of(name)) in LISTEN_FDNAMES, found "
                + (found.isEmpty ? "no socket" : Quotation.list(of: found))
                + "; name it with FileDescriptorName= in the socket unit"
        case .system(let path, let reason):
            "\(path): cannot listen there: \(reason); choose another path"
        }
    }
}
