// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseSupport

/// A thread that is woken.
@Suite(.timeLimit(.minutes(10))) struct WakePipeTests {
    @Test func `who is called before waiting for the first time does not wait`() {
        let pipe = WakePipe()
        pipe.wake()
        pipe.wake()
        pipe.wait()
    }

    @Test func `calls before a wait count as one`() {
        let pipe = WakePipe()
        pipe.wake()
        pipe.wait()
        pipe.wake()
        pipe.wake()
        pipe.wait()
        let before = ContinuousClock.now
        pipe.wait(atMost: 20)
        #expect(before.duration(to: .now) >= .milliseconds(15))
    }

    @Test func `calls that were forgotten wake nobody`() {
        let pipe = WakePipe()
        pipe.wake()
        pipe.clear()
        let before = ContinuousClock.now
        pipe.wait(atMost: 20)
        #expect(before.duration(to: .now) >= .milliseconds(15))
    }

    @Test func `a thread that waits is woken`() async throws {
        let pipe = WakePipe()
        let waiting = try TestThread { pipe.wait() }
        pipe.wake()
        try waiting.join()
    }
}
