// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A port of this machine at which every attempt to connect waits for an answer that never comes, until this object ends.
public final class SilentPort: Sendable {
    /// The port.
    public let port: Int
    /// The listener, and the connections that take all the room that it has for clients.
    private let sockets: [Int32]

    /// Listens, and fills the queue, after which the system drops whatever asks for a place in it.
    public init() throws {
        let (listener, port) = try LocalPort.listen()
        self.port = port
        guard Glibc.listen(listener, 0) == 0, let first = try? LocalPort.connect(port) else {
            close(listener)
            throw SystemFailure("listen")
        }
        sockets = [listener, first]
    }

    deinit { for socket in sockets { close(socket) } }
}
