// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

@Suite(.timeLimit(.minutes(10))) struct ClusterFailureTests {
    private static let all: [ClusterFailure] = [
        .missing("r"), .lost("r"), .excessive("r"), .denied("r"), .refused("r"), .full("r"), .superseded("r"),
        .goneBack("r"),
    ]

    @Test func `what may pass and what ends the connection are told apart`() {
        #expect(Self.all.map(\.mayPass) == [false, true, true, true, false, true, false, false])
        #expect(Self.all.map(\.endsConnection) == [true, true, true, true, false, false, false, true])
    }

    @Test func `each is the rest of a sentence`() {
        #expect(
            Self.all.map(\.description) == [
                "the library of the engine cannot be loaded: r", "the engine cannot be reached: r",
                "the engine cannot be reached: r", "r", "r", "the engine is full: r",
                "another process has joined under this member's name: r; give each member a name of its own",
                "r",
            ])
    }
}
