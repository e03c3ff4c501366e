// SPDX-License-Identifier: Apache-2.0

import ClusterTorture
import GatehouseHostTesting
import GatehouseSDK
import Testing

/// Another process goes on for a member of a cluster.
@Suite(.timeLimit(.minutes(10))) struct UpgradeMemberTests {
    /// Lets another process go on for a member; returns what that tells.
    private func upgrade(_ member: SceneMember) throws -> Value {
        let outcome = try member.call("ctl", "upgrade", "--json")
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
        try cluster.begin(2_000)
        for _ in 0..<3 {
            try cluster.waitForWriter(300)
            #expect(try upgrade(member)["connections"] == 1)
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
