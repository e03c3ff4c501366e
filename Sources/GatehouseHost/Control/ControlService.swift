// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// Keeps clients answered as long as it is there.
public final class ControlService: Sendable {
    /// Answers them; nil where there is no socket.
    private let server: ControlServer?

    /// Begins to answer clients; without a server there are none.
    init(_ server: ControlServer?) {
        self.server = server
        if let server { EventLoop.perform { server.start() } }
    }

    deinit {
        if let server { EventLoop.perform { server.end() } }
    }
}
