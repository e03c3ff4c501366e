// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// What operators see of a cluster, and do to it, through any of its members.
@Suite(
    .enabled(if: RedisServer.isInstalled, "there is no Redis; Scripts/install-packages installs one"),
    .timeLimit(.minutes(10)))
struct ClusterControlTests {
    @Test func `each member tells of all members and partitions, and what it has done itself`() throws {
        let cluster = try OperatedCluster()
        try cluster.join("b")
        try cluster.wait(for: "a", toSay: "of 8 partitions, 2 members")
        try cluster.wait(for: "b", toSay: "of 8 partitions, 2 members")
        let survey = try cluster.answer("b", "cluster")
        let members = try #require(survey["members"]?.arrayValue)
        #expect(members.map { $0["name"] } == ["a", "b"])
        for member in members {
            #expect(member["live"] == true)
            #expect(member["draining"] == false)
            #expect(member["plugins"] == members[0]["plugins"])
            #expect(try #require(member["lease"]?.doubleValue) > 0)
        }
        #expect(members.reduce(0) { $0 + ($1["partitions"]?.intValue ?? 0) } == 8)
        let partitions = try #require(survey["partitions"]?.arrayValue)
        #expect(partitions.map { $0["number"]?.intValue } == Array(0..<8))
        for partition in partitions {
            #expect(["a", "b"].contains(partition["owner"]))
            #expect(partition["lag"] == 0)
            #expect(partition["waiting"] == .null)
        }
        let account = try #require(survey["account"])
        #expect(account["member"] == "b")
        #expect(account["owned"] == members[1]["partitions"])
        #expect(try cluster.answer("a", "cluster")["account"]?["handOvers"] == members[1]["partitions"])
        let text = try cluster.ctl("a", "cluster").output
        #expect(
            text.hasPrefix("cluster shop: 2 live members, 8 partitions, 0 actions behind\n\nNAME  IS"),
            "\(text)")
        #expect(
            text.contains(
                " fenced\n0 effects under way, 0 taken over with partitions, 0 left to next owners, 0 told to plugins there, 0 lost\n"
            ), "\(text)")
        #expect(
            text.contains("\na since its start: 0 actions appended, 0 taken, 0 dropped as duplicates\n"),
            "\(text)")
        let whole = try cluster.ctl("a", "cluster", "--all").output
        #expect(
            whole.split(separator: "\n").count { $0.contains("  a ") || $0.contains("  b ") } >= 8, "\(whole)"
        )
        try cluster.finish()
    }

    @Test func `the status adds up what the partitions of a member have done`() throws {
        let cluster = try OperatedCluster()
        let watcher = try cluster.watch("a", "eu/increment")
        let lines = (1...20).map { #"{"type":"eu/increment","payload":{"by":\#($0)}}"# }
        let outcome = try cluster.ctl("a", "dispatch", "-", input: lines.joined(separator: "\n"))
        #expect(outcome.output == "20 actions dispatched, 20 of them put into the cluster\n")
        let watched = try watcher.waitForOutput { $0.split(separator: "\n").count == 20 }
        #expect(watched.split(separator: "\n").allSatisfy { $0.contains(" in partition ") }, "\(watched)")
        let status = try cluster.answer("a", "status")
        #expect(status["cluster"]?["owned"] == 8)
        #expect(status["cluster"]?["appended"] == 20)
        #expect(status["cluster"]?["taken"] == 20)
        let instances = try #require(status["instances"]?.arrayValue)
        #expect(instances.map { $0["id"] } == ["eu", "us"])
        #expect(instances[0]["heard"] == 20)
        #expect(instances[0]["partitions"] == ["count": 8, "active": 8])
        // What runs in partitions is told with what runs beside them.
        let graph = try cluster.answer("a", "graph")
        #expect(graph["instances"]?.arrayValue?.map { $0["id"] } == ["eu", "us"])
        #expect(graph["types"]?.arrayValue?.contains { $0["to"] == ["eu"] } == true)
        #expect(try cluster.answer("a", "effects", "eu") == ["count": 0, "effects": [], "pauses": 0])
        #expect(try cluster.answer("a", "entry", "us")["entry"]?["id"] == "us")
        let text = try cluster.ctl("a", "status").output
        #expect(text.contains("\ncluster shop: 1 member, 8 of 8 partitions here\n"), "\(text)")
        #expect(text.contains("\nin 8 partitions: eu, us\n"), "\(text)")
        let page = try cluster.ctl("a", "top", "--once").output
        #expect(page.contains("\ncluster shop: 1 member, 8 of 8 partitions here\n"), "\(page)")
        let sum = try (0..<8).reduce(0) { sum, partition in
            let state = try JSONText.parse(
                try cluster.ctl("a", "state", "/partitions/\(partition)/orders/eu").output)
            return sum + (state["count"]?.intValue ?? 0)
        }
        #expect(sum == 210)
        try cluster.finish()
    }

    @Test func `a member that is drained hands everything over, and takes it again when it is told to`()
        throws
    {
        let cluster = try OperatedCluster()
        try cluster.join("b")
        try cluster.wait(for: "a", toSay: "of 8 partitions, 2 members")
        try cluster.wait(for: "b", toSay: "of 8 partitions, 2 members")
        let owned = try #require(try cluster.answer("b", "status")["cluster"]?["owned"]?.intValue)
        #expect(
            try cluster.ctl("a", "cluster", "drain", "b").output
                == "b hands its \(owned) partitions over to 1 other member\n")
        try cluster.wait(for: "b", toSay: "has 0 of 8 partitions, 2 members")
        try cluster.wait(for: "a", toSay: "has 8 of 8 partitions, 2 members")
        #expect(try cluster.ctl("b", "status").output.contains("0 of 8 partitions here, draining\n"))
        #expect(
            try cluster.ctl("b", "cluster", "drain", "b").output == "b owns no partitions, and takes none\n")
        let known = try cluster.answer("b", "state", "/partitions")
        #expect(known == [:])
        #expect(
            try cluster.ctl("b", "state", "/partitions/3/orders").errors
                == "gatehouse: a owns partition 3; ask there\n")
        #expect(try cluster.ctl("a", "cluster", "undrain", "b").output == "b takes partitions again\n")
        try cluster.wait(for: "b", toSay: "has \(owned) of 8 partitions, 2 members")
        try cluster.finish()
    }

    @Test func `a gate moves in all partitions of all members, and stays there when they move`() throws {
        let cluster = try OperatedCluster()
        try cluster.join("b")
        try cluster.wait(for: "b", toSay: "of 8 partitions, 2 members")
        let watchers = try ["a", "b"].map { try cluster.watch($0, "host/gate/close") }
        #expect(
            try cluster.ctl("b", "close", "eu").output
                == "eu: the gate will be bypass in 8 partitions, each when it gets to it\n")
        var seen = 0
        for (name, watcher) in zip(["a", "b"], watchers) {
            let owned = try #require(try cluster.answer(name, "status")["cluster"]?["owned"]?.intValue)
            _ = try watcher.waitForOutput { $0.split(separator: "\n").count == owned }
            seen += owned
            let instances = try #require(try cluster.answer(name, "status")["instances"]?.arrayValue)
            #expect(instances[0]["gate"] == "bypass")
            #expect(instances[1]["gate"] == "active")
        }
        #expect(seen == 8)
        #expect(try cluster.ctl("a", "cluster", "drain", "a").exitCode == 0)
        try cluster.wait(for: "b", toSay: "has 8 of 8 partitions, 2 members")
        let instances = try #require(try cluster.answer("b", "status")["instances"]?.arrayValue)
        #expect(instances[0]["partitions"] == ["count": 8, "active": 0])
        #expect(
            try cluster.ctl("b", "open", "us").errors
                == "gatehouse: the gate of us follows the state at /features/us; change it with host/state/merge\n"
        )
        let watcher = try cluster.watch("b", "host/state/merge")
        #expect(
            try cluster.ctl("b", "dispatch", "host/state/merge", #"{"features":{"us":false}}"#).exitCode == 0)
        _ = try watcher.waitForOutput { $0.split(separator: "\n").count == 9 }
        #expect(try cluster.answer("b", "status")["instances"]?[1]?["gate"] == "bypass")
        try cluster.finish()
    }

    @Test func `pauses in the partitions of a member end when somebody says so`() throws {
        // Nobody listens at port 9, and the pause is some minutes long.
        let cluster = try OperatedCluster(
            plugins:
                #", { "id": "chat", "library": "libHTTPClientPlugin.so", "lift": { "dependencies": ["clock"] }, "settings": { "url": "http://127.0.0.1:9/", "attempts": 2, "pause": 3600, "maximumPause": 3600 } }"#,
            libraries: ["HTTPClientPlugin"])
        #expect(
            try cluster.ctl("a", "now", "chat").output == "chat waits for nothing that could begin now\n")
        #expect(try cluster.ctl("a", "dispatch", "chat/send", #"{"id":7}"#).exitCode == 0)
        var effects: String
        repeat { effects = try cluster.ctl("a", "effects", "chat").output } while !effects.contains("pause")
        #expect(
            effects.hasSuffix("\n1 pause goes on; gatehouse ctl now ID ends those of an instance\n"),
            "\(effects)")
        #expect(try cluster.ctl("a", "now", "chat").output == "chat: 1 pause ended\n")
        // The second attempt is the last one.
        repeat {
            effects = try cluster.ctl("a", "effects", "chat").output
        } while effects != "no effect of an action is under way\n"
        let process = try cluster.process("a")
        process.signal(SIGTERM)
        // It has not done everything.
        #expect(try process.finish().exitCode == 75)
    }

    @Test func `numbers for Prometheus tell what the member does, and how far its partitions are`() throws {
        let cluster = try OperatedCluster(partitions: 2)
        let watcher = try cluster.watch("a", "eu/increment")
        #expect(try cluster.ctl("a", "dispatch", "eu/increment", #"{"by":5}"#).exitCode == 0)
        _ = try watcher.waitForOutput { $0.contains("eu/increment") }
        let lines = try cluster.ctl("a", "metrics").output.split(separator: "\n")
        for line in [
            "engine_up{host=\"a\",cluster=\"shop\"} 1", "members{host=\"a\",cluster=\"shop\"} 1",
            "partitions{host=\"a\",cluster=\"shop\"} 2", "partitions_owned{host=\"a\",cluster=\"shop\"} 2",
            "inputs_appended_total{host=\"a\",cluster=\"shop\"} 1",
            "actions_taken_total{host=\"a\",cluster=\"shop\"} 1",
            "outputs_total{host=\"a\",cluster=\"shop\"} 0", "duplicates_total{host=\"a\",cluster=\"shop\"} 0",
            "fenced_total{host=\"a\",cluster=\"shop\"} 0", "hand_overs_total{host=\"a\",cluster=\"shop\"} 0",
            "dead_letters{host=\"a\",cluster=\"shop\"} 0",
        ] { #expect(lines.contains("gatehouse_cluster_\(line)"), "\(line)") }
        for name in ["partition_lag", "partition_waiting_seconds"] {
            for partition in 0..<2 {
                let labels = "{host=\"a\",cluster=\"shop\",partition=\"\(partition)\"}"
                #expect(lines.contains { $0.hasPrefix("gatehouse_cluster_\(name)\(labels) ") }, "\(name)")
            }
        }
        #expect(
            lines.contains { $0.hasPrefix("gatehouse_cluster_checkpoints_total{") && !$0.hasSuffix(" 0") })
        try cluster.finish()
    }

    @Test func `a partition that comes is watched too, and one that goes is told to have nothing`() throws {
        let cluster = try OperatedCluster(partitions: 2)
        let watcher = try cluster.watch("a", "nothing", "--state", "/partitions/1/orders/eu")
        _ = try watcher.waitForOutput { $0.contains("/partitions/1/orders/eu {\"count\":0}\n") }
        #expect(try cluster.ctl("a", "cluster", "drain", "a").exitCode == 0)
        _ = try watcher.waitForOutput { $0.contains("/partitions/1/orders/eu (nothing)\n") }
        #expect(
            try cluster.ctl("a", "watch", "--state", "/partitions/1/orders/eu").errors
                == "gatehouse: no member owns partition 1 at the moment; ask again\n")
        #expect(try cluster.ctl("a", "cluster", "undrain", "a").exitCode == 0)
        let again = "/partitions/1/orders/eu {\"count\":0}\n"
        _ = try watcher.waitForOutput { $0.split(separator: "\n").count { $0 + "\n" == again } == 2 }
        try cluster.finish()
    }

    @Test func `what makes no sense is refused with a sentence`() throws {
        let cluster = try OperatedCluster(partitions: 2)
        for (arguments, sentence) in [
            (["cluster", "drain", "aa"], "expected the name of a member, found \"aa\"; did you mean \"a\"?"),
            (
                ["state", "/partitions/2"],
                "expected the number of a partition, from 0 to 1, after /partitions/, found \"2\""
            ),
            (
                ["watch", "--state", "/partitions"],
                "only the state of a single partition can be watched; name it, such as /partitions/0"
            ),
            (
                ["close", "eux"],
                "expected the id of an instance, found \"eux\"; did you mean \"eu\"?"
            ),
        ] {
            let outcome = try cluster.ctl("a", arguments)
            #expect(outcome.errors == "gatehouse: \(sentence)\n")
            #expect(outcome.exitCode == 64)
        }
        try cluster.finish()
        let host = try ControlledHost()
        for request in [["cluster"], ["cluster", "drain", "a"], ["cluster", "reload"]] {
            let outcome = try host.ctl(request)
            #expect(
                outcome.errors
                    == "gatehouse: this host is in no cluster; \"cluster\" in its configuration joins one\n")
            #expect(outcome.exitCode == 64)
        }
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `a connection of the control that the engine has closed meanwhile is no reason to ask again`()
        throws
    {
        let cluster = try OperatedCluster(partitions: 2)
        #expect(try cluster.ctl("a", "cluster").exitCode == 0)
        try cluster.redis.call("CLIENT", "KILL", "TYPE", "normal")
        let outcome = try cluster.ctl("a", "cluster")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        try cluster.redis.call("CLIENT", "KILL", "TYPE", "normal")
        let drained = try cluster.ctl("a", "cluster", "drain", "a")
        #expect(drained.exitCode == 0, "\(drained.errors)")
        try cluster.finish()
    }

    @Test func `while the engine does not answer, a member tells that, and what it knows itself`() throws {
        let cluster = try OperatedCluster(partitions: 2)
        try cluster.redis.kill()
        try cluster.wait(for: "a", toSay: "; trying again")
        let status = try cluster.ctl("a", "status")
        #expect(status.output.contains("\ncluster shop: 1 member, "), "\(status.output)")
        #expect(try cluster.answer("a", "status")["cluster"]?["trouble"] != nil)
        let outcome = try cluster.ctl("a", "cluster")
        #expect(outcome.errors.hasPrefix("gatehouse: the engine cannot be reached: "), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("; ask again\n"), "\(outcome.errors)")
        #expect(outcome.exitCode == 75)
        #expect(
            try cluster.ctl("a", "metrics").output.contains(
                "gatehouse_cluster_engine_up{host=\"a\",cluster=\"shop\"} 0\n"))
    }

    @Test
    func `what a partition could not use is a dead letter of its member, and goes into the cluster again`()
        throws
    {
        let cluster = try OperatedCluster(partitions: 2)
        let watcher = try cluster.watch("a", "eu/increment")
        #expect(try cluster.ctl("a", "dispatch", "eu/increment", #"{"by":"x"}"#).exitCode == 0)
        _ = try watcher.waitForOutput { $0.contains("eu/increment") }
        try cluster.wait(for: "a", toSay: "the payload does not fit")
        let letters = try cluster.answer("a", "dead-letters")
        #expect(letters["kept"] == 1)
        let letter = try #require(letters["letters"]?[0])
        #expect(letter["instance"] == "eu")
        #expect(try #require(letter["source"]?["input"]?.stringValue).hasPrefix("shop/"))
        #expect(
            try cluster.ctl("a", "status").output.contains(
                "\n1 dead letter; see gatehouse ctl dead-letters\n"))
        #expect(try cluster.ctl("a", "redispatch", "--all").output == "1: put into the cluster\n")
        _ = try watcher.waitForOutput { $0.split(separator: "\n").count == 2 }
        try cluster.finish()
    }

    @Test
    func
        `what a member has counted goes on when its partitions are loaded again, and when they go to others`()
        throws
    {
        let cluster = try OperatedCluster(partitions: 4)
        let lines = (1...20).map { #"{"type":"eu/increment","payload":{"by":\#($0)}}"# }
        #expect(
            try cluster.ctl("a", "dispatch", "-", input: lines.joined(separator: "\n")).exitCode == 0)
        var before = try cluster.answer("a", "status")
        while before["cluster"]?["taken"] != 20 { before = try cluster.answer("a", "status") }
        let actions = try #require(before["actions"]?.intValue)
        #expect(actions >= 20)
        #expect(before["instances"]?.arrayValue?[0]["heard"] == 20)

        try cluster.change("a") {
            $0.replacing(
                "\"plugins\": [", with: #""plugins": [ { "id": "more", "library": "libCounterPlugin.so" },"#)
        }
        #expect(try cluster.ctl("a", "reload").exitCode == 0)
        let reloaded = try cluster.answer("a", "status")
        #expect(reloaded["generation"] == 2)
        #expect(try #require(reloaded["actions"]?.intValue) >= actions)
        let instances = try #require(reloaded["instances"]?.arrayValue)
        #expect(instances.map { $0["id"] } == ["more", "eu", "us"])
        #expect(instances[1]["heard"] == 20)
        #expect(instances[1]["partitions"] == ["count": 4, "active": 4])

        try cluster.join("b")
        #expect(try cluster.ctl("a", "cluster", "drain", "a").exitCode == 0)
        try cluster.wait(for: "a", toSay: "has 0 of 4 partitions")
        #expect(try #require(try cluster.answer("a", "status")["actions"]?.intValue) >= actions)
        try cluster.finish()
    }

    @Test func `all members reload, one after the other`() throws {
        let cluster = try OperatedCluster(partitions: 4)
        try cluster.join("b")
        try cluster.wait(for: "b", toSay: "of 4 partitions, 2 members")
        for name in ["a", "b"] {
            try cluster.change(name) {
                $0.replacing(
                    "\"plugins\": [",
                    with: #""plugins": [ { "id": "more", "library": "libCounterPlugin.so" },"#)
            }
        }
        #expect(
            try cluster.ctl("b", "cluster", "reload").output == "2 members will reload, one after the other\n"
        )
        for name in ["a", "b"] {
            try cluster.wait(for: name, toSay: "generation 2 runs")
            let instances = try #require(try cluster.answer(name, "status")["instances"]?.arrayValue)
            #expect(instances.map { $0["id"] } == ["more", "eu", "us"])
        }
        try cluster.finish()
    }

    @Test func `members whose settings differ say so, until a reload makes them alike`() throws {
        let cluster = try OperatedCluster(partitions: 4)
        try cluster.join("b")
        try cluster.wait(for: "b", toSay: "of 4 partitions, 2 members")
        let change = { (name: String) in
            try cluster.change(name) {
                $0.replacing(#""lift": {"#, with: #""settings": { "step": 2 }, "lift": {"#)
            }
        }
        try change("b")
        #expect(try cluster.ctl("b", "reload").exitCode == 0)
        for (name, other) in [("a", "b"), ("b", "a")] {
            try cluster.wait(
                for: name,
                toSay:
                    "cluster: \(other) has another configuration of its instances, compared with this member; make them alike, and reload both\n"
            )
        }
        #expect(
            try cluster.ctl("a", "cluster").output.contains(
                "\nthe members run different plugins or configurations; reload those with old ones\n"))
        try change("a")
        #expect(try cluster.ctl("a", "cluster", "reload").exitCode == 0)
        try cluster.wait(for: "a", toSay: "generation 2 runs")
        var digests: [Value] = []
        repeat {
            let members = try #require(try cluster.answer("b", "cluster")["members"]?.arrayValue)
            digests = members.compactMap { $0["plugins"] }
        } while digests.first != digests.last
        #expect(digests.count == 2)
        try cluster.finish()
    }

    @Test
    func
        `an instance in a partition that is granted control asks for the whole member, unless its gate is closed`()
        throws
    {
        let cluster = try OperatedCluster(
            partitions: 2,
            plugins:
                #", { "id": "remote", "library": "libRemotePlugin.so", "lift": { "dependencies": ["control"] } }"#,
            libraries: ["RemotePlugin"])
        let gate = #"[{"method":"gate","parameters":{"id":"eu","position":"close"}}]"#
        #expect(try cluster.ctl("a", "dispatch", "remote/ask", gate).exitCode == 0)
        try cluster.wait(
            for: "a", toSay: #"remote: {"id":"eu","gate":"bypass","was":"active","partitions":2}"#)
        let state = #"[{"method":"state","parameters":{"pointer":"/partitions/1/orders/eu"}}]"#
        #expect(try cluster.ctl("a", "dispatch", "remote/ask", state).exitCode == 0)
        try cluster.wait(
            for: "a", toSay: #"remote: {"pointer":"/partitions/1/orders/eu","value":{"count":0}}"#)
        try cluster.finish()
    }
}
