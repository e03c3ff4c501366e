// SPDX-License-Identifier: Apache-2.0

import GatehousePlanTesting
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// Which files code of instances reaches in a process of its own.
@Suite(.timeLimit(.minutes(10))) struct PlannedInstanceAccessTests {
    /// An instance that may read a file.
    private func instance(_ id: String, _ placement: Placement, reading path: String) throws
        -> PlannedInstance
    {
        try PlanExample.instance(
            id, placement: placement, grant: GrantConfiguration(files: ["/srv/\(id)"], read: [path]))
    }

    @Test func `a worker changes what it is granted and its own folder, and reads what it is granted`() throws
    {
        let access = try instance("a", .worker, reading: "/etc/a").access(to: nil, changing: "/data/a")
        #expect(access.changed == ["/data/a", "/srv/a"])
        #expect(access.read?.starts(with: FileAccess.ofPrograms) == true)
        #expect(access.read?.last == "/etc/a")
        #expect(
            try instance("a", .worker, reading: "/etc/a").access(to: "/images/1/a.so").read?.contains(
                "/images/1")
                == true)
    }

    @Test func `a child of several workers reads what all of them may, each place once, and changes nothing`()
        throws
    {
        let instances = try [
            instance("a", .worker, reading: "/etc/a"), instance("b", .worker, reading: "/etc/b"),
            instance("c", .worker, reading: "/etc/a"),
        ]
        let access = FileAccess.reading(for: instances.map { ($0, "/images/1/a.so") }, and: ["/journal"])
        #expect(access.changed == [])
        #expect(access.read?.starts(with: FileAccess.ofPrograms) == true)
        #expect(access.read?.suffix(4) == ["/etc/a", "/etc/b", "/images/1", "/journal"])
    }

    @Test func `one instance of the host lets the child read all, and none at all nothing but what it needs`()
        throws
    {
        let instances = try [
            instance("a", .worker, reading: "/etc/a"), instance("b", .host, reading: "/etc/b"),
        ]
        #expect(FileAccess.reading(for: instances.map { ($0, nil) }).read == nil)
        #expect(FileAccess.reading(for: [], and: ["/journal"]).read?.last == "/journal")
    }
}
