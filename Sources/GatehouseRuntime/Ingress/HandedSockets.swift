// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
package import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// The sockets that systemd has passed to this process.
package struct HandedSockets: Sendable {
    /// One socket that the service manager has opened.
    package struct Socket: Sendable {
        /// The name of its unit, or the name that the unit gives it.
        let name: String
        /// The descriptor, open since before the program started.
        let descriptor: Int32
    }

    /// The sockets, in the order they were passed.
    package private(set) var all: [Socket]

    /// The name of sockets that a supervisor has opened at paths.
    package static let supervisorName = "gatehouse-supervisor"

    /// The name of sockets that the host before has opened at paths for writers, and that belong to this one now.
    package static let ownName = "gatehouse-listener"

    /// The name of the socket at which the host before has answered clients, and that belongs to this one now.
    package static let controlName = "gatehouse-control"

    /// Whether a name is that of a socket on which an instance listens.
    private static func isPort(_ name: String) -> Bool { name.hasPrefix(keptPrefix) }

    /// Whether a name is that of a socket which a host may close again, or which belongs to it under another name by now.
    package static func isPassing(_ name: String) -> Bool {
        isPort(name) || [ownName, controlName].contains(name)
    }

    /// The name prefix of sockets on which instances listen, and which are kept over a crash.
    static let keptPrefix = "gatehouse-port-"

    /// The sockets on which instances listened before a crash, by name.
    package var kept: [String: Int32] {
        let kept = all.filter { $0.name.hasPrefix(Self.keptPrefix) }
        return Dictionary(kept.map { ($0.name, $0.descriptor) }) { first, _ in first }
    }

    /// Returns the socket of a socket unit at an address; nil when there is none.
    package func socket(at address: ListeningAddress) -> Int32? {
        all.first { isUnits($0) && ListeningAddress(of: $0.descriptor) == address }?.descriptor
    }

    /// Whether a socket comes from a socket unit of the service manager.
    private func isUnits(_ socket: Socket) -> Bool {
        ![Self.supervisorName, Self.ownName, Self.controlName].contains(socket.name)
            && !Self.isPort(socket.name)
    }

    /// Keeps a socket for the next host as well, replacing others of its name.
    package mutating func keep(_ descriptor: Int32, as name: String) {
        forget(name)
        add(descriptor, as: name)
    }

    /// Adds a socket.
    package mutating func add(_ descriptor: Int32, as name: String) {
        all.append(Socket(name: name, descriptor: descriptor))
    }

    /// Closes the sockets of a name, which must be ones kept over a crash.
    package mutating func forget(_ name: String) {
        guard name.hasPrefix(Self.keptPrefix) else { return }
        for socket in all where socket.name == name { Glibc.close(socket.descriptor) }
        all.removeAll { $0.name == name }
    }

    /// The descriptors and names, for a supervisor that passes them on.
    package var descriptors: [(descriptor: Int32, name: String)] { all.map { ($0.descriptor, $0.name) } }

    /// Returns the socket that a supervisor, or the host before, has opened at a path; nil when neither has.
    package func socket(at path: String, acknowledges: Bool, rules: InputConfiguration) -> ListeningSocket? {
        all.first {
            [Self.supervisorName, Self.ownName].contains($0.name)
                && ListeningAddress(of: $0.descriptor) == .path(path)
        }.map {
            ListeningSocket(
                handedOver: $0.descriptor, name: SystemFile.parts(of: path).name, at: path,
                isOwn: $0.name == Self.ownName, acknowledges: acknowledges, rules: rules)
        }
    }

    /// Returns the socket at a path at which the host before has answered clients; nil when it has not.
    package func controlSocket(at path: String) -> Int32? {
        all.first {
            $0.name == Self.controlName && ListeningAddress(of: $0.descriptor) == .path(path)
        }?.descriptor
    }

    /// The first descriptor after the standard ones.
    private static let first: Int32 = 3

    /// Creates an empty set of sockets.
    package init() { all = [] }

    /// Wraps sockets in the order they were passed.
    private init(_ all: [Socket]) { self.all = all }

    /// Takes the passed sockets, once, before any other thread exists; programs that plugins start find none.
    package static func take() -> HandedSockets {
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { _ = unsafe unsetenv(name) } }
        guard SystemFile.variable("LISTEN_PID").flatMap(Int32.init) == getpid(),
            let count = SystemFile.variable("LISTEN_FDS").flatMap(Int32.init), count > 0, count < 1_024
        else { return HandedSockets() }
        let names = (SystemFile.variable("LISTEN_FDNAMES") ?? "")
            .split(separator: ":", omittingEmptySubsequences: false)
        return HandedSockets(
            (0..<count).compactMap { index in
                let descriptor = first + index
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                guard isListening(descriptor) else { return nil }
                let name = Int(index) < names.count ? String(names[Int(index)]) : ""
                return Socket(name: name.isEmpty ? "systemd" : name, descriptor: descriptor)
            })
    }

    /// Whether a socket accepts connections.
    private static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0
    }

    /// Returns the sockets of a name, or all.
    ///
    /// - Throws: when there is none.
    package func sockets(
        _ name: String?, acknowledges: Bool, rules: InputConfiguration
    ) throws(ListeningError) -> [ListeningSocket] {
        let units = all.filter(isUnits)
        let found = units.filter { $0.name == name || name == nil }
        guard !found.isEmpty else { throw .notHandedOver(name: name, found: units.map(\.name)) }
        return found.map {
            ListeningSocket(
                handedOver: $0.descriptor, name: $0.name, acknowledges: acknowledges, rules: rules)
        }
    }
}
