// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What `gatehouse ctl` knows of the process that it asks.
@Suite(.timeLimit(.minutes(10))) struct ControlConnectionTests {
    @Test func `a host that has gone on for another one ends in good order when it is told to stop`() throws {
        let host = try UpgradedHost()
        let first = try host.process()
        try host.upgrade()
        // The socket still names the process that made it, which cannot be watched from here on.
        #expect(try host.waitUntilGone(first))
        let stop = try host.ctl("stop")
        #expect(stop.output == "shop has ended\n", "\(stop.errors)")
        #expect(stop.exitCode == 0)
        #expect(try host.child.finish().exitCode == 0)
    }
}
