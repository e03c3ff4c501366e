// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseSupport

/// A thread that is woken.
@Suite(.timeLimit(.minutes(10))) struct WakePipeTests {
    @Test func `whoever is called before waiting for the first time does not wait`() {
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

    @Test func `what is done before a call is done when it wakes`() {
        let pipe = WakePipe()
        let descriptor = pipe.descriptor
        func isReadable() -> Bool {
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&watched, 1, 0) == 1
        }
        var wasReadable: Bool?
        pipe.wake { wasReadable = isReadable() }
        #expect(wasReadable == false)
        #expect(isReadable())
    }

    @Test func `a thread that waits is woken`() async throws {
        let pipe = WakePipe()
        let waiting = try TestThread { pipe.wait() }
        pipe.wake()
        try waiting.join()
    }

    @Test func `a descriptor that becomes readable ends a wait`() {
        let pipe = WakePipe()
        let other = WakePipe()
        let descriptor = other.descriptor
        other.wake()
        pipe.wait(or: descriptor)
        pipe.wake()
        pipe.wait(or: descriptor)
        other.clear()
        let before = ContinuousClock.now
        pipe.wait(or: descriptor, atMost: 20)
        #expect(before.duration(to: .now) >= .milliseconds(15))
    }

    @Test(arguments: [(O_WRONLY, POLLERR), (O_RDONLY, POLLHUP)])
    func `a pipe that is gone has closed its ends`(mode: Int32, hangup: Int32) throws {
        var pipe: WakePipe? = WakePipe()
        // Another end of the same pipe hears when the last one on the other side is closed.
        let end = unsafe open("/proc/self/fd/\(try #require(pipe).descriptor)", mode | O_CLOEXEC | O_NONBLOCK)
        try #require(end >= 0)
        defer { close(end) }
        pipe = nil
        var watched = pollfd(fd: end, events: 0, revents: 0)
        #expect(unsafe poll(&watched, 1, 60_000) == 1)
        #expect(Int32(watched.revents) == hangup)
    }
}
