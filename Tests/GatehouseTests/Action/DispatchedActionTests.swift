// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DispatchedActionTests {
    private let one = DispatchedAction(1, dispatcher: .named("a"))

    @Test func `the place of the call is the source unless given`() {
        let action = DispatchedAction("x"); let line: UInt = #line
        #expect(action.dispatcher.line == line)
        #expect(action.dispatcher.info == nil)
    }

    @Test func `map keeps the source`() {
        #expect(one.map { "\($0)" } == DispatchedAction("1", dispatcher: .named("a")))
    }

    @Test func `compactMap keeps the source or gives nil`() {
        #expect(one.compactMap { $0 + 1 } == DispatchedAction(2, dispatcher: .named("a")))
        #expect(one.compactMap { _ in Int?.none } == nil)
    }

    @Test func `equal means equal action and source`() {
        #expect(one != DispatchedAction(1, dispatcher: .named("b")))
        #expect(one != DispatchedAction(2, dispatcher: .named("a")))
        #expect(Set([one, one]).count == 1)
    }
}
