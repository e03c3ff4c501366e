// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import GatehouseMember

@Suite(.timeLimit(.minutes(10))) struct PartitionUrgencyTests {
    @Test func `what waits is told once, until a checkpoint is prepared`() {
        let told = Mutex(0)
        let urgency = PartitionUrgency { told.withLock { $0 += 1 } }
        #expect(!urgency.isRaised)
        for round in 1...2 {
            for _ in 0..<3 { urgency.raise() }
            #expect(urgency.isRaised)
            #expect(told.withLock { $0 } == round)
            urgency.lower()
            #expect(!urgency.isRaised)
        }
    }
}
