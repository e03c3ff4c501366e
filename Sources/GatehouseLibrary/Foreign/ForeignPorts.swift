// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The ports of this process by the numbers of their instances; no number is used twice.
enum ForeignPorts {
    /// The state that the lock guards.
    private struct Content {
        /// The ports of existing instances.
        var ports: [UInt64: ForeignPort] = [:]
        /// The number assigned last.
        var last: UInt64 = 0
    }

    /// The ports of all instances in this process, guarded by the lock.
    private static let content = Mutex(Content())

    /// Creates a port with a new number.
    static func add(_ make: (UInt64) -> ForeignPort) -> ForeignPort {
        let number = content.withLock { content in
            content.last += 1
            return content.last
        }
        let port = make(number)
        content.withLock { $0.ports[number] = port }
        return port
    }

    /// The port of an instance; nil when it is gone or never was.
    static func port(_ number: UInt64) -> ForeignPort? { content.withLock { $0.ports[number] } }

    /// Forgets the port of an instance that is gone.
    static func remove(_ port: ForeignPort) {
        _ = content.withLock { $0.ports.removeValue(forKey: port.number) }
        port.close()
    }
}
