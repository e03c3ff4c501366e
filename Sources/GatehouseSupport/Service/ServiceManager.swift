// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import Glibc

/// The address where a service manager receives messages.
package struct ServiceManager: Sendable {
    /// An absolute path, or `@` and a name without a file.
    package let address: String

    /// Names the manager's address.
    package init(_ address: String) { self.address = address }

    /// Sends one datagram with a copy of a descriptor, unless that is negative; returns 0, or the system's error below 0. The
    /// corresponding function of libsystemd is `sd_pid_notify_with_fds`.
    ///
    /// - Parameter patience: how many milliseconds the manager has to take it; 0 never waits.
    package func send(_ message: [UInt8], _ descriptor: Int32, patience: Int32) -> Int32 {
        guard address.utf8.count > 1, address.hasPrefix("/") || address.hasPrefix("@") else { return -EINVAL }
        guard let name = LocalAddress(variable: address) else { return -ENAMETOOLONG }
        let sender = LocalAddress.makeSocket(SOCK_DGRAM)
        guard sender >= 0 else { return -errno }
        defer { close(sender) }
        guard name.connect(sender) else { return -errno }
        let result = unsafe gatehouse_send_with(sender, message, message.count, descriptor)
        var room = pollfd(fd: sender, events: Int16(POLLOUT), revents: 0)
        guard result == -EAGAIN, patience > 0, unsafe poll(&room, 1, patience) == 1 else { return result }
        return unsafe gatehouse_send_with(sender, message, message.count, descriptor)
    }
}
