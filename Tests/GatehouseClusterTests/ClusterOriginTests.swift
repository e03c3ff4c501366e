// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

/// What names an action of a writer, and a place in a partition.
@Suite(.timeLimit(.minutes(10))) struct ClusterOriginTests {
    @Test(arguments: [
        ClusterOrigin(source: "7", epoch: 12, sequence: 3), .init(source: "host-a.k3f9", sequence: .max),
        .init(source: "a:b:", epoch: .max, sequence: 0), .init(source: "größe", sequence: 1),
    ])
    func `an origin is read as it was written`(origin: ClusterOrigin) {
        #expect(ClusterOrigin(origin.description) == origin)
    }

    @Test(arguments: [
        "", "7", "7:1", ":1:2", "7::2", "7:1:", "7:1:-2", "7:-1:2", "7:1:2 ", "7:x:2",
        "7:9223372036854775808:1", "7:1:18446744073709551616", "7:1:000000000000000000001",
    ])
    func `anything else is no origin`(text: String) {
        #expect(ClusterOrigin(text) == nil)
    }

    @Test func `a writer is read as an origin before its first action`() {
        let origin = unsafe Array("a:b:12".utf8).withUnsafeBytes { unsafe ClusterOrigin(writer: $0) }
        #expect(origin == ClusterOrigin(source: "a:b", epoch: 12, sequence: 0))
    }

    @Test func `offsets are compared number by number`() {
        #expect(ClusterOffset("12-3") == ClusterOffset(12, 3))
        #expect(ClusterOffset("12-3.17") == ClusterOffset(12, 3, place: 17))
        let others = [
            "", "12", "12-", "-3", "a-3", "12-3-4", "12-3.", "12-3.0", "12-3.65535", "12-3.x", "12.3-4",
            "12-.1",
            "12-3.4.5",
        ]
        #expect(others.allSatisfy { ClusterOffset($0) == nil })
        #expect(ClusterOffset(9, 9, place: 2) < ClusterOffset(9, 9, place: 10))
        #expect(ClusterOffset(9, 9, place: 65_534) < ClusterOffset(9, 9))
        #expect(ClusterOffset(9, 9) < ClusterOffset(9, 10, place: 1))
        #expect(ClusterOffset(9, 9, place: 2).description == "9-9.2")
        #expect(ClusterOffset(9, 99) < ClusterOffset(10, 0))
        #expect(ClusterOffset(10, 9) < ClusterOffset(10, 10))
        #expect(ClusterOffset.start.description == "0-0")
    }
}
