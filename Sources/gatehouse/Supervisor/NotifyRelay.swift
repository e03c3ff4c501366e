// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
internal import Glibc

/// Receives the host's notifications for a service manager: passes them on to the real one, which listens to the supervisor alone,
/// and keeps the sockets that the host wants to find after a crash.
final class NotifyRelay {
    /// The socket that receives them.
    let descriptor: Int32
    /// The value of `NOTIFY_SOCKET` for the host.
    let name: String
    /// The service manager; nil where there is none.
    private let manager: ServiceManager?

    /// Creates a relay; nil where the system has no socket for it.
    init?() {
        let made = LocalAddress.makeSocket(SOCK_DGRAM)
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard made != -1, unsafe setsockopt(made, SOL_SOCKET, SO_PASSCRED, &yes, size) == 0,
            LocalAddress().bind(made), let name = LocalAddress.name(of: made)
        else {
            if made != -1 { close(made) }
            return nil
        }
        manager = Self.manager
        self.name = name
        descriptor = made
    }

    /// Goes on with the relay of the supervisor before.
    init?(adopting descriptor: Int32) {
        guard let name = LocalAddress.name(of: descriptor) else { return nil }
        manager = Self.manager
        self.name = name
        self.descriptor = descriptor
    }

    /// The service manager of this process; nil where there is none.
    private static var manager: ServiceManager? {
        SystemFile.variable("NOTIFY_SOCKET").flatMap { $0.isEmpty ? nil : ServiceManager($0) }
    }

    /// A process that goes on for the host.
    struct Next {
        /// Its process id.
        let process: pid_t
        /// The file of its flight recorder, the receiver's to close.
        let flightRecorder: Int32
    }

    /// Passes on the messages of a process so far, and keeps the sockets it stores.
    ///
    /// - Returns: the process that goes on for it; nil where none does. The manager watches the supervisor, and is not told.
    func pass(from process: pid_t, keeping sockets: inout SupervisedSockets) -> Next? {
        var next: Next?
        var message = [CChar](repeating: 0, count: 4_096)
        while true {
            var sent: Int32 = -1
            let count = unsafe gatehouse_relay_take(descriptor, process, &message, message.count, &sent)
            if count < 0 { return next }
            guard count > 0 else { continue }
            let bytes = message.prefix(count).map(UInt8.init(bitPattern:))
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            if let line = lines.first(where: { $0.hasPrefix("MAINPID=") }) {
                if sent >= 0, let main = pid_t(line.dropFirst("MAINPID=".count)) {
                    next = Next(process: main, flightRecorder: sent)
                }
                continue
            }
            _ = manager?.send(bytes, sent, patience: 1_000)
            sockets.take(lines, sent)
        }
    }

    /// Sends the manager a message of the supervisor itself.
    func tell(_ line: String) { _ = manager?.send(Array(line.utf8), -1, patience: 1_000) }
}
