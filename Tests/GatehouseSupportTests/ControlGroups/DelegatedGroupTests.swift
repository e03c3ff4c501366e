// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Synchronization
import Testing

@testable import GatehouseSupport

/// How a host gets control groups for its workers, with a folder in the kernel's place.
@Suite(.timeLimit(.minutes(10))) struct DelegatedGroupTests {
    /// Claims the group for the process 41.
    private func claim(_ groups: FakeControlGroups, alive: Set<Int32> = []) throws -> DelegatedGroup {
        try DelegatedGroup(claimedWith: groups.files, by: 41) { alive.contains($0) }
    }

    /// Why it cannot be claimed.
    private func refusal(_ groups: FakeControlGroups) -> String? {
        do {
            _ = try claim(groups)
            return nil
        } catch {
            return (error as? Undelegated)?.reason ?? "\(error)"
        }
    }

    /// Why it would not be, as far as that can be seen without doing it.
    private func objection(_ groups: FakeControlGroups) -> String? {
        do {
            _ = try DelegatedGroup.look(with: groups.files, by: 41)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `the host moves to a leaf of its own, and groups beside it have controllers`() throws {
        let groups = try FakeControlGroups()
        let group = try claim(groups)
        #expect(group.name == "/service")
        #expect(group.controllers == ["cpu", "memory", "pids"])
        #expect(groups.text(in: "/service/gatehouse.41", "cgroup.procs") == "41")
        #expect(groups.text(in: "/service", "cgroup.procs") == "")
        #expect(groups.text(in: "/service", "cgroup.subtree_control") == "cpu memory pids")
    }

    @Test func `a host whose supervisor has moved already stays there`() throws {
        let groups = try FakeControlGroups()
        _ = try claim(groups)
        let group = try DelegatedGroup(claimedWith: groups.files, by: 42) { $0 == 41 }
        #expect(group.name == "/service")
        #expect(groups.groups(in: "/service") == ["gatehouse.41"])
        #expect(groups.own.withLock { $0 } == "/service/gatehouse.41")
        let worker = try group.group(ControlGroup.Limits(memory: nil, cpu: nil, threads: 1))
        #expect(worker.folder.hasSuffix("/service/gatehouse.42.1"))
    }

    @Test func `the group of the whole system may have processes of its own`() throws {
        let groups = try FakeControlGroups(own: "/", processes: "1\n2\n41\n")
        let group = try claim(groups)
        #expect(group.name == "/")
        #expect(groups.groups(in: "") == ["gatehouse.41"])
        let worker = try group.group(ControlGroup.Limits(memory: nil, cpu: nil, threads: 1))
        #expect(worker.folder == groups.folder("gatehouse.41.1"))
    }

    @Test func `memory is enough, and other controllers are taken where they are given`() throws {
        let groups = try FakeControlGroups(controllers: "io memory")
        #expect(try claim(groups).controllers == ["memory"])
    }

    @Test func `it says what is missing, and nothing has changed then`() throws {
        let none = try FakeControlGroups()
        none.own.withLock { $0 = "/elsewhere" }
        #expect(
            refusal(none) == "control groups of version 2 are not mounted at \(none.folder.path)")

        let other = try FakeControlGroups(controllers: "cpu pids")
        #expect(refusal(other) == "its control group /service has no memory controller")

        let foreign = try FakeControlGroups()
        foreign.refused.withLock { $0["/gatehouse.41"] = EACCES }
        #expect(
            refusal(foreign) == "its control group /service is not delegated to it: mkdir: Permission denied")

        let still = try FakeControlGroups()
        still.refused.withLock { $0["/gatehouse.41/cgroup.procs"] = EACCES }
        #expect(
            refusal(still)
                == "its control group /service is not delegated to it: cgroup.procs: Permission denied")

        let shared = try FakeControlGroups(processes: "7\n41\n")
        #expect(refusal(shared) == "its control group /service contains 1 other process (7)")
        let several = try FakeControlGroups(processes: "1\n2\n3\n4\n5\n41\n")
        #expect(refusal(several) == "its control group /service contains 5 other processes (1, 2, 3, 4, 5)")
        let crowd = try FakeControlGroups(processes: "1\n2\n3\n4\n5\n6\n41\n")
        #expect(refusal(crowd) == "its control group /service contains 6 other processes (1, 2, 3, 4, 5, …)")

        for groups in [none, other, foreign, still, shared, several, crowd] {
            #expect(groups.groups(in: "/service") == [])
            #expect(groups.own.withLock { !$0.contains("gatehouse") })
            #expect(groups.text(in: "/service", "cgroup.subtree_control") == "")
        }
    }

    @Test func `a host that cannot pass memory on goes back to where it was`() throws {
        let groups = try FakeControlGroups()
        groups.refused.withLock { $0["/cgroup.subtree_control"] = EBUSY }
        #expect(
            refusal(groups)
                == "the memory controller of its control group /service cannot be passed on: Device or resource busy"
        )
        #expect(groups.text(in: "/service", "cgroup.procs") == "41")
        #expect(groups.groups(in: "/service") == [])
    }

    @Test func `a look finds the same, and changes nothing`() throws {
        let groups = try FakeControlGroups()
        #expect(objection(groups) == nil)
        #expect(groups.text(in: "/service", "cgroup.procs") == "41")
        #expect(groups.groups(in: "/service") == [])
        #expect(
            objection(try FakeControlGroups(controllers: "cpu"))
                == "its control group /service has no memory controller")
        #expect(
            objection(try FakeControlGroups(processes: "7\n41\n"))
                == "its control group /service contains 1 other process (7)")
        groups.isDelegated.store(false, ordering: .relaxed)
        #expect(objection(groups) == "its control group /service is not delegated to it")
    }

    @Test func `what a killed host has left is ended and removed, and what is a living one's stays`() throws {
        let groups = try FakeControlGroups()
        for name in [
            "gatehouse.7", "gatehouse.7.1", "gatehouse.7.2", "gatehouse.8", "gatehouse.8.1", "gatehouse.9",
        ]
            + ["gatehouse.41.5", "gatehouse.x", "gatehouse.7.1.1", "gatehouse"]
        {
            try groups.makeGroup(groups.folder("service/" + name))
        }
        // A worker that is still there, and a host that is about to end.
        try groups.set("cgroup.procs", of: "/service/gatehouse.7.2", to: "71\n")
        try groups.set("cgroup.procs", of: "/service/gatehouse.9", to: "9\n")
        _ = try claim(groups, alive: [8])
        #expect(
            groups.groups(in: "/service") == [
                "gatehouse", "gatehouse.41", "gatehouse.7.1.1", "gatehouse.8", "gatehouse.8.1", "gatehouse.9",
                "gatehouse.x",
            ])
        #expect(groups.text(in: "/service/gatehouse.9", "cgroup.procs") == "9")
    }
}
