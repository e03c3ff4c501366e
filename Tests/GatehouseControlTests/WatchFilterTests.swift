// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseControl

/// What passes to a client that watches.
@Suite(.timeLimit(.minutes(10))) struct WatchFilterTests {
    @Test func `a filter without parts lets all actions pass`() {
        let all = WatchFilter()
        #expect(all.hearsActions && all.covers(type: "a") && all.covers(emitter: nil))
        #expect(all.covers(emitter: "i"))
    }

    @Test func `types and instances select actions, and input is no instance`() throws {
        let filter = WatchFilter(
            types: [try #require(TypePattern("a/*")), try #require(TypePattern("b"))], instances: ["i"])
        #expect(filter.covers(type: "a/x") && filter.covers(type: "b") && !filter.covers(type: "c"))
        #expect(filter.covers(emitter: "i") && !filter.covers(emitter: "j") && !filter.covers(emitter: nil))
    }

    @Test func `a filter with places of the state alone lets no action pass`() throws {
        let places = [try JSONPointer("/a")]
        #expect(!WatchFilter(pointers: places).hearsActions)
        #expect(!WatchFilter(pointers: places).covers(type: "a"))
        #expect(WatchFilter(instances: ["i"], pointers: places).hearsActions)
        #expect(WatchFilter(types: [], pointers: places).hearsActions)
        #expect(!WatchFilter(types: [], pointers: places).covers(type: "a"))
    }
}
