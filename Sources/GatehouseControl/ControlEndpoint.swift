// SPDX-License-Identifier: Apache-2.0

private import Dispatch
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

    /// Accepts nobody any more when this returns; those that are connected stay. Not on the event loop.
    package func stopAccepting() {
        guard let server else { return }
        let done = DispatchSemaphore(value: 0)
        EventLoop.perform {
            server.stopAccepting()
            done.signal()
        }
        done.wait()
    }

    /// Accepts clients again.
    package func accept() {
        if let server { EventLoop.perform { server.start() } }
    }

    /// Waits until all requests are answered, a limited time; not on the event loop.
    package func finish(within limit: Duration) {
        guard let server else { return }
        let end = ContinuousClock.now + limit
        let idle = DispatchSemaphore(value: 0)
        repeat {
            EventLoop.perform { if server.isIdle { idle.signal() } }
        } while idle.wait(timeout: .now() + .milliseconds(10)) == .timedOut && ContinuousClock.now < end
    }

    deinit {
        if let server { EventLoop.perform { server.end() } }
    }
}
