// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// A socket that writers can connect to from here on; they are read when a run reads it.
public final class ListeningSocket: Sendable {
    /// The descriptor of the socket.
    public let descriptor: Int32
    /// What messages call it: the name of its file, or the name under which it was handed over.
    let name: String
    /// Whether writers are told what was done.
    let acknowledges: Bool
    /// What writers may send.
    let rules: InputConfiguration
    /// The file of a socket of one's own; nil for one that was handed over.
    private let file: ListenerFile?
    /// Where a supervisor has opened it; nil for others.
    private let supervisedPath: String?

    /// Listens at a path, and replaces what a host has left there that was killed.
    ///
    /// - Throws: that somebody listens there already, that something else stands there, or the system's reason.
    public init(
        path: String, mode: Int, acknowledges: Bool, rules: InputConfiguration = InputConfiguration()
    ) throws(ListeningError) {
        let (folder, name) = SystemFile.parts(of: path)
        do { try LocalSocket.check(path) } catch { throw ListeningError(error, at: path) }
        // Of two hosts that find the socket of a dead one only the first replaces it: the other one waits here.
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

    /// Takes a socket that a supervisor has opened at a path, and that stays when this host ends.
    init(
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

    /// Takes a socket that listens already.
    init(
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

    /// Removes the socket's file, unless another host has put its own there; nobody can connect any more.
    public func remove() { file?.remove() }

    /// Closes the socket; called once, on the event loop, when nobody waits for it.
    func close() { Glibc.close(descriptor) }
}

extension ListeningSocket: CustomStringConvertible {
    /// Where it is, as an operator knows it.
    public var description: String {
        file?.path ?? supervisedPath ?? "the socket \(Quotation.of(name)) that was handed over"
    }
}

/// Why there is no socket to listen at.
public enum ListeningError: Error, Equatable, Sendable {
    /// Another process listens at the path.
    case alive(path: String)
    /// Something stands there that is no socket of a host that has ended.
    case occupied(path: String)
    /// The path is longer than the system takes.
    case tooLong(path: String, bytes: Int)
    /// No socket was handed over, or none of this name; the names of those that were.
    case notHandedOver(name: String?, found: [String])
    /// The system refused it; `reason` is its own word.
    case system(path: String, reason: String)

    /// What is in the way at a path.
    init(_ obstacle: LocalSocket.Obstacle, at path: String) {
        switch obstacle {
        case .alive: self = .alive(path: path)
        case .occupied: self = .occupied(path: path)
        case .tooLong(let bytes): self = .tooLong(path: path, bytes: bytes)
        case .system(let reason): self = .system(path: path, reason: reason)
        }
    }
}

extension ListeningError: CustomStringConvertible {
    /// One sentence that names the place and what to do.
    public var description: String {
        switch self {
        case .alive(let path):
            "\(path): somebody listens there already; end that host, or listen at another path"
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
