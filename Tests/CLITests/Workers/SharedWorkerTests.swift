// SPDX-License-Identifier: Apache-2.0

import CTracing
import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// Several instances in one worker.
@Suite(.timeLimit(.minutes(10))) struct SharedWorkerTests {
    /// An entry of the counter.
    private static func counter(_ id: String, in placement: String = "worker:shop", _ more: String = "")
        -> String
    {
        #"{ "id": "\#(id)", "library": "libCounterPlugin.so", "placement": "\#(placement)"\#(more) }"#
    }

    /// The configuration of a host with these entries.
    private static func configuration(_ entries: [String], _ members: String = "") -> String {
        #"{ "name": "shop", "discovery": "ignore", \#(members)"plugins": [\#(entries.joined(separator: ", "))] }"#
    }

    /// A host with these entries.
    private static func host(_ entries: [String], _ members: String = "") throws -> LiveHost {
        try LiveHost(
            configuration(entries, members), libraries: ["CounterPlugin", "DoomedPlugin", "LoggerPlugin"],
            ["--control", "--print", "state", "--grace", "3"])
    }

    /// What the status says of the instances.
    private func instances(_ host: LiveHost) throws -> [Value] {
        try JSONText.parse(try host.ctl("status", "--json").output)["instances"]?.arrayValue ?? []
    }

    /// Waits until all workers have answered all that they were given.
    private func settle(_ host: LiveHost) throws {
        repeat { try host.settle() } while try instances(host).contains { $0["worker"]?["waiting"] ?? 0 != 0 }
    }

    /// The processes of the instances in workers, in chain order.
    private func processes(_ host: LiveHost) throws -> [Int] {
        try instances(host).compactMap { $0["worker"]?["pid"]?.intValue }
    }

    /// The line that makes a plugin do something.
    private static func act(_ id: String, _ place: String, _ deed: String) -> String {
        #"{"type":"\#(id)/act","payload":{"place":"\#(place)","deed":"\#(deed)"}}"#
    }

    @Test func `instances of one library and of another run in one process, each with its own state`() throws
    {
        let host = try Self.host([
            Self.counter("eu"), Self.counter("us", in: "worker:shop", #", "settings": { "step": 10 }"#),
            #"{ "id": "doomed", "placement": "worker:shop" }"#, Self.counter("own", in: "worker"),
        ])
        for _ in 0..<100 { host.send("eu/increment", "us/increment", "doomed/pass", "own/increment") }
        try settle(host)
        let found = try processes(host)
        #expect(found.count == 4)
        #expect(Set(found[..<3]).count == 1 && found[3] != found[0], "\(found)")
        #expect(
            Set(WorkerProcesses(of: host.child).identifiers.map(Int.init)) == Set(found), "\(found)")
        let told = try instances(host)
        #expect(told.map { $0["placement"] } == ["worker:shop", "worker:shop", "worker:shop", "worker"])
        let text = try host.ctl("status").output
        for (id, end) in [("eu", ", "), ("us", "\n"), ("doomed", "\n")] {
            #expect(text.contains("\(id) runs in the worker shop, process \(found[0])\(end)"), "\(text)")
        }
        // What the process takes is told once, so that a sum over instances is that of the machine.
        let metrics = try host.ctl("metrics").output.split(separator: "\n").map {
            String($0.prefix { $0 != " " })
        }
        for name in ["memory_bytes", "cpu_seconds"] {
            #expect(
                metrics.filter { $0.hasPrefix("gatehouse_worker_\(name)") } == [
                    #"gatehouse_worker_\#(name){host="shop",worker="shop"}"#,
                    #"gatehouse_worker_\#(name){host="shop",instance="own",plugin="counter"}"#,
                ])
        }
        #expect(metrics.count { $0.hasPrefix("gatehouse_worker_deaths_total{") } == 4)
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0, "\(errors)")
        #expect(
            try JSONText.parse(state) == [
                "eu": ["count": 100], "us": ["count": 1_000], "doomed": ["heard": 100, "last": ""],
                "own": ["count": 100],
            ], "\(errors)")
        #expect(!errors.contains { $0.contains("its worker") }, "\(errors)")
    }

    @Test(arguments: ["handle", "reduce"])
    func
        `an action that ends the process is left out for the instance that did it, and no other one loses any`(
            place: String
        ) throws
    {
        let host = try Self.host(
            [
                Self.counter("eu"), #"{ "id": "doomed", "placement": "worker:shop" }"#, Self.counter("us"),
            ], #""supervise": { "deaths": 2, "crashes": 100 }, "#)
        for _ in 0..<50 { host.send("eu/increment", "doomed/pass", "us/increment") }
        host.write(Self.act("doomed", place, "trap"))
        for _ in 0..<50 { host.send("eu/increment", "doomed/pass", "us/increment") }
        try host.child.waitForErrors(", doomed/act, has ended 2 workers and is left out\n")
        try settle(host)
        let letters = try host.ctl("dead-letters", "--json").output
        #expect(letters.split(separator: "it has ended 2 workers of").count == 2, "\(letters)")
        #expect(letters.contains("it has ended 2 workers of doomed"), "\(letters)")
        #expect(try Set(processes(host)).count == 1)
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0, "\(errors)")
        #expect(
            try JSONText.parse(state) == [
                "eu": ["count": 100], "doomed": ["heard": 100, "last": ""], "us": ["count": 100],
            ], "\(errors)")
        for id in ["eu", "us"] {
            let told = errors.filter { $0.hasPrefix("\(id): ") }
            #expect(
                told
                    == Array(
                        repeating:
                            "\(id): its worker shop was ended by doomed, and another one goes on from its last checkpoint",
                        count: 2), "\(errors)")
        }
    }

    @Test func `a library that ends its process too often goes into quarantine alone, and the others go on`()
        throws
    {
        let host = try Self.host(
            [Self.counter("eu"), #"{ "id": "doomed", "placement": "worker:shop" }"#],
            #""supervise": { "deaths": 100, "crashes": 2 }, "#)
        host.send("eu/increment")
        host.write(Self.act("doomed", "handle", "abort"))
        host.send("eu/increment")
        try host.child.waitForErrors(
            "the plugin doomed is in quarantine: it has ended its worker 2 times within 10 min, the last time it died by SIGABRT at action 2, doomed/act; it is not loaded until"
        )
        try host.child.waitForErrors("put doomed in quarantine")
        host.send("eu/increment", "doomed/pass")
        try settle(host)
        #expect(try processes(host).count == 1)
        #expect(try host.ctl("release", "doomed").exitCode == 0)
        try host.child.waitForErrors("let doomed out of quarantine")
        host.send("eu/increment", "doomed/pass")
        try settle(host)
        #expect(try Set(processes(host)).count == 1)
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0, "\(errors)")
        let found = try JSONText.parse(state)
        #expect(found["eu"] == ["count": 4], "\(errors)")
        #expect(found["doomed"]?["heard"] == 1, "\(errors)")
        #expect(!errors.contains { $0.contains("the plugin counter is in quarantine") }, "\(errors)")
    }

    @Test func `of the effects that may have ended the process, the youngest of all instances is blamed`()
        throws
    {
        let host = try Self.host(
            [
                #"{ "id": "calm", "library": "libDoomedPlugin.so", "placement": "worker:shop" }"#,
                #"{ "id": "doomed", "placement": "worker:shop" }"#, Self.counter("eu"),
            ], #""supervise": { "deaths": 2, "crashes": 100 }, "#)
        host.send("eu/increment")
        // The calls lead to the library of both.
        host.write(Self.act("calm", "effect", "loop"))
        host.write(Self.act("doomed", "effect", "trap"))
        host.send("eu/increment", "calm/pass")
        try host.child.waitForErrors(
            "doomed: action 3, doomed/act, had effects that had not ended when 2 workers died, and they are left out\n"
        )
        host.send("eu/increment")
        try settle(host)
        host.child.signal(SIGTERM)
        let (state, errors, _) = try host.finish()
        #expect(try JSONText.parse(state)["eu"] == ["count": 3], "\(errors)")
        #expect(try JSONText.parse(state)["calm"]?["heard"] == 2, "\(errors)")
        #expect(
            !errors.contains { $0.hasPrefix("calm: action ") || $0.hasPrefix("eu: action ") }, "\(errors)")
    }

    @Test
    func
        `where nobody knows whose doing too many deaths were, all that may have done it stop, and no library is in quarantine`()
        throws
    {
        let host = try Self.host(
            [
                #"{ "id": "calm", "library": "libDoomedPlugin.so", "placement": "worker:shop" }"#,
                #"{ "id": "doomed", "placement": "worker:shop" }"#, Self.counter("eu"),
            ], #""supervise": { "deaths": 100, "crashes": 2 }, "#)
        host.send("eu/increment")
        host.write(Self.act("doomed", "effect", "trap"))
        for id in ["calm", "doomed"] {
            try host.child.waitForErrors(
                "\(id): its worker died by SIGILL, 2 times within 10 min, by calm or doomed; no other one is started\n"
            )
        }
        host.send("eu/increment", "calm/pass")
        try settle(host)
        #expect(try processes(host).count == 1)
        let letters = try host.ctl("dead-letters").output
        #expect(letters.contains("calm hears nothing any more: its worker died by SIGILL"), "\(letters)")
        let status = try host.ctl("status").output
        for id in ["calm", "doomed"] {
            #expect(
                status.contains(
                    "\(id) is failing: \(id) hears nothing any more: its worker died by SIGILL, 2 times within 10 min, by calm or doomed; change its entry, such as its placement, or its library, or restart the host, and it runs again without what it has missed\n"
                ), "\(status)")
        }
        let (state, errors, _) = try host.finish()
        #expect(try JSONText.parse(state)["eu"] == ["count": 2], "\(errors)")
        #expect(!errors.contains { $0.contains("quarantine") }, "\(errors)")
        #expect(
            errors.contains(
                "eu: its worker shop was ended by calm or doomed, and another one goes on from its last checkpoint"
            ),
            "\(errors)")
    }

    @Test func `one that hangs is ended with its process, and the others go on where they were`() throws {
        let host = try Self.host(
            [Self.counter("eu"), #"{ "id": "doomed", "placement": "worker:shop" }"#],
            #""supervise": { "deaths": 1, "crashes": 100, "hang": 2 }, "#)
        host.send("eu/increment")
        host.write(Self.act("doomed", "handle", "loop"))
        for _ in 0..<1_000 { host.send("eu/increment") }
        try host.child.waitForErrors("doomed: its worker did not return within 2 s at action 2, doomed/act")
        try host.child.waitForErrors("doomed: action 2, doomed/act, has ended 1 worker and is left out\n")
        host.send("doomed/pass")
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0, "\(errors)")
        #expect(try JSONText.parse(state)["eu"] == ["count": 1_001], "\(errors)")
        #expect(try JSONText.parse(state)["doomed"]?["heard"] == 1, "\(errors)")
        #expect(
            errors.contains(
                "eu: its worker shop was ended by doomed, and another one goes on from its last checkpoint"),
            "\(errors)")
    }

    @Test(arguments: ["", #""journal": { "mode": "strict", "snapshotEvery": 500 }, "#])
    func `a process that is killed again and again costs no instance an action`(journal: String) throws {
        let host = try Self.host(
            [Self.counter("eu"), Self.counter("us"), #"{ "id": "doomed", "placement": "worker:shop" }"#],
            journal + #""supervise": { "deaths": 100 }, "#)
        let (rounds, each) = (10, 200)
        for _ in 0..<rounds {
            for _ in 0..<each { host.send("eu/increment", "us/increment", "doomed/pass") }
            for worker in WorkerProcesses(of: host.child).identifiers { kill(worker, SIGKILL) }
            for _ in 0..<each { host.send("us/increment", "doomed/pass", "eu/increment") }
            try host.settle()
        }
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0, "\(errors)")
        let count = Value(2 * rounds * each)
        #expect(
            try JSONText.parse(state) == [
                "eu": ["count": count], "us": ["count": count], "doomed": ["heard": count, "last": ""],
            ], "\(errors)")
        #expect(
            errors.contains { $0.contains("died by SIGKILL") || $0.contains("was ended by") }, "\(errors)")
        #expect(!errors.contains { $0.contains("quarantine") || $0.contains("left out") }, "\(errors)")
    }

    @Test
    func `whoever joins or leaves a worker keeps its state, and so do those who stay, while actions come`()
        throws
    {
        let (eu, us) = (Self.counter("eu"), Self.counter("us"))
        let host = try Self.host([eu, Self.counter("us", in: "host")])
        let steps: [(entries: [String], told: String)] = [
            ([eu, us], "replace eu: another process of the worker shop"),
            ([eu, Self.counter("us", in: "worker:rest")], "move us into the worker rest"),
            ([eu, Self.counter("us", in: "worker")], "move us into a worker"),
            ([Self.counter("eu", in: "worker:rest"), us], "move eu into the worker rest"),
            ([eu, us, #"{ "id": "logger", "placement": "worker:shop" }"#], "start logger"),
            ([eu, us], "stop logger"),
            (
                [eu, Self.counter("us", in: "worker:shop", #", "settings": { "start": 9 }"#)],
                "replace us: other settings"
            ),
        ]
        for step in steps {
            for _ in 0..<500 { host.send("eu/increment", "us/increment") }
            try host.reload(Self.configuration(step.entries), settling: false, expecting: step.told)
        }
        for _ in 0..<500 { host.send("eu/increment", "us/increment") }
        try settle(host)
        #expect(try Set(processes(host)).count == 1)
        #expect(WorkerProcesses(of: host.child).identifiers.count == 1)
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0, "\(errors)")
        let count = Value(500 * (steps.count + 1))
        #expect(try JSONText.parse(state) == ["eu": ["count": count], "us": ["count": count]], "\(errors)")
        #expect(!errors.contains { $0.contains("its worker") }, "\(errors)")
    }

    @Test(arguments: ["worker", "worker:shop"])
    func `a reload that is taken back brings all into a process again, with what they did meanwhile`(
        placement: String
    ) throws {
        let entries = { (file: String, start: Int) in
            let settings = #", "settings": { "start": \#(start) }"#
            return Self.configuration([
                Self.counter("eu", in: placement, placement == "worker" ? settings : ""),
                Self.counter("us", in: placement, settings),
                #"{ "id": "holding", "settings": { "file": "\#(file)", "label": "it" } }"#,
            ])
        }
        let host = try LiveHost(
            entries("held", 0), libraries: ["CounterPlugin", "HoldingPlugin"],
            ["--control", "--print", "state"])
        let (rounds, each) = (3, 500)
        for round in 1...rounds {
            for _ in 0..<each { host.send("eu/increment", "us/increment") }
            // The counters are made anew and begin, and then the file cannot be taken.
            try host.scene.folder.write(entries("nowhere/held", round), to: "plugins.json")
            host.child.signal(SIGHUP)
            for _ in 0..<each { host.send("eu/increment", "us/increment") }
            try host.child.waitForErrors {
                $0.split(separator: "the change is refused, generation 1 runs on").count > round
            }
        }
        try settle(host)
        let found = try processes(host)
        #expect(Set(found).count == (placement == "worker" ? 2 : 1), "\(found)")
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0, "\(errors)")
        let count = Value(2 * rounds * each)
        #expect(
            try JSONText.parse(state) == [
                "eu": ["count": count], "us": ["count": count], "holding": ["sum": 0],
            ], "\(errors)")
    }

    @Test func `what the next generation has reduced in a worker until it fails is kept`() throws {
        let entries = { (file: String, label: String, first: Int) in
            Self.configuration([
                #"{ "id": "holding", "settings": { "file": "\#(file)", "label": "\#(label)", "first": \#(first) } }"#,
                #"{ "id": "sum", "library": "libHoldingPlugin.so", "placement": "worker", "settings": { "label": "\#(label)" }, "lift": { "input": { "holding/add": "add" }, "output": {} } }"#,
            ])
        }
        let host = try LiveHost(
            entries("held", "one", 0), libraries: ["HoldingPlugin"], ["--control", "--print", "state"])
        host.write(#"{"type":"holding/add","payload":5}"#)
        // Both are made anew, and the one in the worker hears what the other one does before it gives up.
        try host.reload(entries("nowhere/held", "two", 3), expecting: "runs on")
        try settle(host)
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0, "\(errors)")
        #expect(try JSONText.parse(state) == ["holding": ["sum": 8], "sum": ["sum": 8]], "\(errors)")
    }

    @Test func `the commands that show a plan say who shares a worker`() throws {
        let scene = try Scene(
            Self.configuration([
                Self.counter("eu"), Self.counter("us", in: "worker"),
                #"{ "id": "logger", "placement": "worker:shop" }"#,
            ]), libraries: ["CounterPlugin", "LoggerPlugin"])
        let list = try scene.call("list")
        #expect(list.output.contains("  runs    in the worker shop, with logger\n"), "\(list)")
        #expect(list.output.contains("  runs    in the worker shop, with eu\n"), "\(list)")
        #expect(list.output.contains("  runs    in a worker\n"), "\(list)")
        let plan = try scene.call("plan")
        #expect(plan.output.contains("gate active, in the worker shop\n"), "\(plan)")
        try scene.folder.write(
            Self.configuration([#"{ "id": "counter", "placement": "worker:Shop" }"#]), to: "plugins.json")
        let check = try scene.call("check")
        #expect(check.exitCode == 78)
        #expect(
            check.errors.contains(
                "expected lower-case letters, digits and \"-\" with a letter first after \"worker:\", found \"worker:Shop\"; rename the worker"
            ), "\(check.errors)")
    }

    @Test func `each may do what any of them is granted`() throws {
        let folder = try TemporaryFolder()
        let (mine, yours, other) = (
            try folder.makeFolder("mine"), try folder.makeFolder("yours"), try folder.makeFolder("other")
        )
        /// What comes of an instance that writes to a folder, and is granted another one.
        func run(in directory: String, _ placement: String) throws -> ChildProcess.Outcome {
            try Scene(
                Self.configuration([
                    """
                    { "id": "one", "library": "libFilePlugin.so", "placement": "\(placement)", "grant": { "files": ["\(mine)"] },
                      "settings": { "directory": "\(directory)", "include": ["a/*"] } }
                    """,
                    """
                    { "id": "two", "library": "libFilePlugin.so", "placement": "\(placement)", "grant": { "files": ["\(yours)"] },
                      "settings": { "directory": "\(yours)", "include": ["b/*"] } }
                    """,
                ]), libraries: ["FilePlugin"]
            ).run(["--print", "none"], input: #"{"type":"a/b"}"# + "\n")
        }
        #expect(try run(in: yours, "worker").errors.contains("Permission denied"))
        #expect(FileSystem.names(in: yours) == [])
        let outcome = try run(in: yours, "worker:files")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(FileSystem.names(in: yours) == ["actions.ndjson"])
        #expect(try run(in: other, "worker:files").errors.contains("Permission denied"))
        #expect(FileSystem.names(in: other) == [])
    }

    @Test func `connections are made for the instance that asks, by its own entry`() throws {
        let servers = try (0..<2).map { _ in try ScriptedServer { _, _ in .status(200, body: "ok") } }
        let client = { (id: String, url: Int, granted: Int) in
            """
            { "id": "\(id)", "library": "libHTTPClientPlugin.so", "placement": "worker:mail",
              "grant": { "network": ["connect:127.0.0.1:\(servers[granted].port)"] },
              "settings": { "url": "http://127.0.0.1:\(servers[url].port)/\(id)", "timeout": 600, "connectTimeout": 600, "attempts": 1 },
              "lift": { "input": { "order/placed": "send" } } }
            """
        }
        let scene = try Scene(
            Self.configuration([client("one", 0, 0), client("two", 1, 1), client("three", 0, 1)]),
            libraries: ["HTTPClientPlugin"])
        let lines = (1...10).map { #"{"type":"order/placed","payload":{"id":\#($0)}}"# + "\n" }
        let outcome = try scene.run(["--print", "actions"], input: lines.joined())
        let answers = { (type: String) in
            outcome.output.split(separator: "\n").count { $0.contains(#""type":"\#(type)""#) }
        }
        #expect(answers("one/succeeded") == 10 && answers("two/succeeded") == 10, "\(outcome.errors)")
        #expect(answers("three/succeeded") == 0 && answers("three/failed") == 10, "\(outcome.output)")
        #expect(servers.map { $0.requests.count } == [10, 10])
        #expect(!outcome.errors.contains("its worker"), "\(outcome.errors)")
    }

    @Test func `a debugger comes to the process that has the instance`() throws {
        let scene = try Scene(
            Self.configuration([Self.counter("eu"), #"{ "id": "logger", "placement": "worker:shop" }"#]),
            libraries: ["CounterPlugin", "LoggerPlugin"])
        let child = try ChildProcess(
            BuiltProducts.program, ["run", "--debug-worker", "logger", "--print", "state"],
            in: scene.folder.path, environment: scene.environment)
        try child.waitForErrors(
            "logger: its worker waits for a debugger before it loads the library: gdb -p ")
        let process = try #require(
            child.errorsSoFar.firstMatch(of: /gdb -p ([0-9]+),/).flatMap { Int32($0.1) })
        #expect(WorkerProcesses(of: child).identifiers == [process])
        #expect(gatehouse_trace(process) == 0)
        child.write(#"{"type":"eu/increment"}"# + "\n")
        try child.waitForErrors("eu/increment")
        #expect(gatehouse_release(process) == 0)
        child.closeInput()
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(try JSONText.parse(outcome.output) == ["eu": ["count": 1]], "\(outcome.errors)")
    }
}
