// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LimitPlugin

/// What a measure decides about one action, by the number that is kept for its key.
@Suite struct MeasureTests {
    @Test(arguments: [(1, [1, 1, 1, 1]), (2, [1, 0, 1, 0]), (3, [1, 0, 0, 1])] as [(Double, [Int])])
    func `the first of so many passes, and the number counts from it`(count: Double, passes: [Int]) {
        var known: Double?
        for (place, passes) in passes.enumerated() {
            let number = Double(place + 1).truncatingRemainder(dividingBy: count)
            let answer = Measure.sample(count: count).answer(at: 0, known: known)
            #expect(answer == (passes == 1 ? .pass(number) : .stop(number, wait: nil)))
            known = number
        }
    }

    @Test func `times that differ by a millionth of a second are one`() {
        #expect(Measure.unique(seconds: 10).answer(at: 0, known: 1e-6) == .pass(10))
        #expect(Measure.unique(seconds: 10).answer(at: 0, known: 2e-6) == .stop(nil, wait: 2e-6))
        let rate = Measure.rate(interval: 10, burst: 1)
        #expect(rate.answer(at: 0, known: 5e-7) == .pass(10 + 5e-7))
        guard case .stop(nil, let wait?) = rate.answer(at: 0, known: 5e-6) else {
            Issue.record("it passes")
            return
        }
        #expect(abs(wait - 5e-6) < 1e-9)
    }

    @Test func `a key is known for as long as it says anything`() {
        #expect(Measure.rate(interval: 10, burst: 3).memory == 30)
        #expect(Measure.unique(seconds: 5).memory == 5)
        #expect(Measure.sample(count: 2).memory == nil && Measure.debounce(quiet: 1).memory == nil)
        #expect(Measure.debounce(quiet: 1).holds && !Measure.unique(seconds: 5).holds)
    }
}
