// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseRuntime

/// What came to nothing, added up over stores.
@Suite struct LossesTests {
    @Test func `what was counted in two stores is their sum, and failures are those of each instance`() {
        var sum = Losses(
            droppedOutputs: 1, refusedOutputs: 2, stoppedActions: 3, lateOutputs: 4,
            failures: ["a": 1, "b": 2])
        sum.add(
            Losses(
                droppedOutputs: 10, refusedOutputs: 20, stoppedActions: 30, lateOutputs: 40,
                failures: ["b": 5, "c": 7]))
        #expect(
            sum
                == Losses(
                    droppedOutputs: 11, refusedOutputs: 22, stoppedActions: 33, lateOutputs: 44,
                    failures: ["a": 1, "b": 7, "c": 7]))
    }
}
