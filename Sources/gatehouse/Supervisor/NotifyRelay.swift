// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import GatehouseHost
internal import Glibc

/// Passes what the host tells the service manager on to it, because the manager listens to the supervisor alone.
final class NotifyRelay {
    /// Where the host tells it.
    let descriptor: Int32
    /// What the host finds in `NOTIFY_SOCKET`.
    let name: String
    /// Where the service manager listens.
    private let manager: String

    /// A relay where there is a service manager; nil where there is none, or no socket for it.
    init?() {
        guard let manager = SystemFile.variable("NOTIFY_SOCKET"), !manager.isEmpty else { return nil }
        var name = [CChar](repeating: 0, count: 108)
        let descriptor = unsafe gatehouse_relay_open(&name, name.count)
        guard descriptor >= 0 else { return nil }
        self.manager = manager
        self.descriptor = descriptor
        self.name = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Passes on what a process has told so far.
    func pass(from process: pid_t) {
        var message = [CChar](repeating: 0, count: 4_096)
        while true {
            let count = unsafe gatehouse_relay_take(descriptor, process, &message, message.count)
            if count < 0 { return }
            if count > 0 { _ = unsafe gatehouse_notify(manager, message, 1_000) }
        }
    }

    /// Tells the manager something of the supervisor's own.
    func tell(_ line: String) { _ = unsafe gatehouse_notify(manager, line, 1_000) }
}
