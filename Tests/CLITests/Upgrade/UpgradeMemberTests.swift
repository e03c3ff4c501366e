// SPDX-License-Identifier: Apache-2.0

import ClusterTorture
import GatehouseHostTesting
import GatehouseSDK
import Testing

/// Another process goes on for a member of a cluster; `GATEHOUSE_UPGRADES` and `GATEHOUSE_OTHER_PROGRAM` are as for `UpgradeTortureTests`.
@Suite(.timeLimit(.minutes(120))) struct UpgradeMemberTests {
    /// Lets another process go on for a member; returns what that tells.
    private func upgrade(_ member: SceneMember, to program: String = BuiltProducts.program) throws -> Value {
        let outcome = try member.call("ctl", "upgrade", "--json", program)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        return try JSONText.parse(outcome.output)
    }

    /// Makes a member that can be upgraded, and starts it.
    private func start(_ name: String, in cluster: ClusterCase) throws -> SceneMember {
        let member = try cluster.scene.member(name)
        try member.startListening("--supervise", "--control")
        return member
    }

    @Test func `a host with partitions in a file takes each line once and in order, over one connection`()
        throws
    {
        let folder = try TemporaryFolder()
        let cluster = ClusterCase(file: folder("partitions.db"))
        let member = try start("a", in: cluster)
        try cluster.scene.waitUntilSettled([member])
        let upgrades = UpgradeTortureTests.number("GATEHOUSE_UPGRADES") ?? 3
        let programs = [UpgradeTortureTests.text("GATEHOUSE_OTHER_PROGRAM"), nil].map {
            $0 ?? BuiltProducts.program
        }
        try cluster.begin(500 * (upgrades + 1))
        for place in 0..<upgrades {
            try cluster.waitForWriter(300)
            #expect(try upgrade(member, to: programs[place % 2])["connections"] == 1)
        }
        try cluster.waitForWriter()
        try cluster.expectAll()
    }

    @Test(.enabled(if: ClusterCase.canRun))
    func `each of two members goes on under its name, and the partitions take each line once and in order`()
        throws
    {
        let cluster = try ClusterCase()
        let members = try ["a", "b"].map { try start($0, in: cluster) }
        try cluster.scene.waitUntilSettled(members)
        try cluster.begin(3_000)
        for member in members + members {
            try cluster.waitForWriter(300)
            _ = try upgrade(member)
        }
        try cluster.scene.waitUntilSettled(members)
        try cluster.waitForWriter()
        try cluster.expectAll()
    }

    @Test(arguments: FailingProgram.allCases)
    func `where a program fails, the member has its partitions, or this program goes on with them`(
        program: FailingProgram
    ) throws {
        let folder = try TemporaryFolder()
        let cluster = ClusterCase(file: folder("partitions.db"))
        let member = try start("a", in: cluster)
        try cluster.scene.waitUntilSettled([member])
        try cluster.begin(600)
        try cluster.waitForWriter(300)
        let outcome = try member.call("ctl", "upgrade", try program.write(into: member.folder))
        #expect(outcome.exitCode == (program == .taking ? 0 : 75), "\(outcome.errors)")
        try cluster.waitForWriter()
        try cluster.expectAll()
        #expect(
            member.ended[0].errors.contains(program.end) == (program == .taking),
            "\(member.ended[0].errors)")
    }

    @Test func `a process that would be another member ends, and the host stays what it is`() throws {
        let folder = try TemporaryFolder()
        let cluster = ClusterCase(file: folder("partitions.db"))
        let member = try start("a", in: cluster)
        try cluster.scene.waitUntilSettled([member])
        let text = try member.folder.read("plugins.json")
        try member.folder.write(
            text.replacing("\"name\": \"a\"", with: "\"name\": \"b\""), to: "plugins.json")
        let outcome = try member.call("ctl", "--name", "a", "upgrade")
        #expect(outcome.exitCode == 75)
        try member.folder.write(text, to: "plugins.json")
        try cluster.write(100)
        try cluster.expectAll()
        let place = "of the cluster \(ClusterScene.name) at local:\(folder("partitions.db"))"
        #expect(
            member.ended[0].errors.contains(
                "gatehouse: the running host is the member a \(place), and the configuration makes this one the member b \(place); stop the host to change that\n"
            ), "\(member.ended[0].errors)")
    }
}
