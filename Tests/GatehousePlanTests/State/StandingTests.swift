// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehousePlan

/// Where a slice stands whose library is in quarantine.
@Suite(.timeLimit(.minutes(10))) struct StandingTests {
    /// One that has missed actions, and whose gate was closed for a while.
    private var standing: Standing {
        var standing = Standing(at: 1_000)
        for sequence in [1_001, 1_004, 1_009] as [UInt64] { standing.miss(sequence) }
        standing.interrupt()
        for sequence in [1_020, 1_021] as [UInt64] { standing.miss(sequence) }
        return standing
    }

    @Test func `missed actions lie in spans, one for each time that the gate was open`() {
        #expect(standing.missed == 5)
        #expect(standing.open == [1_001...1_009, 1_020...1_021])
    }

    @Test func `it goes to the next run and comes back`() throws {
        #expect(Standing(standing.value) == standing)
        #expect(Standing(["at": 7, "missed": 0, "open": []]) == Standing(at: 7))
        #expect(Standing(["at": 7, "missed": 2]) == Standing(at: 7, missed: 2, open: nil))
    }

    @Test(
        arguments: [
            [:], ["at": 1], ["at": -1, "missed": 0], ["at": 1, "missed": 1, "open": 1],
            ["at": 1, "missed": 1, "open": [[2]]], ["at": 1, "missed": 1, "open": [[3, 2]]],
            ["at": 1, "missed": 1, "open": [[]]], ["at": 1, "missed": 1, "open": [[2, 3, 4]]],
            ["at": 1, "missed": 1, "open": [[2, "3"]]], ["missed": 1],
        ] as [Value])
    func `what no host writes is not read`(value: Value) { #expect(Standing(value) == nil) }

    @Test func `it is told in words`() {
        #expect(standing.words(keepsState: true) == "stands at action 1,000, 5 missed")
        #expect(standing.words(keepsState: false) == "5 missed")
    }

    @Test func `a gate that has moved too often leaves only the number`() {
        var standing = Standing(at: 0)
        for sequence in 1...UInt64(Standing.mostSpans) {
            standing.miss(sequence)
            standing.interrupt()
        }
        #expect(standing.open?.count == Standing.mostSpans)
        standing.miss(UInt64(Standing.mostSpans) + 1)
        #expect(standing.open == nil)
        #expect(standing.missed == Standing.mostSpans + 1)
    }
}
