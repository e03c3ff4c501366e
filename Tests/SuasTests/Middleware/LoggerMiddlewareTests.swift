// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LoggerMiddlewareTests {
    private let trace = Trace()

    /// A store whose logger writes into the trace.
    private func store(_ logger: sending LoggerMiddleware) -> Store {
        Suas.createStore(reducer: Number() + Word(), middleware: logger)
    }

    @Test func `an action is told with its title, the states before and after it, and the time`() {
        let store = store(LoggerMiddleware(debugOnly: false, logger: { trace.add($0) }))
        store.dispatch(action: Add(1))
        let lines = trace.lines.joined().split(separator: "\n")
        #expect(
            lines.dropLast() == [
                "┌ Add", "│ before  Int: 0, word: ", "│ action  +1", "│ after   Int: 1, word: ",
            ])
        #expect(lines.last?.wholeMatch(of: /└ \d+ µs/) != nil)
    }

    @Test func `without a sink of its own it writes to standard error`() {
        let store = Suas.createStore(reducer: Number(), middleware: LoggerMiddleware(debugOnly: false))
        store.dispatch(action: Add(1))
        #expect(store.state.number == 1)
    }

    @Test
    func `title, state and action are told as the transformers say, without the time where it is not wanted`()
    {
        let store = store(
            LoggerMiddleware(
                showDuration: false, debugOnly: false, title: { _ in "an action" },
                state: { "\($0.number)" }, action: { "<\($0)>" }, logger: { trace.add($0) }))
        store.dispatch(action: Add(2))
        #expect(trace.lines == ["┌ an action\n│ before  0\n│ action  <+2>\n│ after   2\n└"])
    }

    @Test func `long lines and line breaks are continued below`() {
        let store = store(
            LoggerMiddleware(
                showDuration: false, lineLength: 16, debugOnly: false, title: { _ in "t" },
                state: { _ in "one\ntwo" }, action: { _ in "abcdefgh" }, logger: { trace.add($0) }))
        store.dispatch(action: Add(2))
        #expect(
            trace.lines == [
                """
                ┌ t
                │ before  one
                │         two
                │ action  abcdef
                │         gh
                │ after   one
                │         two
                └
                """
            ])
    }

    @Test func `only what the predicate lets through is told, and everything passes`() {
        let store = store(
            LoggerMiddleware(
                showDuration: false, debugOnly: false, predicate: { state, _ in state.number > 0 },
                title: { _ in "t" }, logger: { trace.add($0) }))
        store.dispatch(action: Add(1))
        store.dispatch(action: Add(1))
        #expect(store.state.number == 2)
        #expect(trace.lines.count == 1)
    }

    @Test func `a swallowed action is told with the same state twice`() {
        let trace = trace
        let logger = LoggerMiddleware(
            showDuration: false, debugOnly: false, state: { "\($0.number)" }, logger: { trace.add($0) })
        let store = Suas.createStore(
            reducer: Number(), middleware: logger + BlockMiddleware { _, _, _, _ in })
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["┌ Add\n│ before  0\n│ action  +1\n│ after   0\n└"])
    }
}
