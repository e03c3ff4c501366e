// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseMember

@Suite(.timeLimit(.minutes(10))) struct ClusterTimeTests {
    @Test func `time is over when it is by both clocks`() {
        let time = ClusterTime(engine: 100, member: 200)
        #expect(time.left(of: 60, at: time) == 60)
        #expect(time.left(of: 60, at: .init(engine: 130, member: 220)) == 40)
        #expect(time.left(of: 60, at: .init(engine: 110, member: 250)) == 50)
        #expect(time.left(of: 60, at: .init(engine: 160, member: 261)) == 0)
        #expect(time.left(of: 60, at: .init(engine: 90, member: 300)) == 70)
        #expect(ClusterTime(7) == ClusterTime(engine: 7, member: 7))
    }

    @Test func `a moment beyond all clocks is none`() {
        let most = 1 << 60
        for moment in [most, -most, 0] {
            #expect(ClusterTime(known: moment, 5) == ClusterTime(engine: moment, member: 5))
            #expect(ClusterTime(known: 5, moment) == ClusterTime(engine: 5, member: moment))
        }
        for moment in [most + 1, -most - 1, .max, .min] {
            #expect(ClusterTime(known: moment, 5) == nil)
            #expect(ClusterTime(known: 5, moment) == nil)
        }
    }
}
