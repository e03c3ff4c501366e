// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseHost
internal import GatehouseSupport
internal import Glibc

/// Receives the host's notifications for a service manager: passes them on to the real one, which listens to the supervisor alone,
/// and keeps the sockets that the host wants to find after a crash.
final class NotifyRelay {
    /// The socket that receives them.
    let descriptor: Int32
    /// The value of `NOTIFY_SOCKET` for the host.
    let name: String
    /// The address of the service manager; nil where there is none.
    private let manager: String?

    /// Creates a relay; nil where the system has no socket for it.
    init?() {
        let manager = SystemFile.variable("NOTIFY_SOCKET").flatMap { $0.isEmpty ? nil : $0 }
        var name = [CChar](repeating: 0, count: 108)
        let descriptor = unsafe gatehouse_relay_open(&name, name.count)
        guard descriptor >= 0 else { return nil }
        self.manager = manager
        self.descriptor = descriptor
        self.name = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Passes on the messages of a process so far, and keeps the sockets it stores.
    func pass(from process: pid_t, keeping sockets: inout SupervisedSockets) {
        var message = [CChar](repeating: 0, count: 4_096)
        while true {
            var sent: Int32 = -1
            let count = unsafe gatehouse_relay_take(descriptor, process, &message, message.count, &sent)
            if count < 0 { return }
            guard count > 0 else { continue }
            if let manager { _ = unsafe gatehouse_notify(manager, message, sent, 1_000) }
            let lines = String(decoding: message.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
                .split(separator: "\n")
            sockets.take(lines, sent)
        }
    }

    /// Sends the manager a message of the supervisor itself.
    func tell(_ line: String) {
        if let manager { _ = unsafe gatehouse_notify(manager, line, -1, 1_000) }
    }
}
