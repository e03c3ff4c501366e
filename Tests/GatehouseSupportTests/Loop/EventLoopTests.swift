// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatehouseSupport

@Suite("The event loop", .timeLimit(.minutes(10)))
struct EventLoopTests {
    /// The two ends of a pipe.
    private func ends() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        _ = unsafe pipe(&ends)
        return (ends[0], ends[1])
    }

    @Test func `runs what one thread brings in the order in which it came`() async {
        let (numbers, more) = AsyncStream.makeStream(of: Int.self)
        for number in 0..<1_000 { EventLoop.perform { more.yield(number) } }
        EventLoop.perform { more.finish() }
        var seen: [Int] = []
        for await number in numbers { seen.append(number) }
        #expect(seen == Array(0..<1_000))
    }

    @Test func `tells that a descriptor is ready as long as it is`() async throws {
        let pipe = ends()
        defer { for end in [pipe.read, pipe.write] { close(end) } }
        let (events, more) = AsyncStream.makeStream(of: EventLoop.Readiness.self)
        let watch = try await EventLoop.run { () throws(SystemFailure) in
            try DescriptorWatch(pipe.read, for: .readable) { more.yield($0) }
        }
        _ = unsafe write(pipe.write, "x", 1)
        var seen = events.makeAsyncIterator()
        #expect(await seen.next() == .readable)
        #expect(await seen.next() == .readable)
        await watch.cancel()
    }

    @Test func `tells once what is waited for once, and again after it is rearmed`() async throws {
        let pipe = ends()
        defer { for end in [pipe.read, pipe.write] { close(end) } }
        let (events, more) = AsyncStream.makeStream(of: EventLoop.Readiness.self)
        let watch = try await EventLoop.run { () throws(SystemFailure) in
            try DescriptorWatch(pipe.read, for: [.readable, .once]) { more.yield($0) }
        }
        _ = unsafe write(pipe.write, "x", 1)
        var seen = events.makeAsyncIterator()
        #expect(await seen.next() == .readable)
        // Had the first event not been the last, it would have come before this.
        await EventLoop.run { _ = LoopTimer(after: .milliseconds(20)) { more.yield([]) } }
        #expect(await seen.next() == [])
        watch.rearm()
        #expect(await seen.next() == .readable)
        await watch.cancel()
    }

    @Test func `tells that the other side has gone`() async throws {
        let pipe = ends()
        defer { close(pipe.read) }
        let (events, more) = AsyncStream.makeStream(of: EventLoop.Readiness.self)
        let watch = try await EventLoop.run { () throws(SystemFailure) in
            try DescriptorWatch(pipe.read, for: [.readable, .once]) { more.yield($0) }
        }
        close(pipe.write)
        var seen = events.makeAsyncIterator()
        #expect(await seen.next() == .hungUp)
        await watch.cancel()
    }

    @Test func `a watch that has ended tells nothing of a descriptor that is ready`() async throws {
        let (ready, other) = (ends(), ends())
        defer { for end in [ready.read, ready.write, other.read, other.write] { close(end) } }
        let (events, more) = AsyncStream.makeStream(of: String.self)
        let watch = try await EventLoop.run { () throws(SystemFailure) in
            try DescriptorWatch(ready.read, for: .readable) { _ in more.yield("ended") }
        }
        _ = unsafe write(ready.write, "x", 1)
        var seen = events.makeAsyncIterator()
        #expect(await seen.next() == "ended")
        await EventLoop.run {
            watch.cancel()
            more.yield("cancelled")
        }
        while await seen.next() != "cancelled" {}
        // Both descriptors are ready in each of these turns of the loop.
        let next = try await EventLoop.run { () throws(SystemFailure) in
            try DescriptorWatch(other.read, for: .readable) { _ in more.yield("other") }
        }
        _ = unsafe write(other.write, "x", 1)
        for _ in 0..<3 { #expect(await seen.next() == "other") }
        await next.cancel()
    }

    @Test func `a watch waits for another readiness from when that is changed`() async throws {
        let pipe = ends()
        defer { for end in [pipe.read, pipe.write] { close(end) } }
        let (events, more) = AsyncStream.makeStream(of: EventLoop.Readiness.self)
        let watch = try await EventLoop.run { () throws(SystemFailure) in
            try DescriptorWatch(pipe.write, for: .readable) { more.yield($0) }
        }
        await watch.change(to: .writable)
        var seen = events.makeAsyncIterator()
        #expect(await seen.next() == .writable)
        await watch.cancel()
    }

    @Test func `refuses a regular file, which is always ready`() async {
        let file = unsafe open("/proc/self/exe", O_RDONLY)
        defer { close(file) }
        await #expect(throws: SystemFailure(code: EPERM)) {
            try await EventLoop.run { () throws(SystemFailure) in
                _ = try DescriptorWatch(file, for: .readable) { _ in }
            }
        }
    }

    @Test func `rings in the order of the moments, and not for a timer that was cancelled`() async {
        let (rings, more) = AsyncStream.makeStream(of: String.self)
        await EventLoop.run {
            _ = LoopTimer(after: .milliseconds(30)) {
                more.yield("late")
                more.finish()
            }
            let cancelled = LoopTimer(after: .milliseconds(20)) { more.yield("cancelled") }
            _ = LoopTimer(after: .milliseconds(10)) { more.yield("early") }
            cancelled.cancel()
        }
        var seen: [String] = []
        for await ring in rings { seen.append(ring) }
        #expect(seen == ["early", "late"])
    }

    @Test func `a job that comes just before the loop would wait is done nevertheless`() async {
        for _ in 0..<2_000 {
            await EventLoop.run {}
            await Task.detached { await EventLoop.run {} }.value
        }
    }

    @Test func `goes on after a wait on a task of another thread`() async {
        let number = await EventLoop.run { 1 }
        let detached = await Task.detached { await EventLoop.run { number + 1 } }.value
        #expect(detached == 2)
    }
}
