// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseHost
internal import GatehouseSupport
internal import Glibc

/// Takes what the host tells whoever starts it again: passes it on to the service manager, which listens to the supervisor alone, and
/// keeps the sockets that the host wants to find after a crash.
final class NotifyRelay {
    /// Where the host tells it.
    let descriptor: Int32
    /// What the host finds in `NOTIFY_SOCKET`.
    let name: String
    /// Where the service manager listens; nil where there is none.
    private let manager: String?

    /// A relay; nil where the system has no socket for it.
    init?() {
        let manager = SystemFile.variable("NOTIFY_SOCKET").flatMap { $0.isEmpty ? nil : $0 }
        var name = [CChar](repeating: 0, count: 108)
        let descriptor = unsafe gatehouse_relay_open(&name, name.count)
        guard descriptor >= 0 else { return nil }
        self.manager = manager
        self.descriptor = descriptor
        self.name = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Passes on what a process has told so far, and keeps what it wants to be kept.
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

    /// Tells the manager something of the supervisor's own.
    func tell(_ line: String) {
        if let manager { _ = unsafe gatehouse_notify(manager, line, -1, 1_000) }
    }
}
