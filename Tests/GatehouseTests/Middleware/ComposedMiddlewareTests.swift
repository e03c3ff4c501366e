// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ComposedMiddlewareTests {
    typealias Composition = ComposedMiddleware<Int, Int, Int>
    typealias Identity = IdentityMiddleware<Int, Int, Int>

    private let trace = Trace()

    /// A middleware that writes itself down.
    private func probe(_ name: String) -> Probe { Probe(name: name, trace: trace) }

    /// The order in which a composition handles and answers one action.
    private func order(_ composition: Composition) -> [String] {
        let before = trace.lines.count
        composition.handle(action: 1, from: .named("x"), state: GetState { 0 }).run { _ in }
        return trace.lines.dropFirst(before).map { String($0.prefix(4)) }
    }

    @Test func `joining never mutates an operand and never runs a member twice`() {
        let left = probe("a") <> probe("b")
        let right = probe("c") <> probe("d")
        let both = left <> right
        var appended = left
        appended.append(middleware: right)
        #expect(both.members.count == 4)
        #expect(appended.members.count == 4)
        #expect(left.members.count == 2)
        #expect(right.members.count == 2)
        let all = ["a ha", "b ha", "c ha", "d ha", "d io", "c io", "b io", "a io"]
        #expect(order(both) == all)
        #expect(order(appended) == all)
        #expect(order(left) == ["a ha", "b ha", "b io", "a io"])
        #expect(order(right) == ["c ha", "d ha", "d io", "c io"])
    }

    @Test func `identities add nothing, bare or erased`() {
        #expect((Identity() <> Identity()).members.isEmpty)
        #expect((Identity().eraseToAnyMiddleware() <> probe("a")).members.count == 1)
        #expect((probe("a") <> Composition.identity.eraseToAnyMiddleware()).members.count == 1)
    }

    @Test func `compositions are spliced, bare or erased`() {
        let pair = probe("a") <> probe("b")
        #expect((pair.eraseToAnyMiddleware() <> pair).members.count == 4)
        #expect((pair.eraseToAnyMiddleware().eraseToAnyMiddleware() <> probe("c")).members.count == 3)
    }

    @Test func `the same member twice is run twice, each with its own answer`() {
        let one = probe("a")
        #expect(order(one <> one) == ["a ha", "a ha", "a io", "a io"])
    }

    @Test func `a composition used in two places of a chain answers in both`() {
        let pair = (probe("a") <> probe("b"))
        let first = pair.lift(inputAction: { (action: Int) in action })
        let second = pair.lift(inputAction: { (action: Int) in action })
        #expect(
            order(first <> second) == ["a ha", "b ha", "a ha", "b ha", "b io", "a io", "b io", "a io"])
    }

    @Test func `an answer kept while the next action is handled stays as it is`() {
        let composition = probe("a") <> probe("b")
        let state = GetState { 0 }
        let first = composition.handle(action: 1, from: .named("x"), state: state)
        let second = composition.handle(action: 2, from: .named("x"), state: state)
        first.run { _ in }
        second.run { _ in }
        first.run { _ in }
        #expect(
            trace.lines.filter { $0.contains("io") }
                == [1, 2, 1].flatMap { ["b io \($0) (0)", "a io \($0) (0)"] })
    }

    @Test func `gates and cancellations reach every member`() {
        let composition = probe("a") <> probe("b")
        composition.gateChanged(to: .bypass)
        composition.cancelEffects()
        #expect(trace.lines == ["a gate bypass", "b gate bypass", "a cancelled", "b cancelled"])
    }
}
