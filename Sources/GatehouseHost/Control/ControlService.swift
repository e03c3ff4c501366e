// SPDX-License-Identifier: Apache-2.0

/// Keeps clients answered as long as it is there.
public final class ControlService: Sendable {
    /// Answers them.
    private let server: ControlServer

    /// Begins to answer.
    init(_ server: ControlServer) {
        self.server = server
        EventLoop.perform { server.start() }
    }

    deinit {
        EventLoop.perform { [server] in server.end() }
    }
}
