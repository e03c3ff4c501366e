// SPDX-License-Identifier: Apache-2.0

import SeededTesting
import Testing

@testable import GatehouseJournal

/// Numbers that are open, near to one another and as far as a damaged file says.
@Suite(.timeLimit(.minutes(10))) struct OpenNumbersTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a set of numbers keeps what was given and not taken back`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var numbers = OpenNumbers()
        var model: [UInt64: Int64] = [:]
        let bases: [UInt64] = [1, 1_000, 1 << 30, JournalNumbers.limit - 500]
        for step in 1...400 as ClosedRange<Int64> {
            let number =
                bases.randomElement(using: &generator).map {
                    $0 + UInt64.random(in: 0...200, using: &generator)
                } ?? 1
            switch Int.random(in: 0...4, using: &generator) {
            case 0, 1, 2:
                if model[number] == nil {
                    numbers.insert(number, in: step)
                    model[number] = step
                }
            case 3:
                numbers.remove(number)
                model[number] = nil
            default:
                let run = number...number + UInt64.random(in: 0...50, using: &generator)
                numbers.remove(run)
                model = model.filter { !run.contains($0.key) }
            }
            #expect(numbers.contains(number) == (model[number] != nil))
            // A batch counts as open for as long as a number between its lowest and its highest is.
            let oldest = numbers.oldestBatch()
            #expect((oldest == nil) == model.isEmpty)
            if let oldest, let expected = model.values.min() { #expect(oldest <= expected) }
        }
        for number in model.keys { #expect(numbers.contains(number)) }
    }

    @Test func `numbers at both ends of what is possible take no room in between`() {
        var numbers = OpenNumbers()
        numbers.insert(JournalNumbers.limit, in: 1)
        numbers.insert(1, in: 2)
        numbers.insert(JournalNumbers.limit / 2, in: 3)
        #expect(numbers.oldestBatch() == 1)
        numbers.remove(2...JournalNumbers.limit)
        #expect(numbers.contains(1))
        #expect(numbers.oldestBatch() == 2)
        numbers.remove(0...UInt64.max)
        #expect(numbers.oldestBatch() == nil)
    }

    @Test func `a batch whose numbers all lie before those that have bits is closed`() {
        var numbers = OpenNumbers()
        for number in 1...4_096 as ClosedRange<UInt64> { numbers.insert(number, in: 1) }
        for number in 4_097...5_000 as ClosedRange<UInt64> { numbers.insert(number, in: 2) }
        numbers.remove(1...4_500)
        #expect(numbers.oldestBatch() == 2)
        #expect(numbers.contains(4_501))
        #expect(!numbers.contains(4_500))
        numbers.insert(4_096, in: 3)
        #expect(numbers.contains(4_096))
        #expect(numbers.oldestBatch() == 2)
    }

    @Test func `of numbers that one batch has given in any order each keeps it open`() {
        for last in [9, 5, 1] as [UInt64] {
            var numbers = OpenNumbers()
            for number in [5, 9, 1] as [UInt64] { numbers.insert(number, in: 1) }
            numbers.insert(10, in: 2)
            for number in [1, 5, 9] as [UInt64] where number != last { numbers.remove(number) }
            #expect(numbers.oldestBatch() == 1)
            numbers.remove(last)
            #expect(numbers.oldestBatch() == 2)
        }
    }

    /// How many numbers have bits at most.
    private static let most: UInt64 = 1 << 26

    /// The oldest batch of which a number is open, where the first one has given two numbers that were taken back, and the second one
    /// the number after the first of them.
    ///
    /// Only where both have bits, the first batch is open for as long as a number between them is.
    private func oldest(_ first: UInt64, _ other: UInt64) -> Int64? {
        var numbers = OpenNumbers()
        numbers.insert(first, in: 1)
        numbers.insert(other, in: 1)
        numbers.insert(min(first, other) + 1, in: 2)
        numbers.remove(first)
        numbers.remove(other)
        #expect(numbers.contains(min(first, other) + 1))
        #expect(!numbers.contains(first) && !numbers.contains(other))
        return numbers.oldestBatch()
    }

    @Test func `a number has no bit where more than 8 MiB would lie between it and the first`() {
        #expect(oldest(64, 64 + Self.most - 1) == 1)
        #expect(oldest(64, 64 + Self.most) == 2)
    }

    @Test func `a number below all others takes one step, however many bits lie in between`() {
        // The first number has 64 bits, of which it is the first.
        let first = Self.most * 2
        #expect(oldest(first, first + 64 - Self.most) == 1)
        #expect(oldest(first, first + 64 - Self.most - 1) == 2)
        var numbers = OpenNumbers()
        let all = [first, first - 1, first - 64, first - 65, 64 + first - Self.most]
        for number in all {
            numbers.insert(number, in: 1)
            #expect(numbers.contains(number))
            #expect(!numbers.contains(number - 1) && !numbers.contains(number + 2))
        }
        for number in all { numbers.remove(number) }
        #expect(numbers.oldestBatch() == nil)
    }

    @Test(arguments: [false, true])
    func `a number that was far from the others stays open when those to come are near it`(isTrimmed: Bool) {
        var numbers = OpenNumbers()
        let far = 64 + Self.most
        numbers.insert(64, in: 1)
        // So that bits go from the beginning on, or all of them.
        if isTrimmed { numbers.insert(64 * 200, in: 1) }
        numbers.insert(far, in: 2)
        numbers.remove(64)
        #expect(numbers.oldestBatch() == (isTrimmed ? 1 : 2))
        numbers.insert(far + 1, in: 3)
        if isTrimmed { numbers.remove(64 * 200) }
        #expect(numbers.contains(far))
        #expect(numbers.oldestBatch() == 2)
        numbers.remove(far)
        #expect(!numbers.contains(far))
        #expect(numbers.contains(far + 1))
        #expect(numbers.oldestBatch() == 3)
        numbers.remove(far...far + 1)
        #expect(numbers.oldestBatch() == nil)
    }
}
