// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseSupport

/// What is told of the limits of workers.
@Suite(.timeLimit(.minutes(10))) struct WorkerLimitsTests {
    @Test func `a status names the group, or why there is none`() throws {
        let groups = try FakeControlGroups()
        let group = try DelegatedGroup(claimedWith: groups.files, by: 41) { _ in true }
        let limits = WorkerLimits.groups(group)
        #expect(
            limits.value
                == ["limits": "group", "group": "/service", "controllers": ["cpu", "memory", "pids"]])
        #expect(WorkerLimits.words(limits.value) == "limited by control groups below /service")
        let none = WorkerLimits.rlimit("its control group /a is not delegated to it")
        #expect(
            none.value == ["limits": "rlimit", "reason": "its control group /a is not delegated to it"])
        #expect(
            WorkerLimits.words(none.value)
                == "limited by rlimit alone: its control group /a is not delegated to it")
    }

    @Test func `a controller is missing where nothing is delegated, or not that one`() throws {
        let none = WorkerLimits.rlimit("control groups of version 2 are not mounted at /sys/fs/cgroup")
        #expect(
            none.reason(without: "memory") == "control groups of version 2 are not mounted at /sys/fs/cgroup")
        let group = try DelegatedGroup(
            claimedWith: FakeControlGroups(controllers: "memory").files, by: 41
        ) { _ in true }
        #expect(WorkerLimits.groups(group).reason(without: "memory") == nil)
        #expect(
            WorkerLimits.groups(group).reason(without: "cpu")
                == "groups below the control group /service have no cpu controller")
    }

    @Test func `when workers are ended, their groups are gone`() throws {
        let groups = try FakeControlGroups()
        let host = try DelegatedGroup(claimedWith: groups.files, by: 41) { _ in true }
        var worker: ControlGroup? = try host.group(ControlGroup.Limits(memory: nil, cpu: nil, threads: 1))
        #expect(worker != nil && groups.groups(in: "/service") == ["gatehouse.41", "gatehouse.41.1"])
        WorkerLimits.groups(host).finish { worker = nil }
        #expect(groups.groups(in: "/service") == ["gatehouse.41"])
        WorkerLimits.rlimit("").finish { Issue.record("the system ends them with the host") }
    }

    @Test func `what a host would have is told in the same form`() {
        let expected = WorkerLimits.expected
        let told = expected["group"] ?? expected["reason"]
        #expect(expected["limits"] == (expected["group"] == nil ? "rlimit" : "group"))
        #expect(told?.stringValue?.isEmpty == false)
    }
}
