// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gatehouse

@Suite(.timeLimit(.minutes(5)))
struct RingTests {
    @Test func `entries come out in the order in which they went in, while the ring goes round and grows`() {
        let ring = Ring<Int>()
        var (added, taken) = (0, 0)
        #expect(ring.popFirst() == nil)
        for round in 0..<200 {
            for _ in 0..<round % 13 {
                ring.append(added)
                added += 1
            }
            for _ in 0..<round % 11 where ring.count > 0 {
                #expect(ring.popFirst() == taken)
                taken += 1
            }
            #expect(ring.count == added - taken)
        }
        while let entry = ring.popFirst() {
            #expect(entry == taken)
            taken += 1
        }
        #expect(taken == added)
    }

    @Test func `what is left in a ring goes with it`() {
        weak var first: Trace?
        weak var last: Trace?
        do {
            let ring = Ring<Trace>()
            for number in 0..<20 {
                let entry = Trace()
                if number == 0 { first = entry }
                if number == 19 { last = entry }
                ring.append(entry)
            }
            #expect(first != nil)
            #expect(last != nil)
            withExtendedLifetime(ring) {}
        }
        #expect(first == nil)
        #expect(last == nil)
    }
}
