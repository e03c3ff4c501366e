// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseSupport

/// Children that a host ends.
@Suite(.timeLimit(.minutes(10))) struct HostChildTests {
    /// How a child that goes on for ever ended, and whether nothing is left of it then, not even its status.
    ///
    /// - Parameter program: one that takes whatever words it is given.
    private func end(
        _ limits: HostChild.Limits, of program: String = "/usr/bin/yes", stop: Int32? = nil
    ) throws -> (end: ChildEnd, isGone: Bool) {
        let child = try HostChild(program, .probe, request: [], images: [], tracesCalls: false)
        let outcome = child.follow(limits, stop: stop) { _ in true }
        let isGone = kill(child.process, 0) < 0 && errno == ESRCH
        return (outcome.end, isGone)
    }

    @Test func `a child whose time is over has hung, and is gone`() throws {
        let ended = try end(HostChild.Limits(time: .milliseconds(20)))
        #expect(ended.end == .hung(.milliseconds(20)))
        #expect(ended.isGone)
    }

    @Test func `a child that is deaf to the end of its time is gone as well`() throws {
        let folder = try TemporaryFolder()
        let program = try folder.writeProgram("#!/bin/sh\ntrap '' ABRT\nexec sleep 300\n", to: "program")
        let limit = Duration.milliseconds(500)
        let ended = try end(HostChild.Limits(time: limit), of: program)
        #expect(ended.end == .hung(limit))
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

    @Test func `a child whose memory cannot be limited is ended, and the reason is told`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            // Only root raises again what is lowered here.
            var limit = rlimit(rlim_cur: 1 << 60, rlim_max: 1 << 60)
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0,
                geteuid() != 0 || setuid(65_534) == 0
            else { exit(2) }
            do throws(ChildFailure) {
                _ = try HostChild(
                    "/usr/bin/yes", .probe, request: [], images: [], memory: 1 << 61, tracesCalls: false)
            } catch {
                let isGone = waitpid(-1, nil, 0) < 0 && errno == ECHILD
                exit(isGone && error == ChildFailure("prlimit", code: EPERM) ? 7 : 3)
            }
            exit(4)
        }
    }
}
