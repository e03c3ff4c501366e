// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseCluster

/// The user that Documentation/Scaling.md describes: what it may do is enough for all that is done with a cluster, and all of it is
/// needed.
@Suite(
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct RedisRightsTests {
    /// The line of the document, in words.
    private func documented() throws -> [String] {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let text = String(decoding: try FileSystem.read("/\(root)/Documentation/Scaling.md"), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("ACL SETUSER gatehouse ") })
        return line.split(separator: " ").map(String.init)
    }

    /// What `sha256sum` prints for `secret`.
    private static let digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"

    /// A server with that user, and the way of it to the server.
    private func begun() throws -> (server: RedisServer, access: RedisAccess) {
        let server = try RedisServer()
        let words = try documented().map { $0 == "#SHA256" ? "#" + Self.digest : $0 }
        // The program that sends it takes words one by one.
        for word in words.dropFirst(3) { try server.call("ACL", "SETUSER", "gatehouse", word) }
        let path = try server.folder.write("secret\n", to: "redis-password")
        try FileSystem.setMode(0o600, of: path)
        try server.call("CONFIG", "RESETSTAT")
        return (
            server,
            RedisAccess(
                .unix(path: server.socket, user: "gatehouse"),
                password: AccessFile("redis-password", from: server.folder.path))
        )
    }

    @Test func `the document lists what each connection asks for`() throws {
        #expect(try documented().filter { $0.hasPrefix("+") } == RedisRights.commands.map { "+" + $0 })
        #expect(RedisRights.commands == RedisRights.commands.sorted())
    }

    @Test(arguments: RedisScript.allCases)
    func `what scripts call is listed`(script: RedisScript) {
        for call in script.text.matches(of: /call\('([A-Z]+)'/) {
            #expect(RedisRights.commands.contains(call.1.lowercased()), "\(call.1)")
        }
    }

    @Test func `the user of the document may do all that is done with a cluster, and no more`() throws {
        let (server, access) = try begun()
        let cluster = RedisCluster(access, name: "shop", partitions: 2)
        try live(in: cluster)
        // What was confirmed is compared with what a server has that is another run.
        _ = cluster.confirmed.trust("another")
        _ = try cluster.connect()
        try change(by: try RedisMaintainer(access, name: "shop", patience: .seconds(5)))
        #expect(try server.call("ACL", "LOG") == "")
        let statistics = try server.call("INFO", "commandstats")
        for command in RedisRights.commands {
            #expect(statistics.contains("cmdstat_\(command):calls="), "\(command)")
        }
    }

    /// What members do.
    private func live(in cluster: RedisCluster) throws {
        let engine = try cluster.connect()
        let member = ClusterPresence(name: "a", life: "1")
        try engine.join(member)
        _ = try engine.renew(member, for: .seconds(60))
        var batch = ClusterBatch()
        for number in 1...3 as ClosedRange<UInt64> {
            batch.add([1], to: 0, from: ClusterOrigin(source: "in", sequence: number))
            try engine.append(batch)
            batch.removeAll(keepingCapacity: true)
        }
        guard case .granted(let epoch, _, _, _) = try engine.acquire(0, for: "a", after: 0) else {
            throw ClusterFailure.refused("not granted")
        }
        var offsets: [ClusterOffset] = []
        try engine.read([(0, .start)], atMost: 10, waiting: .zero) { offsets.append($1.offset) }
        try #require(offsets.count == 3)
        for _ in 1...2 { _ = try engine.attempt(0, at: offsets[0], of: "a", epoch: epoch) }
        var checkpoint = ClusterCheckpoint(
            partition: 0, member: "a", epoch: epoch, offset: offsets[0], slices: ["x": [1], "y": [2]],
            processed: 1)
        checkpoint.outputs = [
            .init(partition: 1, origin: ClusterOrigin(source: "0", epoch: epoch, sequence: 1), action: [2])
        ]
        checkpoint.dead = [1, 2].map {
            ClusterDeadLetter(
                partition: 0, offset: ClusterOffset(1, $0), origin: nil, action: [3], reason: "", member: "a",
                time: 0)
        }
        #expect(try engine.checkpoint(checkpoint) == nil)
        checkpoint = ClusterCheckpoint(
            partition: 0, member: "a", epoch: epoch, offset: offsets[1], gone: ["y"], processed: 1)
        #expect(try engine.checkpoint(checkpoint) == nil)
        #expect(try engine.survey().partitions[0].lag == 1)
        for isDraining in [true, false] { try engine.drain("a", isDraining) }
        #expect(try engine.takeTurn(for: "a", .seconds(60)))
        try engine.endTurn(of: "a")
        #expect(try engine.requestReload() == 1)
        #expect(try engine.wake(engine.reader()) == false)
        try engine.release(0, of: "a", epoch: epoch)
        try engine.leave(member)
    }

    /// What commands do that change a cluster.
    private func change(by maintainer: RedisMaintainer) throws {
        var batch = ClusterBatch()
        batch.add([4], to: 2, from: ClusterOrigin(source: "resize", sequence: 1))
        let shape = try #require(try maintainer.shape())
        let letters = try maintainer.engine(of: shape).deadLetters(atMost: 10)
        #expect(letters.count == 2)
        #expect(try maintainer.redispatch(letters[0], to: 1, in: shape))
        #expect(try maintainer.remove(letters[1]))
        #expect(try maintainer.beginResize(of: shape, to: 3) == [])
        #expect(try maintainer.checkpoint(of: 0).slices == ["x": [1]])
        try maintainer.write(["x": [1]], to: 2)
        try maintainer.append(batch)
        try maintainer.abandonResize()
        #expect(try maintainer.beginResize(of: try #require(try maintainer.shape()), to: 3) == [])
        try maintainer.write(["x": [1]], to: 2)
        try maintainer.append(batch)
        try maintainer.finishResize(above: 0)
        #expect(try maintainer.shape()?.partitions == 3)
    }
}
