// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// Answers clients for as long as it exists.
package final class ControlEndpoint: Sendable {
    /// Answers the clients; nil where there is no socket.
    private let server: ControlServer?

    /// Starts answering clients; without a server there are none.
    init(_ server: ControlServer?) {
        self.server = server
        if let server { EventLoop.perform { server.start() } }
    }

    deinit {
        if let server { EventLoop.perform { server.end() } }
    }
}
