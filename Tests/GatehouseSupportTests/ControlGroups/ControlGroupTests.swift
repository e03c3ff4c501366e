// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Synchronization
import Testing

@testable import GatehouseSupport

/// The control group of a worker's process, with a folder in the kernel's place.
@Suite(.timeLimit(.minutes(10))) struct ControlGroupTests {
    /// A host with a group that is delegated to it.
    private let groups: FakeControlGroups
    private let host: DelegatedGroup

    init() throws {
        groups = try FakeControlGroups()
        host = try DelegatedGroup(claimedWith: groups.files, by: 41) { _ in true }
    }

    /// Makes a group.
    private func group(memory: Int? = 64 << 20, cpu: Int? = nil) throws -> ControlGroup {
        try host.group(ControlGroup.Limits(memory: memory, cpu: cpu, threads: 100))
    }

    @Test func `its limits stand in its files, and it is ended as a whole`() throws {
        let group = try group(cpu: 150)
        let text = { groups.text(in: group.folder, $0) }
        #expect(text("memory.max") == "67108864")
        #expect(text("memory.swap.max") == "0")
        #expect(text("memory.oom.group") == "1")
        #expect(text("pids.max") == "100")
        #expect(text("cpu.max") == "150000 100000")
    }

    @Test func `without limits it only measures, and ends as a whole all the same`() throws {
        let group = try group(memory: nil)
        let text = { groups.text(in: group.folder, $0) }
        #expect(text("memory.max") == "max")
        #expect(text("memory.swap.max") == "max")
        #expect(text("memory.oom.group") == "1")
        #expect(text("cpu.max") == "max 100000")
    }

    @Test func `each process has another one, which goes with it and with what is left in it`() throws {
        var first: ControlGroup? = try group()
        let second = try group()
        #expect(groups.groups(in: "/service") == ["gatehouse.41", "gatehouse.41.1", "gatehouse.41.2"])
        try groups.set("cgroup.procs", of: "/service/gatehouse.41.1", to: "77\n")
        #expect(first != nil)
        first = nil
        #expect(groups.groups(in: "/service") == ["gatehouse.41", "gatehouse.41.2"])
        #expect(second.folder == groups.folder("service/gatehouse.41.2"))
    }

    @Test func `one whose limit is refused is not left behind`() throws {
        groups.refused.withLock { $0["/memory.max"] = EINVAL }
        do {
            _ = try group()
            Issue.record("it was made")
        } catch let failure as ChildFailure {
            #expect(
                "\(failure)"
                    == "no child process can be started: \(groups.folder("service"))/gatehouse.41.1/memory.max: Invalid argument"
            )
        }
        #expect(groups.groups(in: "/service") == ["gatehouse.41"])
    }

    @Test func `the kernel's count tells whose limit a process has reached`() throws {
        let group = try group()
        let events = { (text: String) in
            try groups.set("memory.events", of: "/service/gatehouse.41.1", to: text)
            return group.memoryEnd
        }
        #expect(group.memoryEnd == nil)
        #expect(try events("max 9\noom 1\noom_kill 0\n") == nil)
        #expect(try events("max 9\noom 1\noom_kill 1\n") == .outgrown(64 << 20))
        #expect(try events("max 0\noom 0\noom_kill 1\n") == .starved)
    }

    @Test func `where it has no limit, the memory was short elsewhere`() throws {
        let group = try group(memory: nil)
        try groups.set("memory.events", of: "/service/gatehouse.41.1", to: "oom 1\noom_kill 1\n")
        #expect(group.memoryEnd == .starved)
    }

    @Test func `a child enters it before it reads its request`() throws {
        let group = try group()
        // No worker begins with that.
        let child = try HostChild(
            BuiltProducts.program, .work, request: [], images: [], group: group, tracesCalls: false)
        let outcome = child.follow(HostChild.Limits(time: .seconds(300)), stop: nil) { _ in true }
        #expect(outcome.end == .exit(EX_DATAERR))
        #expect(groups.text(in: group.folder, "cgroup.procs") == "0")
    }

    @Test func `a child that cannot enter it does not go on`() throws {
        let group = try group()
        // The descriptor leads to nothing that could be written to.
        let nothing = unsafe open("/dev/full", O_WRONLY)
        dup2(nothing, group.entrance)
        close(nothing)
        let child = try HostChild(
            BuiltProducts.program, .work, request: [], images: [], group: group, tracesCalls: false)
        let outcome = child.follow(HostChild.Limits(time: .seconds(300)), stop: nil) { _ in true }
        #expect(outcome.end == .exit(EX_SOFTWARE))
        #expect(
            outcome.words
                == "gatehouse: no child process can be started: cgroup.procs: No space left on device\n")
    }

    @Test func `what a process uses is what its group counts`() throws {
        let group = try group()
        for (file, text) in [
            ("memory.current", "4096\n"), ("memory.peak", "8192\n"),
            ("cpu.stat", "usage_usec 1500000\nuser_usec 1\n"),
        ] {
            try groups.set(file, of: "/service/gatehouse.41.1", to: text)
        }
        let use = try #require(ProcessUse(of: getpid(), inGroup: group.folder))
        #expect(use.memory == 4_096 && use.peak == 8_192 && use.seconds == 1.5)
    }

    @Test func `where the group tells nothing, the process does`() throws {
        let use = try #require(ProcessUse(of: getpid(), inGroup: group().folder))
        #expect(use.memory > 1 << 20 && use.peak == nil)
    }
}
