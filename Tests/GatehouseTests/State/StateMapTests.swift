// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gatehouse

@Suite(.timeLimit(.minutes(5)))
struct StateMapTests {
    @Test func `the getter of a part is made once for a whole, and each whole has its own`() {
        var map = StateMap<Int, String> { "\($0)" }
        let (one, other) = (GetState { 1 }, GetState { 2 })
        let getters = [one, one, other, other, one].map { map($0) }
        #expect(getters.map { $0() } == ["1", "1", "2", "2", "1"])
        let same = zip(getters, getters.dropFirst()).map { $0.reader === $1.reader }
        #expect(same == [true, false, true, false])
    }
}
