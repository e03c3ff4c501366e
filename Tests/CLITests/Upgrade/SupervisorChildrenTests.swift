// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What a supervisor does with its children besides the host.
@Suite(.timeLimit(.minutes(10))) struct SupervisorChildrenTests {
    @Test func `nothing is left of a host for which another process has gone on`() throws {
        let host = try UpgradedHost()
        let first = try host.process()
        try host.upgrade()
        #expect(try host.waitUntilGone(first))
        _ = try host.finish()
    }
}
