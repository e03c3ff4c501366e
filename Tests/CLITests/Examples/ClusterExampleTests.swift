// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseHostTesting
import Glibc
import Testing

/// The example of two hosts that share the work, with its own files.
@Suite(
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct ClusterExampleTests {
    /// The folder of the example, with the libraries where it looks for them now.
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        _ = try folder.makeFolder("plugins")
        for name in ["Limit", "Counter", "Logger"] {
            try folder.copyLibrary(name + "Plugin", as: "plugins/lib\(name)Plugin.so")
        }
        for name in ["plugins.json", "redis.conf", "orders.ndjson"] {
            let text = try GuidePage.text("Examples/cluster/" + name)
            try folder.write(text.replacing("../../.build/plugins", with: "plugins"), to: name)
        }
    }

    /// What programs find in their environment.
    private var environment: [String: String] {
        ["CACHE_DIRECTORY": folder("cache"), "XDG_RUNTIME_DIR": folder.path]
    }

    /// Starts a member that listens at `NAME.sock`.
    private func start(_ name: String) throws -> ChildProcess {
        let member = try ChildProcess(
            BuiltProducts.program, ["run", "--name", name, "--listen", "unix:\(name).sock?ack"],
            in: folder.path, environment: environment, keeping: folder)
        try member.waitForErrors("listening at \(name).sock\n")
        return member
    }

    /// Sends lines to a member, and expects that it acknowledges them.
    private func send(_ lines: String, to name: String) throws {
        let connection = try LocalConnection(folder(name + ".sock"))
        connection.write(lines)
        let count = lines.split(separator: "\n").count
        #expect(connection.readLine() == "{\"ok\":\(count)}")
        connection.close()
    }

    @Test func `the files of the example do what its README says`() throws {
        let redis = try ChildProcess(
            RedisPrograms.server, ["redis.conf"], in: folder.path, keeping: folder)
        try redis.waitForOutput(RedisPrograms.readiness)
        let members = ["host-a": try start("host-a"), "host-b": try start("host-b")]
        let (first, second) = (try #require(members["host-a"]), try #require(members["host-b"]))
        // Who has what follows from the names.
        try first.waitForErrors("cluster: has 9 of 16 partitions, 2 members\n")
        try second.waitForErrors("cluster: has 7 of 16 partitions, 2 members\n")
        let orders = try GuidePage.text("Examples/cluster/orders.ndjson")
        try send(orders, to: "host-a")
        for (client, order) in [("ann", 1), ("bob", 2), ("ann", 3), ("gus", 5), ("lea", 6)] {
            let partition = PartitionHash.partition(of: client, in: 16)
            let owner = try #require(Rendezvous.owners(of: 16, among: members.keys)[partition])
            try #require(members[owner]).waitForErrors("{\"client\":\"\(client)\",\"order\":\(order)}")
        }
        try send(orders, to: "host-b")
        // Its successor would log what is in no checkpoint once more.
        while try !status().output.contains(", 0 actions behind") {}
        first.signal(SIGKILL)
        let killed = try first.finish()
        try second.waitForErrors("cluster: has 16 of 16 partitions, 1 member\n")
        // Both had their two orders of a minute before; the third one ends the wait.
        let more = [("ann", 7), ("gus", 8)].map { client, order in
            #"{"type":"shop/order","payload":{"client":"\#(client)","order":\#(order)}}"# + "\n"
        }.joined()
        try send(more, to: "host-b")
        try second.waitForErrors("\"order\":8}")
        let status = try status()
        #expect(status.output.hasPrefix("cluster shop: 1 live member, 16 partitions, "), "\(status.output)")
        second.signal(SIGTERM)
        let ended = try second.finish()
        #expect(ended.exitCode == 0, "\(ended.errors)")
        let said = killed.errors + ended.errors
        for order in 1...8 {
            // What the limit stops is not seen by the logger, which comes after it.
            let wanted = [4, 7].contains(order) ? 0 : 1
            #expect(said.split(separator: "\"order\":\(order)}").count - 1 == wanted, "\(order): \(said)")
        }
        let refused = try resize()
        #expect(refused.exitCode == 65)
        #expect(
            refused.errors.split(separator: "\n").map { $0.prefix { $0 != ";" } } == [
                "gatehouse: limit: no rule says which part of its state belongs to which key",
                "gatehouse: orders: no rule says which part of its state belongs to which key",
            ])
        let resized = try resize("--discard", "limit", "--discard", "orders")
        #expect(resized.exitCode == 0, "\(resized.errors)")
        #expect(
            resized.output == """
                cluster shop: went from 16 to 24 partitions
                  limit   starts from scratch
                  orders  starts from scratch
                  0 actions waiting

                """)
        redis.signal(SIGTERM)
        _ = try redis.finish()
    }

    /// Looks at the cluster.
    private func status() throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: ["cluster", "status"], in: folder.path, environment: environment)
    }

    /// Divides everything among 24 partitions.
    private func resize(_ options: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: ["cluster", "resize", "24"] + options, in: folder.path, environment: environment)
    }
}
