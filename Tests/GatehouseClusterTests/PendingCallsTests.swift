// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

@Suite(.timeLimit(.minutes(10))) struct PendingCallsTests {
    @Test func `calls are numbered from 1, and end once`() {
        var calls = PendingCalls()
        #expect(calls.oldest == nil)
        #expect(calls.begin(at: .seconds(3)) == 1)
        #expect(calls.begin(at: .seconds(2)) == 2)
        #expect(calls.begin(at: .seconds(4)) == 3)
        #expect(calls.oldest == .seconds(2))
        #expect(calls.end(2) == .seconds(2))
        #expect(calls.end(2) == nil)
        #expect(calls.end(9) == nil)
        #expect(calls.oldest == .seconds(3))
        #expect(calls.begin(at: .seconds(5)) == 4)
    }

    @Test func `calls made by a time are those made at it or before`() {
        var calls = PendingCalls()
        for second in 1...4 { _ = calls.begin(at: .seconds(second)) }
        #expect(calls.made(by: .seconds(1) - .nanoseconds(1)) == [])
        #expect(calls.made(by: .seconds(1)) == [1])
        #expect(calls.made(by: .seconds(3)).sorted() == [1, 2, 3])
        #expect(calls.made(by: .seconds(9)).sorted() == [1, 2, 3, 4])
    }
}
