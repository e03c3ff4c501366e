// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// What the commands that look back make of a journal which a run has written.
@Suite(.timeLimit(.minutes(10))) struct PastCommandsTests {
    /// A till of version one that has sold twice and been asked for a receipt.
    private func scene() throws -> Scene {
        let scene = try Scene.soldTill()
        for library in ["TillTwoPlugin", "TillTrapPlugin"] { try scene.folder.copyLibrary(library) }
        return scene
    }

    /// A text in which each moment is a word.
    private func timeless(_ text: String) -> String {
        text.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "TIME")
    }

    // MARK: - history

    @Test func `the history tells each action with what led to it`() throws {
        let scene = try scene()
        let outcome = try scene.call("history")
        #expect(
            timeless(outcome.output) == """
                      1  TIME  till/sold                     standard input:1
                      2  TIME  till/taxed                    output of 1 by till
                      3  TIME  till/sold                     standard input:2
                      4  TIME  till/taxed                    output of 3 by till
                      5  TIME  till/ask                      standard input:3
                      6  TIME  till/receipt                  effect of 5 by till

                """)
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
    }

    @Test func `types, payloads and the newest can be asked for`() throws {
        let scene = try scene()
        #expect(
            timeless(try scene.call("history", "--type", "till/*", "--last", "3", "--payload").output) == """
                      4  TIME  till/taxed                    output of 3 by till  240
                      5  TIME  till/ask                      standard input:3
                      6  TIME  till/receipt                  effect of 5 by till

                """)
        let lines = try scene.call("history", "--json", "--type", "till/taxed", "--from", "3").output
            .split(separator: "\n").map { try JSONText.parse(String($0)) }
        #expect(lines.map { $0["sequence"] } == [4])
        #expect(lines[0]["cause"] == ["kind": "output", "of": 3])
        #expect(lines[0]["action"] == ["type": "till/taxed", "payload": 240])
    }

    @Test(
        .enabled(if: Workshop.has("script"), "needs script"),
        arguments: [("", 6...25), ("--from 1", 1...25), ("--to 22", 1...22), ("--last 21", 5...25)])
    func `on a terminal the newest 20 actions are shown, unless others are asked for`(
        options: String, shown: ClosedRange<Int>
    ) throws {
        let scene = try Scene.counter(#""journal": { "directory": "journal" }, "#)
        let input = String(repeating: #"{"type":"counter/increment"}"# + "\n", count: 25)
        #expect(try scene.run(["--print", "none"], input: input).exitCode == 0)
        let terminal = try ChildProcess(
            "/usr/bin/script",
            ["--quiet", "--command", "\(BuiltProducts.program) history \(options)", "/dev/null"],
            in: scene.folder.path, environment: scene.environment, keeping: scene.folder)
        let output = try terminal.finish().output
        let numbers = output.split(separator: "\r\n").map { line in
            line.split(separator: " ").first.flatMap { Int($0) }
        }
        #expect(numbers == Array(shown), "\(output)")
    }

    @Test func `what one instance emitted can be asked for`() throws {
        let scene = try scene()
        #expect(
            timeless(try scene.call("history", "--instance", "till", "--from", "3").output) == """
                      4  TIME  till/taxed                    output of 3 by till
                      6  TIME  till/receipt                  effect of 5 by till

                """)
        #expect(try scene.call("history", "--instance", "nobody").output == "")
    }

    @Test func `an action is shown in the tree of what led to it and what it led to`() throws {
        let scene = try scene()
        #expect(
            try scene.call("history", "--causes", "6").output
                == "5  till/ask  standard input:3\n└─ 6  till/receipt  effect of 5 by till  ←\n")
        let none = try scene.call("history", "--causes", "60")
        #expect(none.errors == "gatehouse: the journal has no action 60; it has 1 to 6\n")
        #expect(none.exitCode == 65)
        #expect(
            try scene.call("history", "--tree", "--to", "3").output
                == "1  till/sold  standard input:1\n└─ 2  till/taxed  output of 1 by till\n3  till/sold  standard input:2\n"
        )
    }

    @Test func `what a running host writes is followed`() throws {
        let scene = try scene()
        let host = try LiveHost(scene)
        let follower = try ChildProcess(
            BuiltProducts.program, ["history", "--follow", "--from", "6"], in: scene.folder.path,
            environment: scene.environment, keeping: scene.folder)
        try follower.waitForOutput("till/receipt")
        host.write(#"{"type":"till/sold","payload":5}"#)
        try host.settle()
        try follower.waitForOutput("output of 7 by till")
        follower.signal(SIGINT)
        _ = try follower.finish()
        host.child.closeInput()
        _ = try host.child.finish()
    }

    @Test(
        arguments: [
            (
                ["history", "--from", "noon"],
                "--from: expected the number of an action, or a moment such as 2026-01-31T12:00:00Z, found \"noon\"",
                64
            ),
            (
                ["history", "--type", "a*b"],
                "--type: expected an action type with \"*\" nowhere but at its end, found \"a*b\"", 64
            ),
            (
                ["history", "--causes", "1", "--type", "a"],
                "--causes and --type are both given; give one of them", 64
            ),
            (["history", "--follow", "--tree"], "--follow and --tree are both given; give one of them", 64),
            (
                ["history", "--causes", "0"],
                "--causes: expected the number of an action, such as 1042, found \"0\"", 64
            ),
            (
                ["history", "--journal", "no"],
                "no/journal.sqlite: the journal cannot be read: there is none; name the folder of a journal that a host wrote",
                65
            ),
            (
                ["replay", "--last", "3", "--from", "1"],
                "--last and --from are both given; give one of them", 64
            ),
            (
                ["state", "--at", "x"],
                "--at: expected the number of an action, or 0 for the beginning, found \"x\"", 64
            ),
            (["state", "till"], "state: expected a JSON Pointer such as \"/orders/eu\", found \"till\"", 64),
            (["state", "--at", "70"], "the journal has no action 70; its last one is 6", 65),
            (["state", "/tall"], "the state has nothing at /tall", 65),
        ])
    func `what cannot be shown is told with what was expected`(
        arguments: [String], sentence: String, code: Int32
    ) throws {
        let scene = try scene()
        let outcome = try ChildProcess.run(
            arguments: arguments, in: scene.folder.path, environment: scene.environment)
        #expect(outcome.errors == "gatehouse: \(sentence)\n")
        #expect(outcome.output == "")
        #expect(outcome.exitCode == code)
    }

    @Test func `a configuration without a journal is told`() throws {
        let scene = try Scene.counter()
        let outcome = try scene.call("history")
        #expect(
            outcome.errors
                == "gatehouse: plugins.json names no journal; name its folder with --journal, or add \"journal\"\n"
        )
        #expect(outcome.exitCode == 78)
    }

    @Test(arguments: ["history", "state"])
    func `whoever looks for the journal of a cluster is shown the way`(command: String) throws {
        let scene = try Scene(
            #"{ "cluster": { "engine": "local:p.db", "name": "shop" }, "plugins": [] }"#)
        let outcome = try scene.call(command)
        #expect(
            outcome.errors
                == "gatehouse: plugins.json names no journal; what has come to its cluster is told by gatehouse cluster history, and what that made of it by gatehouse cluster state\n"
        )
        #expect(outcome.exitCode == 78)
    }

    // MARK: - state

    @Test func `the state is printed as it was after any action`() throws {
        let scene = try scene()
        #expect(try scene.call("state", "--at", "3", "/till/total").output == "12\n")
        #expect(try scene.call("state", "--at", "4", "/till/total").output == "252\n")
        #expect(
            try scene.call("state").output == """
                {
                  "till": {
                    "total": 252,
                    "receipts": 1
                  }
                }

                """)
        #expect(try scene.call("state", "--at", "0", "/till/receipts").output == "0\n")
    }

    @Test func `a kept library that its group may write to is still used for the state of then`() throws {
        let scene = try scene()
        let images = scene.folder("journal/images")
        let image = try #require(FileSystem.names(in: images).first)
        try FileSystem.setMode(0o570, of: "\(images)/\(image)/libTillOnePlugin.so")
        #expect(try scene.call("state", "--at", "4", "/till/total").output == "252\n")
    }

    @Test func `the state of then is printed beside the host that runs`() throws {
        let scene = try scene()
        let host = try LiveHost(scene)
        host.write(#"{"type":"till/sold","payload":5}"#)
        try host.settle()
        #expect(try scene.call("state", "--at", "4", "/till/total").output == "252\n")
        host.child.closeInput()
        _ = try host.child.finish()
    }

    // MARK: - replay

    @Test func `the same plugins do the same`() throws {
        let outcome = try scene().call("replay")
        #expect(
            outcome.output
                == "actions 1 to 6: 4 actions dispatched again; 2 more followed, as many as recorded; 1 effect not run; nothing differs\n"
        )
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
    }

    @Test func `another library is tried in the place of the one with its plugin id`() throws {
        let scene = try scene()
        let outcome = try scene.call("replay", "--with", "libTillTwoPlugin.so")
        #expect(
            outcome.output == """
                actions 1 to 6: 4 actions dispatched again; 2 more followed, as many as recorded; 1 effect not run
                1 action with other content:
                  till/taxed by till after 3: /payload 240 → 250
                the state differs at 1 place, for the first time after 3:
                  /till/total  252 → 262
                the first difference follows from:
                  3  till/sold  standard input:2  200

                """)
        #expect(outcome.exitCode == 65)
        let json = try JSONText.parse(
            try scene.call("replay", "--with", "libTillTwoPlugin.so", "--json").output)
        #expect(json["same"] == false)
        #expect(json["counts"] == ["changed": 1])
        #expect(json["firstStateDifference"] == 3)
        #expect(
            json["state"] == [["pointer": "/till/total", "instance": "till", "recorded": 252, "found": 262]])
        #expect(try scene.call("history").output.split(separator: "\n").count == 6)
    }

    @Test func `what interceptors decided then is taken as it was`() throws {
        let scene = try Scene(
            #"{ "journal": {}, "plugins": [{ "id": "interceptor" }] }"#, libraries: ["InterceptorPlugin"])
        let lines = ["change", "twice", "note", "stop", "pass", "note"].enumerated().map {
            #"{"type":"interceptor/\#($1)","payload":{"number":\#($0)}}"# + "\n"
        }
        let run = try scene.run(input: lines.joined())
        #expect(run.exitCode == 0)
        #expect(try scene.call("state").output == run.output)
        let replay = try scene.call("replay")
        #expect(replay.output.hasSuffix("; nothing differs\n"), "\(replay.output)")
        #expect(replay.exitCode == 0)
    }

    @Test func `a library that ends the process is told by its backtrace`() throws {
        let scene = try scene()
        let outcome = try scene.call("replay", "--with", "libTillTrapPlugin.so")
        #expect(outcome.errors.contains("no change for 200"), "\(outcome.errors)")
        #expect(outcome.exitCode != 0)
    }

    @Test func `a library of a plugin that is not used is refused`() throws {
        let scene = try scene()
        try scene.folder.copyLibrary("CounterPlugin")
        let outcome = try scene.call("replay", "--with", "libCounterPlugin.so")
        #expect(
            outcome.errors.hasSuffix(
                "libCounterPlugin.so: no library in ./plugins that is used declares the plugin id \"counter\"; name a library of a plugin that is\n"
            ), "\(outcome.errors)")
        #expect(outcome.exitCode == 78)
    }

    // MARK: - reload

    /// A running host with the past of the scene, into whose folder another till is dropped.
    private func host(with library: String) throws -> (LiveHost, Scene) {
        let scene = try scene()
        let host = try LiveHost(scene, ["--control", "--print", "none"])
        FileSystem.remove(scene.folder("plugins/libTillOnePlugin.so"))
        try scene.addLibrary(library)
        return (host, scene)
    }

    @Test func `a reload that is rehearsed with history tells what differs`() throws {
        let (host, scene) = try host(with: "TillTwoPlugin")
        let strict = try scene.call("ctl", "reload", "--rehearse-with-history", "100", "--strict")
        #expect(
            strict.output == """
                rehearsal with history: actions 1 to 6: 4 actions dispatched again; 2 more followed, as many as before; 1 effect not run
                  1 action with other content:
                    till/taxed by till after 3: /payload 240 → 250
                  the state differs at 1 place, for the first time after 3:
                    /till/total  252 → 262
                  the first difference follows from:
                    3  till/sold  standard input:2  200
                the change is refused, generation 1 runs on

                """)
        #expect(strict.exitCode == 78)
        let lenient = try scene.call("ctl", "reload", "--rehearse-with-history", "100")
        #expect(lenient.output.hasPrefix("warning: rehearsal with history: actions 1 to 6: "))
        #expect(lenient.output.contains("\ngeneration 2 runs, after "))
        #expect(lenient.exitCode == 0)
        host.child.closeInput()
        _ = try host.child.finish()
    }

    @Test func `a reload that would have ended the process is refused with the action`() throws {
        let (host, scene) = try host(with: "TillTrapPlugin")
        let outcome = try scene.call("ctl", "reload", "--rehearse-with-history", "100")
        #expect(
            outcome.output.hasPrefix(
                "rehearsal with history: died by SIGILL at action 3, till/sold in till\n"),
            "\(outcome.output)")
        #expect(outcome.output.contains("no change for 200"), "\(outcome.output)")
        #expect(outcome.output.hasSuffix("the change is refused, generation 1 runs on\n"))
        #expect(outcome.exitCode == 78)
        host.child.closeInput()
        _ = try host.child.finish()
    }

    @Test func `a host without a journal has no history to rehearse with`() throws {
        let host = try ControlledHost()
        try host.scene.folder.write(
            ControlledHost.configuration(entries: #", { "id": "apac", "library": "libCounterPlugin.so" }"#),
            to: "plugins.json")
        let outcome = try host.ctl("reload", "--rehearse-with-history", "3")
        #expect(
            outcome.output
                == "the host keeps no journal, so there is no history to rehearse with; add \"journal\", or reload without it\nthe change is refused, generation 1 runs on\n"
        )
        #expect(outcome.exitCode == 78)
        let alone = try host.ctl("reload", "--strict")
        #expect(
            alone.errors
                == "gatehouse: ctl reload needs --rehearse-with-history beside --strict; see gatehouse help ctl reload\n"
        )
        #expect(alone.exitCode == 64)
        _ = try host.finish()
    }

    // MARK: - dead letters

    @Test func `dead letters outlive the host that keeps a journal`() throws {
        let scene = try scene()
        _ = try scene.run(["--print", "none"], input: #"{"type":"till/sold","payload":"ten"}"# + "\n")
        let host = try LiveHost(scene, ["--control", "--print", "none"])
        let letters = try JSONText.parse(try scene.call("ctl", "dead-letters", "--json").output)
        #expect(letters["letters"]?[0]?["id"] == 1)
        #expect(letters["letters"]?[0]?["action"] == ["type": "till/sold", "payload": "ten"])
        #expect(try scene.call("ctl", "redispatch", "1").output.hasPrefix("1: dead again, as 2: "))
        host.child.closeInput()
        _ = try host.child.finish()
        let next = try LiveHost(scene, ["--control", "--print", "none"])
        #expect(try scene.call("ctl", "dead-letters").output.hasPrefix("2  "))
        next.child.closeInput()
        _ = try next.child.finish()
    }
}
