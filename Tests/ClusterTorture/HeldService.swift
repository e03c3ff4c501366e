// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
package import GatehouseHostTesting

/// A service that takes requests and answers none of them until it is released, and then each at once.
package final class HeldService: Sendable {
    /// The server, which has all requests.
    package let server: ScriptedServer
    /// Passed by each answer, and closed again until the release.
    private let gate: DispatchSemaphore

    /// Creates a service that answers nothing yet.
    package init() throws {
        let gate = DispatchSemaphore(value: 0)
        self.gate = gate
        server = try ScriptedServer { _, _ in
            gate.wait()
            gate.signal()
            return .status(200)
        }
    }

    deinit { gate.signal() }

    /// Answers all requests so far, and all later ones.
    package func release() { gate.signal() }
}
