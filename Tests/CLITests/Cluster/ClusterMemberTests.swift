// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// What a member does with its instances: where each of them is, when effects begin, and what becomes of them.
@Suite(
    .enabled(if: ClusterCase.canRun, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct ClusterMemberTests {
    /// The member of a configuration that says with whom the host shares the work.
    private func cluster(_ redis: RedisServer, partitions: Int = 4, key: String = "/by") -> String {
        #""cluster": { "engine": "\#(redis.url)", "name": "shop", "partitions": \#(partitions), "lease": 1, "key": { "*": "\#(key)" } }, "#
    }

    @Test func `a member needs a name`() throws {
        let redis = try RedisServer()
        let scene = try Scene(
            #"{ \#(cluster(redis))"plugins": [{ "id": "counter" }] }"#, libraries: ["CounterPlugin"])
        let outcome = try scene.call("run")
        #expect(
            outcome.errors
                == "gatehouse: a member of a cluster needs a name that no other member has; give it by --name, or by \"name\" in plugins.json\n"
        )
        #expect(outcome.exitCode == 64)
    }

    @Test func `a member with a mistake in its configuration does not join`() throws {
        let redis = try RedisServer()
        let scene = try Scene(
            #"{ "name": "a", \#(cluster(redis))"plugins": [{ "id": "counter", "settings": { "stepp": 1 } }] }"#,
            libraries: ["CounterPlugin"])
        let outcome = try scene.call("run")
        #expect(outcome.exitCode == 78)
        #expect(outcome.errors.hasSuffix("unknown key \"stepp\"; did you mean \"step\"?\n"))
        #expect(try redis.call("KEYS", "*") == "")
    }

    @Test(arguments: [
        (
            #"{ "id": "rules" }"#, "RulesPlugin",
            "other plugins and another configuration of its instances"
        ),
        (
            #"{ "id": "counter", "settings": { "step": 2 } }"#, "CounterPlugin",
            "another configuration of its instances"
        ),
        (
            #"{ "id": "counter", "gate": "bypass" }"#, "CounterPlugin",
            "another configuration of its instances"
        ),
        (
            #"{ "id": "counter", "lift": { "input": "eu/" } }"#, "CounterPlugin",
            "another configuration of its instances"
        ),
    ])
    func `a member that differs cannot join members that refuse strangers`(
        entry: String, library: String, words: String
    ) throws {
        let redis = try RedisServer()
        let strict = cluster(redis).replacing(#""lease": 1"#, with: #""lease": 1, "mixedPlugins": "refuse""#)
        let first = try Scene(
            #"{ "name": "a", \#(strict)"plugins": [{ "id": "counter" }] }"#, libraries: ["CounterPlugin"])
        let second = try Scene(
            #"{ "name": "b", \#(strict)"plugins": [\#(entry)] }"#, libraries: [library])
        let member = try ChildProcess(
            BuiltProducts.program, ["run", "--print", "none"], in: first.folder.path,
            environment: first.environment, keeping: first.folder)
        try member.waitForErrors("has 4 of 4 partitions")
        let outcome = try second.call("run")
        #expect(outcome.exitCode == 74)
        #expect(
            outcome.errors
                == "gatehouse: the cluster shop at \(redis.url) cannot be joined: a has \(words), and \"mixedPlugins\" is \"refuse\"; give this member the same libraries and settings, or change those of all by gatehouse ctl cluster reload\n"
        )
        member.signal(SIGTERM)
        #expect(try member.finish().exitCode == 0)
    }

    @Test(arguments: [#""key": { "*": "/other" }"#, #""key": { "*": "/by" }, "deduplicate": 5"#])
    func `a member with other keys cannot join, whatever its plugins`(keys: String) throws {
        let redis = try RedisServer()
        let scenes = try [cluster(redis), cluster(redis).replacing(#""key": { "*": "/by" }"#, with: keys)].map
        {
            try Scene(
                #"{ "name": "\#($0.utf8.count)", \#($0)"plugins": [{ "id": "counter" }] }"#,
                libraries: ["CounterPlugin"])
        }
        let member = try ChildProcess(
            BuiltProducts.program, ["run", "--print", "none", "--name", "a"], in: scenes[0].folder.path,
            environment: scenes[0].environment, keeping: scenes[0].folder)
        try member.waitForErrors("has 4 of 4 partitions")
        let outcome = try scenes[1].call("run", "--name", "b")
        #expect(outcome.exitCode == 74)
        #expect(
            outcome.errors
                == "gatehouse: the cluster shop at \(redis.url) cannot be joined: a has another \"key\" or \"deduplicate\" in \"cluster\"; write the same here, or stop all members to change it\n"
        )
        member.signal(SIGTERM)
        #expect(try member.finish().exitCode == 0)
    }

    @Test func `a run that only reads files ends when all of it is processed`() throws {
        let redis = try RedisServer()
        let scene = try Scene(
            #"{ "name": "a", \#(cluster(redis))"plugins": [{ "id": "counter" }] }"#,
            libraries: ["CounterPlugin"])
        let lines = (1...1_000).map {
            #"{"type":"counter/increment","payload":{"by":\#($0 % 7)},"meta":{"id":"n\#($0)"}}"#
        }
        // A writer that sends everything again.
        let outcome = try scene.run(
            ["--input", "-", "--print", "none"], input: (lines + lines).joined(separator: "\n"))
        #expect(outcome.exitCode == 0)
        #expect(
            outcome.errors.hasSuffix(
                "gatehouse: 2000 lines, 1000 actions, 0 rejected, 2000 put into partitions, 1000 duplicates dropped there\n"
            ), "\(outcome.errors)")
        let last = try scene.run(["--input", "-", "--print", "none"], input: lines[999])
        #expect(
            last.errors.hasSuffix(
                "gatehouse: 1 line, 0 actions, 0 rejected, 1 put into partitions, 1 duplicate dropped there\n"
            ), "\(last.errors)")
    }

    @Test func `what comes in by an instance of scope host goes to the partitions, and it serves once`()
        throws
    {
        let redis = try RedisServer()
        let host = try HTTPHost(HTTPHost.configuration(members: cluster(redis)))
        let changes = try RedisChanges(redis)
        let lines = (1...50).map { #"{"type":"counter/increment","payload":{"by":\#($0)}}"# }
        let answer = try host.bring(lines.joined(separator: "\n"))
        #expect(answer.status == 200)
        #expect(answer.body == "{\"accepted\":50}\n")
        // What a member has accepted is in the partitions, and may still wait there when it ends.
        var counts: [Int] = []
        let end = ContinuousClock.now.advanced(by: .seconds(100))
        repeat {
            try changes.wait(atMost: .seconds(1))
            counts = try (0..<4).map { try state(redis, $0, "counter")["count"]?.intValue ?? 0 }
        } while counts.reduce(0, +) < 1_275 && ContinuousClock.now < end
        let outcome = try host.finish()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(counts.reduce(0, +) == 1_275)
        #expect(counts.filter { $0 > 0 }.count > 1)
    }

    @Test func `an instance of scope cluster is in one partition, and what it emits goes to all`() throws {
        let redis = try RedisServer()
        let scene = try Scene(
            """
            { "name": "a", \(cluster(redis))"discovery": "ignore", "plugins": [
                { "id": "schedule", "settings": { "jobs": { "often": { "every": 1, "emit": "beat" } } } },
                { "id": "beats", "library": "libCounterPlugin.so", "lift": { "input": { "beat": "increment" } } } ] }
            """, libraries: ["CounterPlugin", "SchedulePlugin"])
        let member = try ChildProcess(
            BuiltProducts.program, ["run", "--print", "actions"], in: scene.folder.path,
            environment: scene.environment, keeping: scene.folder)
        _ = try member.waitForOutput {
            $0.split(separator: "\n").filter { $0.contains(#""beat""#) }.count >= 2
        }
        member.signal(SIGTERM)
        let outcome = try member.finish()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let holders = try (0..<4).filter { try slice(redis, $0, "schedule") != nil }
        #expect(holders == [0])
        let beats = outcome.output.split(separator: "\n").filter { $0.contains(#""type":"beat""#) }
        let moments = beats.compactMap { try? JSONText.parse(String($0))["meta"]?["at"] }
        #expect(Set(moments.map { $0.json() }).count == beats.count, "\(outcome.output)")
    }

    @Test
    func
        `an effect begins when its action is in a checkpoint, and begins again when its host dies`()
        throws
    {
        let redis = try RedisServer()
        let arrived = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { _, number in
            arrived.signal()
            return number == 0 ? .silence : .status(200)
        }
        let configuration = { (name: String) in
            """
            { "name": "\(name)", \(self.cluster(redis, key: ""))"discovery": "ignore", "plugins": [
                { "id": "mail", "library": "libHTTPClientPlugin.so", "settings": { "url": "\(server.url("/mail"))" },
                  "lift": { "input": { "order/placed": "send" } } } ] }
            """
        }
        let libraries = ["HTTPClientPlugin"]
        let (first, second) = (
            try Scene(configuration("a"), libraries: libraries),
            try Scene(configuration("b"), libraries: libraries)
        )
        let one = try ChildProcess(
            BuiltProducts.program, ["run", "--print", "none", "--listen", "unix:in.sock?ack"],
            in: first.folder.path, environment: first.environment, keeping: first.folder)
        try one.waitForErrors("has 4 of 4 partitions")
        let writer = try LocalConnection(first.folder("in.sock"))
        try #require(writer.write(#"{"type":"order/placed","payload":{"id":7}}"# + "\n"))
        try #require(arrived.wait(timeout: .now() + 60) == .success)
        // The request is on its way, so the action that has led to it is in a checkpoint with it.
        let running = try (0..<4).compactMap { try hash(redis, $0, "s:effects") }.filter { $0 != "[]" }
        #expect(running.count == 1)
        let key = try #require(server.requests.first?.headers["idempotency-key"])
        #expect(running.first?.contains(key) == true, "\(running) \(key)")
        #expect(key.hasPrefix("shop."))
        one.signal(SIGKILL)
        _ = try one.finish()
        let other = try ChildProcess(
            BuiltProducts.program, ["run", "--print", "actions"], in: second.folder.path,
            environment: second.environment, keeping: second.folder)
        try other.waitForOutput("mail/succeeded")
        other.signal(SIGTERM)
        #expect(try other.finish().exitCode == 0)
        #expect(server.requests.map { $0.headers["idempotency-key"] } == [key, key])
        #expect(try (0..<4).compactMap { try hash(redis, $0, "s:effects") }.allSatisfy { $0 == "[]" })
    }

    @Test func `a run after one of its name was killed ends when what is left for it is processed`() throws {
        let redis = try RedisServer()
        let scene = try Scene(
            #"{ "name": "a", \#(cluster(redis, partitions: 64))"plugins": [{ "id": "counter" }] }"#,
            libraries: ["CounterPlugin"])
        let killed = try ChildProcess(
            BuiltProducts.program, ["run", "--print", "none"], in: scene.folder.path,
            environment: scene.environment, keeping: scene.folder)
        try killed.waitForErrors("has 64 of 64 partitions")
        killed.signal(SIGKILL)
        _ = try killed.finish()
        for partition in 0..<64 {
            try redis.call(
                "XADD", "{gatehouse:shop}:in:\(partition)", "*", "a", #"{"type":"counter/increment"}"#)
        }
        // The engine names this member as the owner of all partitions before it has loaded any of them.
        let outcome = try scene.run(["--input", "-", "--print", "state"], input: "")
        #expect(outcome.exitCode == 0)
        // What there is, is in the partitions.
        #expect(outcome.output == "")
        #expect(
            outcome.errors.hasSuffix("gatehouse: 0 lines, 64 actions, 0 rejected, 0 put into partitions\n"),
            "\(outcome.errors)")
    }

    @Test
    func `work of a plugin in C waits for the checkpoint, and begins again when its host dies`()
        throws
    {
        let redis = try RedisServer()
        let scenes = try ["a", "b"].map { name in
            try Scene(
                """
                { "name": "\(name)", \(cluster(redis, key: ""))"discovery": "ignore", "plugins": [
                    { "id": "probe", "library": "libForeignProbe.so" } ] }
                """, libraries: ["ForeignProbe"])
        }
        // Asked to end, its work is given up after a second.
        let members = scenes.map { scene in
            {
                try ChildProcess(
                    BuiltProducts.program,
                    ["run", "--print", "actions", "--listen", "unix:in.sock?ack", "--grace", "1"],
                    in: scene.folder.path, environment: scene.environment, keeping: scene.folder)
            }
        }
        let line = #"{"type":"probe/keep-running"}"# + "\n"
        let one = try members[0]()
        try one.waitForErrors("has 4 of 4 partitions")
        let writer = try LocalConnection(scenes[0].folder("in.sock"))
        try #require(writer.write(line))
        let key = try key(ofWorkToldBy: one)
        // It runs by now, so the action that has led to it is in a checkpoint with it.
        let running = try (0..<4).compactMap { try hash(redis, $0, "s:effects") }.filter { $0 != "[]" }
        #expect(running.count == 1)
        #expect(running.first?.contains(key) == true, "\(running) \(key)")
        #expect(key.hasPrefix("shop."))
        one.signal(SIGKILL)
        _ = try one.finish()
        let other = try members[1]()
        #expect(try self.key(ofWorkToldBy: other) == key)
        let next = try LocalConnection(scenes[1].folder("in.sock"))
        try #require(next.write(line))
        #expect(try self.key(ofWorkToldBy: other, after: key) != key)
        other.signal(SIGTERM)
        let outcome = try other.finish()
        #expect(
            outcome.errors.contains(
                "cluster: 1 effect of probe had not finished when 1 partition ended here; the next owner begins it again\n"
            ), "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
        // All partitions are given back, also those after the one that took all the time.
        #expect(try redis.call("HEXISTS", "{gatehouse:shop}:members", "b") == "0")
    }

    /// What work was begun under that goes on for ever, once the fixture in C has said that it has.
    ///
    /// - Parameter before: what was begun before; nil for nothing.
    private func key(ofWorkToldBy member: ChildProcess, after before: String? = nil) throws -> String {
        var key: String?
        try member.waitForErrors { said in
            let lines = said.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            key = lines.last { $0.contains("probe: runs as ") }?.split(separator: " ").last.map { String($0) }
            return key != nil && key != before
        }
        return try #require(key)
    }

    @Test
    func `an action that ends its host again and again is skipped, and what is around it is done once`()
        throws
    {
        let redis = try RedisServer()
        let scene = try Scene(
            """
            { "name": "a", \(cluster(redis, partitions: 2, key: "/k"))"discovery": "ignore", "plugins": [
                { "id": "ending" },
                { "id": "n", "library": "libCounterPlugin.so", "lift": { "input": { "n/*": "increment" } } } ] }
            """, libraries: ["CounterPlugin", "EndingPlugin"])
        let lines = ["n/a", "ending/trap", "n/b"].map { #"{"type":"\#($0)","payload":{"k":1}}"# }
        var outcome = try scene.run(
            ["--input", "-", "--print", "none"], input: lines.joined(separator: "\n"))
        var deaths = 0
        while outcome.exitCode != 0 {
            deaths += 1
            // Two ends without a checkpoint between them, three tries of the action by itself, and the first of all.
            try #require(deaths < 10, "\(outcome.errors)")
            outcome = try scene.run(["--input", "-", "--print", "none"], input: "")
        }
        #expect(
            outcome.errors.contains("ending/trap is set aside: it has ended 3 hosts that started with it\n"),
            "\(outcome.errors)")
        // Effects that end when a partition does are not told as interrupted by the next one.
        #expect(try (0..<2).compactMap { try hash(redis, $0, "s:effects") }.allSatisfy { $0 == "[]" })
        let letters = try scene.call("cluster", "dead-letters")
        #expect(letters.output.contains("ending/trap\n    a: it has ended 3 hosts that started with it\n"))
        let counts = try (0..<2).map { try state(redis, $0, "n")["count"]?.intValue ?? 0 }
        #expect(counts.sorted() == [0, 2])
    }

    // MARK: - What the engine has

    /// A field of a partition's checkpoint; nil for none.
    private func hash(_ redis: RedisServer, _ partition: Int, _ field: String) throws -> String? {
        let text = try redis.call("HGET", "{gatehouse:shop}:state:\(partition)", field)
        return text.isEmpty ? nil : text
    }

    /// The slice of an instance in the checkpoint of a partition; nil for none.
    private func slice(_ redis: RedisServer, _ partition: Int, _ instance: String) throws -> Value? {
        try hash(redis, partition, "s:instance:\(instance)").map { try JSONText.parse($0) }
    }

    /// The state of an instance there.
    private func state(_ redis: RedisServer, _ partition: Int, _ instance: String) throws -> Value {
        try slice(redis, partition, instance)?["state"] ?? .null
    }
}
