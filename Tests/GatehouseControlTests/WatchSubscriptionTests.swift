// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import GatehouseControl

/// Lines that wait for a client that watches.
@Suite(.timeLimit(.minutes(10))) struct WatchSubscriptionTests {
    /// Counts how often the loop was told.
    private final class Calls: Sendable {
        let count = Atomic(0)
        var now: Int { count.load(ordering: .relaxed) }
    }

    /// A subscription, and how often it has told.
    private func subscription() -> (WatchSubscription, Calls) {
        let calls = Calls()
        return (
            WatchSubscription(WatchFilter()) { calls.count.wrappingAdd(1, ordering: .relaxed) }, calls
        )
    }

    @Test func `the loop is told once until it has taken the lines`() {
        let (subscription, calls) = subscription()
        subscription.add(Array("one".utf8))
        subscription.add(Array("two".utf8))
        #expect(calls.now == 1)
        let taken = subscription.take()
        #expect(String(decoding: taken.lines, as: UTF8.self) == "one\ntwo\n" && !taken.isFull)
        #expect(subscription.take().lines == [])
        subscription.add(Array("three".utf8))
        #expect(calls.now == 2)
        #expect(String(decoding: subscription.take().lines, as: UTF8.self) == "three\n")
    }

    @Test func `a megabyte waits, with the ends of lines, and what finds no room is the end`() {
        let (subscription, calls) = subscription()
        subscription.add([UInt8](repeating: 0x78, count: 1_048_575))
        #expect(!subscription.isFull && calls.now == 1)
        subscription.add([])
        #expect(subscription.isFull && calls.now == 2)
        // Nothing is added or told after what is missing.
        subscription.add([])
        #expect(calls.now == 2)
        let taken = subscription.take()
        #expect(taken.lines.count == 1_048_576 && taken.isFull)
        subscription.add(Array("more".utf8))
        #expect(subscription.take().lines == [])
    }
}
