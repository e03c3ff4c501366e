// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct GateStateTests {
    @Test func `true is active, false is bypass`() {
        #expect(GateState(active: true) == .active)
        #expect(GateState(active: false) == .bypass)
    }

    @Test func `the words of the configuration`() {
        #expect(GateState(rawValue: "active") == .active)
        #expect(GateState(rawValue: "bypass") == .bypass)
        #expect(GateState(rawValue: "open") == nil)
        #expect(GateClosing(rawValue: "keep") == .keep)
        #expect(GateClosing(rawValue: "cancel") == .cancel)
    }
}
