// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gatehouse

@Suite(.timeLimit(.minutes(5)))
struct ObserverListTests {
    private let registrations = (0..<7).map { _ in ObserverRegistration() }

    /// Adds the observers with these numbers.
    private func add(_ numbers: Range<Int>, to list: inout ObserverList<Int>) {
        for number in numbers {
            list.append(StateObserver(registration: registrations[number], policy: .always, body: { _ in }))
        }
    }

    /// The numbers of the observers in a list, nil for gaps.
    private func numbers(_ list: ObserverList<Int>) -> [Int?] {
        list.places.map { observer in registrations.firstIndex { $0 === observer?.registration } }
    }

    @Test func `an observer that is removed leaves a gap, and more gaps than observers are closed`() {
        var list = ObserverList<Int>()
        add(0..<4, to: &list)
        #expect(list.remove(registrations[1])?.registration === registrations[1])
        #expect(list.remove(registrations[1]) == nil)
        #expect(list.remove(registrations[0]) != nil)
        #expect(numbers(list) == [nil, nil, 2, 3])
        #expect(list.remove(registrations[2]) != nil)
        #expect(numbers(list) == [3])
        // Gaps that were closed count no longer.
        add(4..<7, to: &list)
        #expect(list.remove(registrations[5]) != nil)
        #expect(numbers(list) == [3, 4, nil, 6])
        #expect(list.remove(registrations[3]) != nil)
        #expect(numbers(list) == [nil, 4, nil, 6])
        for number in [4, 6] { #expect(list.remove(registrations[number]) != nil) }
        #expect(list.isEmpty)
    }

    @Test func `a registration has a place as long as its observer is in a list`() {
        var list = ObserverList<Int>()
        #expect(registrations[1].place == nil)
        add(0..<2, to: &list)
        #expect(registrations[1].place == 1)
        #expect(list.remove(registrations[1]) != nil)
        #expect(registrations[1].place == nil)
    }

    @Test func `an observer of another list is not removed`() {
        var (list, other) = (ObserverList<Int>(), ObserverList<Int>())
        add(0..<2, to: &list)
        add(2..<5, to: &other)
        for number in 2..<6 { #expect(list.remove(registrations[number]) == nil) }
        #expect(numbers(list) == [0, 1])
    }

    @Test func `all may be taken out at once`() {
        var list = ObserverList<Int>()
        add(0..<3, to: &list)
        #expect(list.removeAll().count == 3)
        #expect(list.isEmpty)
        add(3..<4, to: &list)
        #expect(numbers(list) == [3])
    }
}
