// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CombinedMiddlewareTests {
    private let trace = Trace()

    private func probe(_ name: String) -> Probe { Probe(name: name, trace: trace) }

    /// The names of the probes in the order they saw an action.
    private var order: [String] {
        trace.lines.filter { $0.contains("before") }.map { String($0.prefix { $0 != " " }) }
    }

    @Test func `plus runs the left side first`() {
        let store = Suas.createStore(reducer: Number(), middleware: probe("a") + probe("b") + probe("c"))
        store.dispatch(action: Add(1))
        #expect(order == ["a", "b", "c"])
    }

    @Test func `joining two combinations runs each member once`() {
        let store = Suas.createStore(
            reducer: Number(), middleware: (probe("a") + probe("b")) + (probe("c") + probe("d")))
        store.dispatch(action: Add(1))
        #expect(order == ["a", "b", "c", "d"])
    }

    @Test func `plus leaves both operands as they were`() {
        let left = probe("a") + probe("b")
        let right = probe("c") + probe("d")
        let joined = left + right
        #expect(joined.members.compactMap { ($0 as? Probe)?.name } == ["a", "b", "c", "d"])
        #expect(left.members.compactMap { ($0 as? Probe)?.name } == ["a", "b"])
        #expect(right.members.compactMap { ($0 as? Probe)?.name } == ["c", "d"])
    }
}
