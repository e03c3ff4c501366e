// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatehouseSupport

/// Children that a host ends.
@Suite(.timeLimit(.minutes(10))) struct HostChildTests {
    /// How a child that writes for ever ended, and whether nothing is left of it then, not even its status.
    private func end(
        _ limits: HostChild.Limits, stop: Int32? = nil
    ) throws -> (end: ChildEnd, isGone: Bool) {
        // It takes whatever words it is given.
        let child = try HostChild("/usr/bin/yes", .probe, request: [], images: [], tracesCalls: false)
        let outcome = child.follow(limits, stop: stop) { _ in true }
        let isGone = kill(child.process, 0) < 0 && errno == ESRCH
        return (outcome.end, isGone)
    }

    @Test func `a child whose time is over has hung, and is gone`() throws {
        let ended = try end(HostChild.Limits(time: .milliseconds(20)))
        #expect(ended.end == .hung(.milliseconds(20)))
        #expect(ended.isGone)
    }

    @Test func `a child that takes more memory than it may is ended, and gone`() throws {
        let ended = try end(HostChild.Limits(time: .seconds(300), memory: 1))
        #expect(ended.end == .grown(1))
        #expect(ended.isGone)
    }

    @Test func `a child ends when that is asked for, and is gone`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var byte: UInt8 = 0
        #expect(unsafe write(ends[1], &byte, 1) == 1)
        let ended = try end(HostChild.Limits(time: .seconds(300)), stop: ends[0])
        #expect(ended.end == .stopped)
        #expect(ended.isGone)
    }

    @Test func `a child that the host has started itself is no orphan, until it has ended`() throws {
        let child = try HostChild("/usr/bin/yes", .probe, request: [], images: [], tracesCalls: false)
        #expect(!Orphans.all.contains(child.process))
        #expect(SystemFile.processStatus(child.process).dropFirst().first == "\(getpid())")
        let process = child.process
        Orphans.ended(process)
        #expect(Orphans.all.contains(process))
        _ = child.follow(HostChild.Limits(time: .milliseconds(1)), stop: nil) { _ in true }
        #expect(!Orphans.all.contains(process))
    }

    @Test func `a program that is not there has no child`() {
        #expect(throws: ChildFailure.self) {
            try HostChild("/no/such/program", .probe, request: [], images: [], tracesCalls: false)
        }
    }
}
