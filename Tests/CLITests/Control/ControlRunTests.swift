// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

@Suite("gatehouse ctl", .timeLimit(.minutes(10)))
struct ControlRunTests {
    @Test func `the status names the instances, their gates and what was done`() throws {
        let host = try ControlledHost()
        let outcome = try host.ctl("status")
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0].hasPrefix("shop: gatehouse 0.6.0, process "))
        #expect(lines[0].hasSuffix(", generation 1"))
        #expect(
            lines[1...].joined(separator: "\n") == """
                0 actions, 0 waiting, 0 effects running
                0 lines, 0 rejected
                input standard input: 0 lines
                1 client, 0 watching

                INSTANCE  PLUGIN         GATE    HEARD  EMITTED  EFFECTS  FAILED
                eu        counter 1.0.0  active      0        0        0       0
                us        counter 1.0.0  active      0        0        0       0

                """)
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
        let nothing: Value = ["samples": 0, "nanoseconds": 0]
        #expect(
            try host.status()["instances"]?[0] == [
                "id": "eu", "plugin": "counter", "version": "1.0.0",
                "library": "./plugins/libCounterPlugin.so", "gate": "active", "follows": nil,
                "placement": "host",
                "slice": "/orders/eu", "heard": 0, "emitted": 0, "stopped": 0, "dropped": 0, "refused": 0,
                "misfits": 0, "failures": 0, "effects": 0,
                "time": ["handle": nothing, "reduce": nothing, "io": nothing], "health": "ok",
            ])
    }

    @Test func `a host is found without a name when it is the only one`() throws {
        let host = try ControlledHost()
        #expect(try host.ctl("hosts").output == "shop  \(host.scene.folder("gatehouse/shop.sock"))\n")
        #expect(try host.ctl("state", "/features").output == "{\n  \"us\": true\n}\n")
        #expect(try host.ctl("state", "--name", "shop", "/features/us").output == "true\n")
        let path = host.scene.folder("gatehouse/shop.sock")
        #expect(try host.ctl("state", "--socket", path, "/features/us").output == "true\n")
    }

    @Test func `of several hosts one must be named`() throws {
        let host = try ControlledHost()
        let other = try host.scene.start(["--control", "--name", "ship"])
        try other.waitForErrors("gatehouse: ship can be controlled")
        let unnamed = try host.ctl("status")
        #expect(
            unnamed.errors == "gatehouse: several hosts are running: ship, shop; choose one with --name\n")
        #expect(unnamed.exitCode == 69)
        let misnamed = try host.ctl("status", "--name", "shap")
        #expect(misnamed.errors == "gatehouse: no host named shap is running; did you mean ship?\n")
        let strange = try host.ctl("status", "--name", "warehouse")
        #expect(strange.errors == "gatehouse: no host named warehouse is running; running: ship, shop\n")
        #expect(try host.ctl("status", "--name", "ship").output.hasPrefix("ship: gatehouse "))
    }

    @Test func `a folder in which others could put something is not looked into, and that is said`() throws {
        let host = try ControlledHost()
        let folder = host.scene.folder("gatehouse")
        try FileSystem.setMode(0o777, of: folder)
        let outcome = try host.ctl("status")
        #expect(
            outcome.errors
                == "gatehouse: no host of this user is running; \(folder) is skipped, because others may write to it\n"
        )
        #expect(outcome.exitCode == 69)
        try FileSystem.setMode(0o700, of: folder)
        _ = try host.finish()
    }

    @Test func `no running host is said in one sentence`() throws {
        let scene = try Scene.counter()
        let outcome = try scene.call("ctl", "status")
        #expect(
            outcome.errors
                == "gatehouse: no host of this user is running; start one with gatehouse run --control\n")
        #expect(outcome.exitCode == 69)
        let named = try scene.call("ctl", "status", "--socket", scene.folder("nothing.sock"))
        #expect(
            named.errors
                == "gatehouse: \(scene.folder("nothing.sock")): no host is listening there; see gatehouse ctl hosts\n"
        )
        #expect(named.exitCode == 69)
        #expect(try scene.call("ctl", "hosts").output == "")
    }

    @Test func `a name is taken by one host only`() throws {
        let host = try ControlledHost()
        let second = try host.scene.run(["--control"])
        #expect(
            second.errors
                == "gatehouse: the control socket: a host is running at \(host.scene.folder("gatehouse/shop.sock")); end it with gatehouse ctl stop, or give this one another name with --name\n"
        )
        #expect(second.exitCode == 78)
        #expect(try host.ctl("state", "/features/us").output == "true\n")
    }

    @Test func `the socket of a host that was killed is replaced`() throws {
        let host = try ControlledHost()
        host.process.signal(SIGKILL)
        #expect(try host.process.finish().exitCode == nil)
        #expect(FileSystem.names(in: host.scene.folder("gatehouse")).contains("shop.sock"))
        #expect(try host.ctl("hosts").output == "")
        let next = try host.scene.start(["--control"])
        try next.waitForErrors("gatehouse: shop can be controlled")
        #expect(try host.ctl("state", "/features/us").output == "true\n")
        next.closeInput()
        #expect(try next.finish().exitCode == 0)
        #expect(!FileSystem.names(in: host.scene.folder("gatehouse")).contains("shop.sock"))
    }

    @Test func `something else at the place of the socket stays there`() throws {
        let scene = try Scene(
            #"{ "control": "unix:plugins.json", "plugins": [{ "id": "counter" }] }"#,
            libraries: ["CounterPlugin"])
        let outcome = try scene.run()
        #expect(
            outcome.errors
                == "gatehouse: the control socket: ./plugins.json: expected nothing or the socket of a host that has ended, found something else; remove it\n"
        )
        #expect(outcome.exitCode == 78)
    }

    @Test(arguments: [["--no-control"], []])
    func `a host that is not to be controlled has no socket`(arguments: [String]) throws {
        let control = arguments.isEmpty ? "" : #""control": true, "#
        let scene = try Scene.counter(control)
        let outcome = try scene.run(arguments, input: "")
        #expect(outcome.errors == "gatehouse: 0 lines, 0 actions, 0 rejected\n")
        #expect(FileSystem.names(in: scene.folder("gatehouse")) == [])
    }

    @Test func `a host without a name is called like its folder`() throws {
        let scene = try Scene.counter(#""control": true, "#)
        let name = scene.folder.path.split(separator: "/").last?.lowercased() ?? ""
        let outcome = try scene.run(input: "")
        #expect(
            outcome.errorLines.first
                == "gatehouse: \(name) can be controlled at \(scene.folder("gatehouse/\(name).sock"))")
    }

    @Test func `a host that is told to stop ends in good order`() throws {
        let host = try ControlledHost()
        _ = try host.ctl("dispatch", "eu/increment")
        let stop = try host.ctl("stop")
        #expect(stop.output == "shop has ended\n")
        #expect(stop.exitCode == 0)
        let outcome = try host.process.finish()
        #expect(outcome.output.contains("\"count\": 1"))
        #expect(outcome.errors.hasSuffix("rejected, ended by gatehouse ctl\n"))
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: [
        (
            ["ctl"],
            "ctl needs one of status, top, state, watch, dispatch, open, close, gate, release, plan, reload, try, swap, shadow, hour, costs, effects, now, entry, generations, graph, metrics, dead-letters, redispatch, discard, cluster, upgrade, stop, hosts; see gatehouse help ctl"
        ),
        (["ctl", "statsu"], "unknown request \"statsu\", did you mean \"status\"?; see gatehouse help ctl"),
        (["ctl", "open"], "ctl open needs the id of an instance; see gatehouse help ctl open"),
        (["ctl", "gate", "eu", "shut"], "ctl gate: expected open or close, found \"shut\""),
        (["ctl", "status", "--once"], "--once belongs to ctl top, found it with ctl status; leave it out"),
        (
            ["ctl", "reload", "--expect", "x"],
            "--expect: expected the number of a generation, such as 3, found \"x\""
        ),
        (
            ["ctl", "status", "--name", "a", "--socket", "b"],
            "--name and --socket are both given; give one of them"
        ),
        (["ctl", "state", "/a", "/b"], "unexpected argument \"/b\"; see gatehouse help ctl"),
        (
            ["run", "--control", "--no-control"],
            "--control and --no-control are both given; give one of them"
        ),
        (
            ["run", "--name", "My Shop"],
            "--name: expected at most 64 small letters, digits, \".\", \"_\" and \"-\", found \"My Shop\""
        ),
    ])
    func `a command line that makes no sense is refused`(arguments: [String], sentence: String) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.errors == "gatehouse: \(sentence)\n")
        #expect(outcome.exitCode == 64)
    }

    @Test func `what a host has refused is not done by the next one`() throws {
        let members = #""journal": { "mode": "strict" }, "#
        let host = try ControlledHost(members)
        #expect(try host.ctl("close", "later").errors.contains("expected the id of an instance"))
        #expect(try host.ctl("close", "us").errors.contains("the gate of us follows the state"))
        #expect(try host.ctl("dispatch", "eu/increment").exitCode == 0)
        _ = try host.finish()
        try host.scene.folder.write(
            ControlledHost.configuration(
                members, entries: #", { "id": "later", "library": "libCounterPlugin.so" }"#),
            to: "plugins.json")
        let next = try ControlledHost(in: host.scene)
        #expect(try next.ctl("dispatch", "later/increment").exitCode == 0)
        #expect(try next.ctl("state", "/later/count").output == "1\n")
        #expect(!(try next.finish().errors.contains("accepted and not yet processed")))
    }
}
