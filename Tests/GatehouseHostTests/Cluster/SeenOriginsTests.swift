// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseSDK
import Testing

@testable import GatehouseHost

struct SeenOriginsTests {
    /// An origin.
    private func origin(_ source: String, _ epoch: Int = 0, _ sequence: UInt64) -> ClusterOrigin {
        ClusterOrigin(source: source, epoch: epoch, sequence: sequence)
    }

    @Test func `an action that was there before is not taken again`() {
        var seen = SeenOrigins()
        #expect(seen.take(origin("shop-1.k3", 1), at: 0) == true)
        #expect(seen.take(origin("shop-1.k3", 2), at: 0) == true)
        #expect(seen.take(origin("shop-1.k3", 2), at: 0) == false)
        #expect(seen.take(origin("shop-1.k3", 1), at: 0) == false)
    }

    @Test func `sources do not know of each other`() {
        var seen = SeenOrigins()
        #expect(seen.take(origin("shop-1.k3", 7), at: 0) == true)
        #expect(seen.take(origin("shop-2.aa", 7), at: 0) == true)
    }

    @Test func `a partition counts anew under a new epoch, and nothing of an old one comes behind`() {
        var seen = SeenOrigins()
        #expect(seen.take(origin("7", 3, 900), at: 0) == true)
        #expect(seen.take(origin("7", 4, 1), at: 0) == true)
        #expect(seen.take(origin("7", 3, 901), at: 0) == false)
    }

    @Test func `a writer that was silent for an hour is forgotten, a partition is not`() {
        var seen = SeenOrigins()
        _ = seen.take(origin("shop-1.k3", 5), at: 100)
        _ = seen.take(origin("7", 2, 5), at: 100)
        seen.forget(at: 3_699)
        #expect(seen.take(origin("shop-1.k3", 5), at: 3_699) == false)
        seen.forget(at: 3_700)
        #expect(seen.take(origin("shop-1.k3", 5), at: 3_700) == true)
        #expect(seen.take(origin("7", 2, 5), at: 3_700) == false)
    }

    @Test func `what is written is read again`() throws {
        var seen = SeenOrigins()
        _ = seen.take(origin("shop-1.k3", 5), at: 100)
        _ = seen.take(origin("7", 2, 6), at: 101)
        #expect(seen.value.json() == #"{"7":[2,6,101],"shop-1.k3":[0,5,100]}"#)
        var again = try #require(SeenOrigins(seen.value))
        #expect(again.newest == 101)
        #expect(again.take(origin("7", 2, 6), at: 102) == false)
        #expect(again.take(origin("7", 2, 7), at: 102) == true)
        #expect(SeenOrigins([1]) == nil)
    }
}

extension SeenOriginsTests {
    /// An origin of a writer.
    private func origin(_ source: String, _ sequence: UInt64) -> ClusterOrigin { origin(source, 0, sequence) }
}
