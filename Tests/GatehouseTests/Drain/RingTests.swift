// SPDX-License-Identifier: Apache-2.0

import CAllocations
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

    @Test func `a ring doubles when it is full and not before, and keeps its entries in order`() {
        let ring = Ring<Int>()
        #expect(ring.capacity == 16)
        #expect((ring.head, ring.count) == (0, 0))
        // The entries begin in the middle, so that they wrap around.
        for number in 0..<10 { ring.append(number) }
        for number in 0..<10 { #expect(ring.takeFirst() == number) }
        #expect(ring.head == 10)
        for number in 0..<16 { ring.append(number) }
        #expect(ring.capacity == 16)
        ring.append(16)
        #expect(ring.capacity == 32)
        #expect((ring.head, ring.count) == (0, 17))
        for number in 0...16 { #expect(ring.popFirst() == number) }
        #expect(ring.popFirst() == nil)
        #expect(ring.count == 0)
    }

    @Test func `a ring gives its memory back, also what it had before it grew`() async {
        let ended = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            guard allocations_are_counted() else { return }
            let before = bytes_in_use()
            for _ in 0..<100 {
                let ring = Ring<Int>()
                for number in 0..<4_096 { ring.append(number) }
            }
            let after = bytes_in_use()
            if after > before + 64 * 1024 { print("the heap grew from \(before) to \(after) bytes") }
        }
        #expect(String(decoding: ended?.standardOutputContent ?? [], as: UTF8.self) == "")
    }
}
