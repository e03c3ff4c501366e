// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// A look at an action that somebody else holds.
@Suite(.timeLimit(.minutes(10))) struct UnownedActionTests {
    @Test func `what was shown is seen until it is cleared`() {
        let action = AnyAction("a/b", payload: ["n": 1], error: true)
        var unowned = UnownedAction(action)
        #expect(unowned.type == "a/b")
        #expect(unowned.action?.payload == ["n": 1])
        #expect(unowned.action?.isError == true)
        #expect(unowned.action?.payloadSerial == action.payloadSerial)
        unowned.clear()
        #expect(unowned.type == nil)
        #expect(unowned.action == nil)
        withExtendedLifetime(action) {}
    }

    @Test func `nothing is seen of no action, and an action without a payload has none`() {
        #expect(UnownedAction().type == nil)
        #expect(UnownedAction().action == nil)
        let action = AnyAction("a/b")
        let bare = UnownedAction(action)
        #expect(bare.type == "a/b")
        #expect(bare.action?.type == "a/b")
        #expect(bare.action?.payload == nil)
        #expect(bare.action?.isError == false)
        withExtendedLifetime(action) {}
    }
}
