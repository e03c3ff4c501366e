// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPPlugin

/// Deliveries that come again.
@Suite(.timeLimit(.minutes(10))) struct DeliveryWindowTests {
    @Test func `as many deliveries are known as the state keeps, and the oldest are forgotten first`() async {
        let window = DeliveryWindow(HTTP.State(delivered: (2...HTTP.mostDeliveries).map { "\($0)" }))
        window.settle("new", body: nil, isDispatched: true)
        #expect(await window.claim("2", body: nil) == .known)
        window.settle("newer", body: nil, isDispatched: true)
        #expect(await window.claim("3", body: nil) == .known)
        #expect(await window.claim("2", body: nil) == .new)
    }

    @Test func `whoever waits for a delivery in another hand has it when that lets go, or is told of it`()
        async
    {
        for isDispatched in [false, true] {
            let window = DeliveryWindow(HTTP.State())
            #expect(await window.claim("a", body: "=") == .new)
            async let sameName = window.claim("a", body: nil)
            async let sameBody = window.claim("b", body: "=")
            window.settle("a", body: "=", isDispatched: isDispatched)
            #expect(await sameName == (isDispatched ? .known : .new))
            #expect(await sameBody == (isDispatched ? .sameBody : .new))
        }
    }

    @Test func `what a state has too many of is known by its last ones, bodies apart from names`() async {
        let names = (0...HTTP.mostDeliveries).map { "\($0)" }
        var state = HTTP.State(delivered: names)
        state.bodies = names.map { "=\($0)" }
        let window = DeliveryWindow(state)
        #expect(await window.claim("1", body: nil) == .known)
        #expect(await window.claim("x", body: "=1") == .sameBody)
        #expect(await window.claim("0", body: "=0") == .new)
        window.settle("0", body: "=0", isDispatched: true)
        #expect(await window.claim("1", body: nil) == .new)
        #expect(await window.claim("0", body: "=1") == .known)
        #expect(await window.claim("y", body: "=0") == .sameBody)
        // What is known already moves nothing.
        window.settle("0", body: nil, isDispatched: true)
        #expect(await window.claim("2", body: nil) == .known)
    }
}
