// SPDX-License-Identifier: Apache-2.0

import GatehouseReload
import Testing

/// How long a supervisor waits.
@Suite(.timeLimit(.minutes(10))) struct RestartPauseTests {
    @Test func `each pause is twice as long as the one before, up to a minute`() {
        var pause = RestartPause(first: 1)
        let pauses = (0..<9).map { _ in pause.after(running: .seconds(1)) }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test func `a host that has run for ten minutes begins again with the first pause`() {
        var pause = RestartPause(first: 3)
        #expect(pause.after(running: .seconds(1)) == 3)
        #expect(pause.after(running: .seconds(599)) == 6)
        #expect(pause.after(running: .seconds(600)) == 3)
        #expect(pause.after(running: .seconds(1)) == 6)
    }

    @Test func `no pause stays no pause`() {
        var pause = RestartPause(first: 0)
        #expect((0..<3).map { _ in pause.after(running: .zero) } == [0, 0, 0])
    }

    @Test func `a first pause of more than a minute is kept, and the next is a minute`() {
        var pause = RestartPause(first: 100)
        #expect(pause.after(running: .zero) == 100)
        #expect(pause.after(running: .zero) == 60)
        #expect(pause.after(running: .seconds(600)) == 100)
        #expect(RestartPause.longest == 60)
        #expect(RestartPause.patience == .seconds(600))
    }
}
