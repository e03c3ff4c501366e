// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

@Suite(.timeLimit(.minutes(10))) struct ClusterRollTests {
    @Test func `titles and rolls begin with nobody`() {
        #expect(ClusterRoll.Title() == .init(owner: nil, epoch: 0))
        let roll = ClusterRoll(live: ["a"], titles: [])
        #expect(roll.reload == 0)
        #expect(roll.draining == [])
        let presence = ClusterPresence(name: "a", life: "b")
        #expect((presence.process, presence.started) == (0, 0))
        #expect(ClusterOrigin(source: "a", sequence: 1).epoch == 0)
        #expect(ClusterShape(partitions: 1, resizing: nil, text: "").isOld == false)
    }
}
