// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What becomes of a host, and of what it was given, when the plugin in a worker is bad.
@Suite(.timeLimit(.minutes(10))) struct WorkerDeathTests {
    /// A host with a counter, beside a plugin in a worker that ends its process when it is told to.
    ///
    /// - Parameter hang: what a busy machine never takes, where nothing is to hang.
    private func scene(
        _ rules: String = #""deaths": 2"#, hang: Int = 600, settings: String = "{}", more: String = ""
    ) throws -> Scene {
        try Scene(
            """
            { "name": "shop", \(more) "discovery": "ignore", "limits": { "memory": 512 }, "supervise": { "hang": \(hang), \(rules) },
              "plugins": [
                { "id": "counter" },
                { "id": "doomed", "placement": "worker", "settings": \(settings) }
              ] }
            """, libraries: ["CounterPlugin", "DoomedPlugin"])
    }

    private let pass = #"{"type":"doomed/pass"}"#
    private let count = #"{"type":"counter/increment"}"#

    /// The line that makes the plugin do something.
    private func act(_ place: String, _ deed: String) -> String {
        #"{"type":"doomed/act","payload":{"place":"\#(place)","deed":"\#(deed)"}}"#
    }

    /// How each deed is told; nil for one that the confinement keeps it from, or that does not matter there.
    private static let deeds: [(place: String, deed: String, said: String?)] =
        [
            ("trap", "died by SIGILL"), ("abort", "died by SIGABRT"), ("segv", "died by SIGSEGV"),
            ("overflow", "died by SIGSEGV"), ("unheard", "died by SIG"), ("exit", "called exit(0)"),
            ("_exit", "called exit(0)"), ("quick_exit", "called exit(0)"), ("vanish", "called exit(0)"),
            ("loop", "did not return within 2 s"), ("spin", "did not return within 2 s"),
            ("kill", "died by SIGKILL"), ("memory", "died by SIG"), ("close", nil), ("closeOne", nil),
            ("fork", nil),
        ].map { ("handle", $0, $1) }
        + [
            ("reduce", "trap", "died by SIGILL"), ("reduce", "loop", "did not return within 2 s"),
            ("answer", "trap", "died by SIGILL"), ("answer", "exit", "called exit(0)"),
            ("effect", "trap", "died by SIGILL"), ("effect", "exit", "called exit(0)"),
            ("own", "abort", nil), ("own", "_exit", nil),
            ("own", "pthread_exit", nil),
        ]

    @Test(arguments: deeds)
    func `the host goes on whatever the plugin does, says what has ended the worker, and loses nothing else`(
        place: String, deed: String, said: String?
    ) throws {
        let hang = said?.hasPrefix("did not return") == true ? 2 : 600
        let scene = try scene(#""deaths": 2, "crashes": 100"#, hang: hang)
        let others = Array(repeating: [pass, count], count: 10).flatMap(\.self)
        let lines = others + [act(place, deed)] + others
        let outcome = try scene.run(
            ["--print", "state", "--grace", "3"], input: lines.map { $0 + "\n" }.joined())
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let state = try JSONText.parse(outcome.output)
        #expect(state["counter"]?["count"] == 20)
        if let said { #expect(outcome.errors.contains("doomed: its worker \(said)"), "\(outcome.errors)") }
        let heard = try #require(state["doomed"]?["heard"]?.intValue)
        // What has ended two workers is left out, unless it only began what did.
        #expect(heard == 20 || heard == 21, "\(outcome.errors)")
    }

    @Test(arguments: ["trap", "spin"])
    func `a death says where the plugin was, as its file tells the host`(deed: String) throws {
        let scene = try scene(#""deaths": 1"#, hang: deed == "spin" ? 2 : 600)
        let outcome = try scene.run(["--print", "none"], input: act("handle", deed) + "\n")
        #expect(
            outcome.errors.contains(
                /goes on from its last checkpoint\n(doomed: at .+\n)*doomed: at .+ in libDoomedPlugin\.so at .+\.(swift|c):[0-9]+\n/
            ), "\(outcome.errors)")
    }

    @Test func `an action that ends two workers is left out, told, and kept as a dead letter`() throws {
        let host = try LiveHost(scene(), ["--control", "--print", "state"])
        host.write(act("handle", "trap"))
        try host.child.waitForErrors("doomed: its worker died by SIGILL at action 1, doomed/act")
        try host.child.waitForErrors("doomed: action 1, doomed/act, has ended 2 workers and is left out\n")
        host.write(pass)
        try host.settle()
        let letters = try host.ctl("dead-letters")
        #expect(letters.output.contains("it has ended 2 workers of doomed"), "\(letters)")
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0)
        #expect(try JSONText.parse(state)["doomed"]?["heard"] == 1, "\(errors)")
    }

    @Test(arguments: ["handle", "reduce"])
    func `an action that was left out is left out of the state that the next host has after a crash`(
        place: String
    ) throws {
        let scene = try scene(more: #""journal": {},"#)
        let host = try LiveHost(scene, ["--control"])
        host.write(pass)
        try host.settle()
        host.write(act(place, "trap"))
        try host.child.waitForErrors("is left out\n")
        host.write(pass)
        try host.settle()
        let journal = JournalFile(in: scene.folder("journal"))
        // The only one of this run, which no other cause has.
        while journal.number("SELECT count(*) FROM snapshot WHERE isGood") ?? 0 == 0 {
            _ = try host.ctl("status")
        }
        host.child.signal(SIGKILL)
        _ = try host.finish()
        let outcome = try scene.run(["--print", "state"], input: "")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(!outcome.errors.contains("quarantine"), "\(outcome.errors)")
        #expect(try JSONText.parse(outcome.output)["doomed"]?["heard"] == 2, "\(outcome.errors)")
    }

    @Test func `a worker that dies with effects open is no liar, and goes on without what ended it`() throws {
        let host = try LiveHost(
            scene(#""deaths": 3, "crashes": 8"#), ["--control", "--print", "state", "--grace", "1"])
        host.write(act("effect", "loop"))
        host.write(act("effect", "trap"))
        host.write(pass)
        try host.child.waitForErrors(
            "doomed: action 2, doomed/act, had effects that had not ended when 3 workers died, and they are left out\n"
        )
        host.write(pass)
        try host.settle()
        let letters = try host.ctl("dead-letters").output
        #expect(letters.contains("its effects had not ended when 3 workers of doomed died"), "\(letters)")
        let status = try host.ctl("status").output
        #expect(!status.contains("quarantine"), "\(status)")
        host.child.signal(SIGTERM)
        let (state, errors, _) = try host.finish()
        #expect(!errors.contains { $0.contains("action 1, doomed/act") }, "\(errors)")
        #expect(!errors.contains { $0.contains("does not speak as workers do") }, "\(errors)")
        // Two that act, and two that pass.
        #expect(try JSONText.parse(state)["doomed"]?["heard"] == 4, "\(errors)")
    }

    @Test func `effects are not blamed for a plugin that ends its worker at its start`() throws {
        let scene = try scene(
            #""deaths": 2, "crashes": 100"#, settings: #"{ "start": "armed-trap" }"#)
        let host = try LiveHost(scene, ["--control", "--print", "state", "--grace", "1"])
        host.write(act("effect", "loop"))
        try host.settle()
        // The checkpoint after it is told.
        var at: Value?
        repeat {
            at = try JSONText.parse(host.ctl("status", "--json").output)["instances"]?[1]?["worker"]?["at"]
        } while at != 1
        try scene.folder.write("", to: "armed")
        kill(try #require(WorkerProcesses(of: host.child).identifiers.first), SIGKILL)
        try host.child.waitForErrors { $0.split(separator: "died by SIGILL").count > 4 }
        FileSystem.remove(scene.folder("armed"))
        host.write(pass)
        host.child.signal(SIGTERM)
        let (_, errors, _) = try host.finish()
        #expect(!errors.contains { $0.contains("left out") }, "\(errors)")
        #expect(errors.contains { $0.contains("1 effect of doomed given up") }, "\(errors)")
    }

    @Test func `a library that ends its worker too often is in quarantine until it is released`() throws {
        let host = try LiveHost(scene(#""deaths": 100, "crashes": 2"#), ["--control", "--print", "state"])
        host.write(pass)
        host.write(act("handle", "abort"))
        try host.child.waitForErrors(
            "the plugin doomed is in quarantine: it has ended its worker 2 times within 10 min, the last time it died by SIGABRT at action 2, doomed/act; it is not loaded until"
        )
        try host.child.waitForErrors("put doomed in quarantine")
        host.write(pass)
        try host.settle()
        let status = try host.ctl("status").output
        #expect(status.contains("doomed stands at action"), "\(status)")
        let letters = try host.ctl("dead-letters").output
        #expect(letters.contains("doomed hears nothing any more: its worker died by SIGABRT"), "\(letters)")
        #expect(try host.ctl("release", "doomed").exitCode == 0)
        try host.child.waitForErrors("let doomed out of quarantine")
        host.write(pass)
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0)
        #expect(try JSONText.parse(state)["doomed"]?["heard"] == 2, "\(errors)")
    }

    @Test func `effects that had not ended begin again when the library is released from quarantine`() throws
    {
        let host = try LiveHost(
            scene(#""deaths": 100, "crashes": 2"#, more: #""journal": {},"#),
            ["--control", "--grace", "1"])
        host.write(act("effect", "loop"))
        // What no checkpoint has told of when the worker is given up is a dead letter.
        try host.settle()
        while try host.ctl("state", "/doomed/heard").output != "1\n" {}
        host.write(act("handle", "abort"))
        try host.child.waitForErrors("put doomed in quarantine")
        let letters = try host.ctl("dead-letters").output
        #expect(letters.split(separator: "unfinished").count == 2, "\(letters)")
        #expect(try host.ctl("release", "doomed").exitCode == 0)
        try host.child.waitForErrors("let doomed out of quarantine")
        let effects = try host.ctl("effects").output.split(separator: "\n").dropFirst()
        // It began in two processes, each of which the other action ended.
        #expect(
            effects.map { $0.split(separator: " ").prefix(4).joined(separator: " ") } == [
                "doomed 1 doomed/act 2"
            ], "\(effects)")
        host.child.signal(SIGTERM)
        _ = try host.finish()
    }

    @Test func `a library that has ended its worker too often catches up with what it missed, and runs on`()
        throws
    {
        let host = try LiveHost(
            scene(#""deaths": 100, "crashes": 2"#, more: #""journal": {},"#),
            ["--control", "--print", "state"])
        host.write(pass)
        // What no checkpoint has told of when the worker is given up is a dead letter.
        try host.settle()
        while try host.ctl("state", "/doomed/heard").output != "1\n" {}
        // Those that its worker was given with the one that ended it no checkpoint has.
        for line in [act("handle", "abort"), pass, pass] { host.write(line) }
        try host.child.waitForErrors("put doomed in quarantine")
        host.write(pass)
        try host.settle()
        let status = try host.ctl("status").output
        #expect(status.contains("doomed stands at action 2, 4 missed"), "\(status)")
        let released = try host.ctl("release", "--catch-up", "doomed")
        #expect(released.exitCode == 0, "\(released)")
        #expect(released.output.contains("doomed: has gone over 4 actions "), "\(released.output)")
        host.write(pass)
        let (state, errors, _) = try host.finish()
        #expect(
            try JSONText.parse(state)["doomed"]?["heard"] == 6, "\(released.output)\(state)\(errors)")
    }

    @Test(arguments: ["", #""journal": {},"#])
    func `an action that a reload hands over unanswered is left out when it ends the workers that follow`(
        journal: String
    ) throws {
        // The worker does not come to the end of it, and the reload does not wait for that.
        let more = { (step: Int) in journal + #" "state": { "step": \#(step) },"# }
        let rules = #""deaths": 2, "crashes": 100"#
        let host = try LiveHost(
            scene(rules, hang: 10, more: more(1)), ["--control", "--grace", "0.1", "--print", "state"])
        host.write(pass)
        try host.settle()
        host.write(act("reduce", "loop"))
        try host.settle()
        let next = try scene(rules, hang: 10, settings: #"{ "isUnwritable": false }"#, more: more(2))
        try host.scene.folder.write(next.folder.read("plugins.json"), to: "plugins.json")
        host.child.signal(SIGHUP)
        try host.child.waitForErrors("generation 2 runs")
        try host.child.waitForErrors("doomed/act, has ended 2 workers and is left out")
        host.write(pass)
        let (state, errors, _) = try host.finish()
        #expect(try JSONText.parse(state)["doomed"]?["heard"] == 2, "\(state)\(errors)")
        #expect(!errors.contains { $0.contains("quarantine") }, "\(errors)")
    }

    @Test func `what a library misses while it catches up is reduced in its worker`() throws {
        let host = try LiveHost(
            scene(#""deaths": 100, "crashes": 2"#, more: #""journal": {},"#),
            ["--control", "--print", "state"])
        host.write(act("handle", "abort"))
        try host.child.waitForErrors("put doomed in quarantine")
        let release = try ChildProcess(
            BuiltProducts.program, ["ctl", "release", "--catch-up", "doomed"], in: host.scene.folder.path,
            environment: host.scene.environment)
        var passes = 0
        // Each time is told by a rejected line, of which a host tells 100.
        while !release.hasEnded, passes < 1_000 {
            for _ in 0..<20 { host.write(pass) }
            passes += 20
            try host.settle()
            try release.takeWhatIsThere()
        }
        let released = try release.finish()
        #expect(released.exitCode == 0, "\(released)")
        let (state, errors, _) = try host.finish()
        let heard = try #require(try JSONText.parse(state)["doomed"]?["heard"]?.intValue)
        // The action that had ended it is among them.
        #expect(heard == passes + 1, "\(released.output)\(errors.suffix(5))")
    }

    @Test func `a plugin that ends its worker at each start is in quarantine soon, and the host goes on`()
        throws
    {
        let host = try LiveHost(
            scene(#""crashes": 3"#, settings: #"{ "start": "trap" }"#), ["--print", "state"])
        try host.child.waitForErrors(
            "the plugin doomed is in quarantine: it has ended its worker 3 times within 10 min, the last time it died by SIGILL; "
        )
        host.write(count)
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0)
        #expect(try JSONText.parse(state)["counter"]?["count"] == 1, "\(errors)")
    }

    @Test func `nobody waits for a worker that stands still`() throws {
        let host = try LiveHost(scene(#""deaths": 3"#), ["--control", "--print", "state"])
        let worker = try #require(WorkerProcesses(of: host.child).identifiers.first)
        try WorkerProcesses.stop(worker)
        for _ in 0..<1_000 {
            host.write(pass)
            host.write(count)
        }
        try host.settle()
        #expect(try host.ctl("state", "/counter/count").output == "1000\n")
        #expect(try host.ctl("state", "/doomed/heard").output == "0\n")
        kill(worker, SIGCONT)
        let (state, errors, _) = try host.finish()
        #expect(try JSONText.parse(state)["doomed"]?["heard"] == 1_000, "\(errors)")
    }
}
