// SPDX-License-Identifier: Apache-2.0

import ClusterTorture
import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// Partitions of one host, in a file of its own or in its memory.
@Suite(.timeLimit(.minutes(10)))
struct LocalClusterTests {
    @Test func `a host that is killed takes each line once and in order, with the partitions of its file`()
        throws
    {
        let folder = try TemporaryFolder()
        let cluster = ClusterCase(file: folder("partitions.db"))
        let host = try #require(try cluster.start("a").first)
        let kills = unsafe getenv("GATEHOUSE_LOCAL_KILLS").flatMap { unsafe Int(String(cString: $0)) } ?? 5
        try cluster.begin(kills * 600)
        for _ in 0..<kills {
            try cluster.waitForWriter(Int.random(in: 100...400))
            _ = try host.kill()
            try host.startListening()
        }
        try cluster.waitForWriter()
        try cluster.expectAll()
    }

    @Test func `two hosts share the partitions of one file, and one goes on with those of the other`() throws
    {
        let folder = try TemporaryFolder()
        let cluster = ClusterCase(file: folder("partitions.db"))
        let hosts = try cluster.start("a", "b")
        try cluster.begin(2_000)
        try cluster.waitForWriter(500)
        _ = try hosts[0].kill()
        try cluster.scene.waitUntilSettled([hosts[1]])
        try hosts[0].startListening()
        try cluster.waitForWriter()
        try cluster.expectAll()
    }

    /// A host with partitions that is asked by programs.
    private func scene(_ engine: String, _ more: String = "") throws -> Scene {
        try Scene(
            """
            { "name": "a", "discovery": "ignore",
              "cluster": { "engine": "\(engine)", "name": "shop", "partitions": 4, "lease": 1,
                           "key": { "eu/*": "/by" } \(more) },
              "plugins": [{ "id": "eu", "library": "libCounterPlugin.so" }] }
            """, libraries: ["CounterPlugin"])
    }

    /// Lines that count, each by another key.
    private func lines(_ numbers: ClosedRange<Int>) -> String {
        numbers.map {
            "{\"type\":\"eu/increment\",\"payload\":{\"by\":\($0)},\"meta\":{\"id\":\"n\($0)\"}}\n"
        }
        .joined()
    }

    /// What `gatehouse cluster state` says of all partitions together.
    private func sum(_ scene: Scene, partitions: Int) throws -> Int {
        try (0..<partitions).reduce(0) { sum, partition in
            let outcome = try scene.call("cluster", "--json", "state", "\(partition)", "/eu/count")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            return sum + (try JSONText.parse(outcome.output)["state"]?.intValue ?? 0)
        }
    }

    @Test func `a cluster in a file is kept, resized and asked without a host`() throws {
        let scene = try scene("local:partitions.db", #", "split": { "eu": { "sums": "/count" } }"#)
        let run = ["--print", "none", "--input", "-"]
        var outcome = try scene.run(run, input: lines(1...100))
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(try sum(scene, partitions: 4) == 5_050)
        outcome = try scene.call("cluster", "resize", "7")
        #expect(
            outcome.output
                == """
                cluster shop: went from 4 to 7 partitions
                  eu  0 keys divided
                  0 actions waiting

                """)
        let folder = scene.folder
        try folder.write(
            try folder.read("plugins.json").replacing("\"partitions\": 4", with: "\"partitions\": 7"),
            to: "plugins.json")
        // The names went with their keys, so none is taken twice.
        outcome = try scene.run(run, input: lines(1...101))
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(try sum(scene, partitions: 7) == 5_151)
        outcome = try scene.call("cluster", "resize", "4")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        outcome = try scene.run(run)
        #expect(
            outcome.errors.contains(
                "partitions.db has 4 partitions, not 7; write 4 in plugins.json, or change the cluster with gatehouse cluster resize 7"
            ), "\(outcome.errors)")
    }

    @Test(.enabled(if: RedisServer.isInstalled, "redis-server is not installed"))
    func `a cluster goes from a file to a Redis and back, and counts each line once on its way`() throws {
        let redis = try RedisServer()
        let scene = try scene("local:partitions.db")
        let run = ["--print", "none", "--input", "-"]
        let folder = scene.folder
        var outcome = try scene.run(run, input: lines(1...100))
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        for (before, after) in [("local:partitions.db", redis.url), (redis.url, "local:again.db")] {
            let text = try folder.read("plugins.json")
            try folder.write(text, to: "before.json")
            try folder.write(text.replacing(before, with: after), to: "plugins.json")
            outcome = try scene.call("cluster", "import", "before.json", "--dry-run")
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            outcome = try scene.call("cluster", "import", "before.json")
            #expect(
                outcome.output
                    == """
                    cluster shop: went from 4 to 4 partitions
                      eu  stays in its partitions
                      0 actions waiting

                    """, "\(outcome.errors)")
            #expect(
                outcome.errors
                    == "gatehouse: the cluster shop at \(before) is left as it was; start no member with before.json any more\n"
            )
            // Names that were taken before are known here.
            outcome = try scene.run(run, input: lines(1...(after == redis.url ? 101 : 102)))
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            outcome = try scene.call("cluster", "import", "before.json")
            #expect(
                outcome.errors
                    == "gatehouse: there is a cluster shop at \(after) already, and it has processed actions; name the new one otherwise\n"
            )
        }
        #expect(try sum(scene, partitions: 4) == 5_253)
    }

    @Test func `what a host without a cluster has in its journal goes to the partitions of one`() throws {
        let scene = try scene("local:partitions.db", #", "split": { "eu": { "sums": "/count" } }"#)
        let folder = scene.folder
        let text = try folder.read("plugins.json")
        let cluster = try #require(text.firstMatch(of: /"cluster": \{(?s:.)*?\} \},/)).output
        try folder.write(text.replacing(cluster, with: "\"journal\": {},"), to: "before.json")
        let run = ["--print", "none", "--input", "-"]
        var outcome = try scene.run(["--config", "before.json"] + run, input: lines(1...100))
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        outcome = try scene.call("cluster", "import", "before.json", "--dry-run")
        #expect(
            outcome.output.contains("cluster shop: would go from 1 to 4 partitions\n"), "\(outcome.errors)")
        #expect(!FileSystem.exists(folder("partitions.db")))
        outcome = try scene.call("cluster", "import", "before.json")
        #expect(
            outcome.output
                == """
                cluster shop: went from 1 to 4 partitions
                  eu  0 keys divided
                  0 actions waiting

                """, "\(outcome.errors)")
        #expect(
            outcome.errors
                == "gatehouse: the journal at ./journal is left as it was; start no host with before.json any more\n"
        )
        // Names that were taken before are known in all partitions.
        outcome = try scene.run(run, input: lines(1...101))
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(try sum(scene, partitions: 4) == 5_151)
        // A host that was killed has actions after its last snapshot.
        let killed = try scene.start(["--config", "before.json", "--print", "actions", "--input", "-"])
        killed.write(lines(102...102))
        try killed.waitForOutput("eu/increment")
        let history = { try scene.call("history", "--config", "before.json", "--payload").output }
        while try !history().contains("\"by\":102") {}
        killed.signal(SIGKILL)
        _ = try killed.finish()
        try folder.write(text.replacing("partitions.db", with: "others.db"), to: "plugins.json")
        outcome = try scene.call("cluster", "import", "before.json")
        #expect(outcome.exitCode == 65)
        #expect(
            outcome.errors
                == "gatehouse: the journal goes on after its last snapshot; start its host once more, and end it in good order\n"
        )
    }

    @Test func `an effect that a host left begins again in the partition that gets its journal`() throws {
        let configuration = { (store: String) in
            """
            { "name": "post", "discovery": "ignore", \(store),
              "plugins": [{ "id": "courier", "library": "libCourierPlugin.so", "settings": { "street": "one" } }] }
            """
        }
        let cluster = #""cluster": { "engine": "local:partitions.db", "name": "post", "partitions": 1 }"#
        let scene = try Scene(configuration(cluster), libraries: ["CourierPlugin"])
        try scene.folder.write(configuration(#""journal": {}"#), to: "before.json")
        let host = try scene.start(["--config", "before.json", "--print", "actions", "--grace", "0.2"])
        host.write(#"{"type":"courier/send","payload":{"id":"a","parts":1,"way":"finishing"}}"# + "\n")
        try host.waitForOutput(#""attempt":1"#)
        host.signal(SIGTERM)
        let end = try host.finish()
        #expect(end.errors.contains(", 1 effect of courier left to the next run, "), "\(end.errors)")
        let outcome = try scene.call("cluster", "import", "before.json")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let member = try scene.start(["--print", "actions", "--input", "-"])
        try member.waitForOutput(#""attempt":2"#)
        member.write(#"{"type":"courier/arrive","payload":{"id":"a","part":1}}"# + "\n")
        try member.waitForOutput(#""type":"courier/arrived""#)
        member.closeInput()
        let last = try member.finish()
        #expect(last.exitCode == 0, "\(last.errors)")
    }

    @Test func `a cluster in memory runs, keeps nothing, and says whom to ask`() throws {
        let scene = try scene("local")
        for _ in 0..<2 {
            let outcome = try scene.run(
                ["--print", "state", "--input", "-"], input: lines(1...100))
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
        }
        let outcome = try scene.call("cluster", "status")
        #expect(
            outcome.errors
                == """
                gatehouse: cluster shop at local: it is in the memory of its host, which no other process sees; ask the host itself, with gatehouse ctl, or keep it in a file, with "engine": "local:partitions.db"

                """)
    }

    @Test func `a file in a folder that is missing is refused with advice`() throws {
        let outcome = try scene("local:none/p.db").run(
            ["--print", "none", "--input", "-"], input: lines(1...1))
        #expect(outcome.exitCode != 0)
        #expect(
            outcome.errors
                == "gatehouse: the cluster shop at local:none/p.db cannot be joined: ./none/p.db cannot be opened: unable to open database file (No such file or directory); name a file in a folder that exists\n"
        )
    }

    @Test func `a file of something else is not touched`() throws {
        let scene = try scene("local:partitions.db")
        let text = String(repeating: "no database at all\n", count: 100)
        try scene.folder.write(text, to: "partitions.db")
        let outcome = try scene.run(["--print", "none", "--input", "-"], input: lines(1...1))
        #expect(outcome.exitCode != 0)
        #expect(outcome.errors.contains("is damaged, or no database"), "\(outcome.errors)")
        #expect(try scene.folder.read("partitions.db") == text)
    }
}
