// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import GatehouseRuntime

/// Inputs that wait for a reload.
@Suite struct InputHoldTests {
    /// Counts what is told.
    private final class Told: Sendable {
        let count = Mutex(0)
    }

    @Test func `inputs wait from the beginning of a hold to its end, which is told once`() {
        let (hold, told) = (InputHold(), Told())
        hold.onEnd { told.count.withLock { $0 += 1 } }
        #expect(!hold.holds)
        hold.end()
        #expect(told.count.withLock { $0 } == 0)
        hold.begin()
        #expect(hold.holds)
        hold.end()
        #expect(!hold.holds && told.count.withLock { $0 } == 1)
        hold.end()
        #expect(told.count.withLock { $0 } == 1)
    }
}
