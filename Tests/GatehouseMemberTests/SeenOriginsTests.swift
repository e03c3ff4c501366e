// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseSDK
import Testing

@testable import GatehouseMember

@Suite(.timeLimit(.minutes(10)))
struct SeenOriginsTests {
    /// An origin.
    private func origin(_ source: String, _ epoch: Int = 0, _ sequence: UInt64) -> ClusterOrigin {
        ClusterOrigin(source: source, epoch: epoch, sequence: sequence)
    }

    @Test func `an action that was there before is not taken again`() {
        var seen = SeenOrigins()
        #expect(seen.take(origin("shop-1.k3", 1), at: .init(0)) == true)
        #expect(seen.take(origin("shop-1.k3", 2), at: .init(0)) == true)
        #expect(seen.take(origin("shop-1.k3", 2), at: .init(0)) == false)
        #expect(seen.take(origin("shop-1.k3", 1), at: .init(0)) == false)
    }

    @Test func `sources do not know of each other`() {
        var seen = SeenOrigins()
        #expect(seen.take(origin("shop-1.k3", 7), at: .init(0)) == true)
        #expect(seen.take(origin("shop-2.aa", 7), at: .init(0)) == true)
    }

    @Test func `a partition counts anew under a new epoch, and nothing of an old one comes after`() {
        var seen = SeenOrigins()
        #expect(seen.take(origin("7", 3, 900), at: .init(0)) == true)
        #expect(seen.take(origin("7", 4, 1), at: .init(0)) == true)
        #expect(seen.take(origin("7", 3, 901), at: .init(0)) == false)
    }

    @Test func `a writer that was silent for an hour is forgotten, a partition is not`() {
        var seen = SeenOrigins()
        _ = seen.take(origin("shop-1.k3", 5), at: .init(100))
        _ = seen.take(origin("7", 2, 5), at: .init(100))
        seen.forget(at: .init(3_699))
        #expect(seen.take(origin("shop-1.k3", 5), at: .init(3_699)) == false)
        seen.forget(at: .init(3_700))
        #expect(seen.take(origin("shop-1.k3", 5), at: .init(3_700)) == true)
        #expect(seen.take(origin("7", 2, 5), at: .init(3_700)) == false)
    }

    @Test func `a writer is forgotten when an hour is over by both clocks`() {
        var seen = SeenOrigins()
        _ = seen.take(origin("shop-1.k3", 5), at: ClusterTime(engine: 100, member: 200))
        for now in [ClusterTime(engine: 9_000, member: 3_799), ClusterTime(engine: 3_699, member: 9_000)] {
            seen.forget(at: now)
            #expect(seen.take(origin("shop-1.k3", 5), at: now) == false)
        }
        seen.forget(at: ClusterTime(engine: 3_700, member: 3_800))
        #expect(seen.take(origin("shop-1.k3", 5), at: .init(3_800)) == true)
    }

    @Test func `what is written is read again`() throws {
        var seen = SeenOrigins()
        _ = seen.take(origin("shop-1.k3", 5), at: .init(100))
        _ = seen.take(origin("7", 2, 6), at: .init(101))
        #expect(seen.value.json() == #"{"7":[2,6,101,101],"shop-1.k3":[0,5,100,100]}"#)
        var again = try #require(SeenOrigins(seen.value))
        #expect(again.newest == 101)
        #expect(again.take(origin("7", 2, 6), at: .init(102)) == false)
        #expect(again.take(origin("7", 2, 7), at: .init(102)) == true)
        #expect(SeenOrigins([1]) == nil)
        #expect(SeenOrigins(["7": [2, 6]]) == nil)
        // As it was noted by one clock.
        let first = try #require(SeenOrigins(["7": [2, 6, 101]]))
        #expect(first.value == ["7": [2, 6, 101, 101]])
    }
}

extension SeenOriginsTests {
    /// An origin of a writer.
    private func origin(_ source: String, _ sequence: UInt64) -> ClusterOrigin { origin(source, 0, sequence) }

    @Test func `a source is kept while a second of the hour is left`() {
        #expect(SeenOrigins().newest == 0)
        var seen = SeenOrigins()
        _ = seen.take(origin("a.k", 5), at: .init(0))
        #expect(seen.newest == 0)
        seen.forget(at: .init(3_599))
        #expect(seen.take(origin("a.k", 5), at: .init(3_599)) == false)
        #expect(seen.value == ["a.k": [0, 5, 0, 0]])
        seen.forget(at: .init(3_600))
        #expect(seen.value == [:])
    }

    @Test func `a record is read by its places, and one of another length is none`() throws {
        let seen = try #require(SeenOrigins(["7": [2, 6, 101, 102], "8": [3, 9, 50, 60]]))
        #expect(seen.value == ["7": [2, 6, 101, 102], "8": [3, 9, 50, 60]])
        #expect(seen.newest == 101)
        for wrong in [
            [1, 2, 3, 4, 5], [1, 2], [], ["1", 2, 3, 4], [1, -2, 3, 4], [1, 2, "3", 4], [1, 2, 3, "4"],
            [1, 2, 3, 1_152_921_504_606_846_977],
        ] as [Value] { #expect(SeenOrigins(["7": wrong]) == nil) }
        #expect(SeenOrigins(nil) == nil)
        #expect(SeenOrigins(["7": 1]) == nil)
    }
}
