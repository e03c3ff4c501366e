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
        let manager = SystemFile.variable("NOTIFY_SOCKET").flatMap { $0.isEmpty ? nil : $0 }
        let made = LocalAddress.makeSocket(SOCK_DGRAM)
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard made >= 0, unsafe setsockopt(made, SOL_SOCKET, SO_PASSCRED, &yes, size) == 0,
            LocalAddress().bind(made), let name = LocalAddress.name(of: made)
        else {
            if made >= 0 { close(made) }
            return nil
        }
        self.manager = manager.map(ServiceManager.init)
        self.name = name
        descriptor = made
    }

    /// Passes on the messages of a process so far, and keeps the sockets it stores.
    func pass(from process: pid_t, keeping sockets: inout SupervisedSockets) {
        var message = [CChar](repeating: 0, count: 4_096)
        while true {
            var sent: Int32 = -1
            let count = unsafe gatehouse_relay_take(descriptor, process, &message, message.count, &sent)
            if count < 0 { return }
            guard count > 0 else { continue }
            let bytes = message.prefix(count).map(UInt8.init(bitPattern:))
            _ = manager?.send(bytes, sent, patience: 1_000)
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            sockets.take(lines, sent)
        }
    }

    /// Sends the manager a message of the supervisor itself.
    func tell(_ line: String) { _ = manager?.send(Array(line.utf8), -1, patience: 1_000) }
}
