// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

@Suite("gatehouse ctl watch", .timeLimit(.minutes(10)))
struct ControlWatchTests {
    /// Starts `ctl watch` and waits until it misses nothing.
    private func watch(_ host: ControlledHost, _ arguments: String...) throws -> ChildProcess {
        let watcher = try ChildProcess(
            BuiltProducts.program, ["ctl", "watch"] + arguments, in: host.scene.folder.path,
            environment: host.scene.environment)
        try watcher.waitForErrors("gatehouse: watching shop\n")
        return watcher
    }

    @Test func `each action is told with where it came from`() throws {
        let host = try ControlledHost("", ["--print", "actions"])
        let watcher = try watch(host)
        host.process.write(#"{"type":"eu/increment","payload":{"by":2},"error":true}"# + "\n")
        try host.process.waitForOutput("eu/increment")
        try watcher.waitForOutput("input:1")
        _ = try host.ctl("dispatch", "nobody/hears")
        try watcher.waitForOutput("control")
        #expect(try host.finish().exitCode == 0)
        let outcome = try watcher.finish()
        #expect(
            outcome.output == """
                eu/increment {"by":2} (error) from standard input:1
                nobody/hears from control:1

                """)
        #expect(outcome.errors == "gatehouse: watching shop\ngatehouse: shop has ended\n")
        #expect(outcome.exitCode == 69)
    }

    @Test func `only what was asked for is told`() throws {
        let scene = try Scene(
            ControlledHost.configuration(entries: #", { "id": "probe" }"#),
            libraries: ["CounterPlugin", "ProbePlugin"])
        let process = try scene.start(["--control"])
        try process.waitForErrors("gatehouse: shop can be controlled")
        let client = try LocalConnection(scene.folder("gatehouse/shop.sock"))
        let watcher = try LocalConnection(scene.folder("gatehouse/shop.sock"))
        watcher.write(#"{"jsonrpc":"2.0","id":1,"method":"watch","params":{"instances":["probe"]}}"# + "\n")
        #expect(watcher.readLine() == #"{"jsonrpc":"2.0","id":1,"result":{"watching":true}}"#)
        let ping =
            #"{"jsonrpc":"2.0","id":1,"method":"dispatch","params":{"action":{"type":"probe/ping","payload":{"number":7}}}}"#
            + "\n"
        client.write(ping)
        #expect(
            watcher.readLine()
                == #"{"jsonrpc":"2.0","method":"watch","params":{"action":{"type":"probe/pong","payload":{"number":7}},"source":{"instance":"probe"}}}"#
        )
        // A second watch takes the place of the first.
        watcher.write(
            #"{"jsonrpc":"2.0","id":2,"method":"watch","params":{"types":["eu/*","probe/ping"]}}"# + "\n")
        #expect(watcher.readLine() == #"{"jsonrpc":"2.0","id":2,"result":{"watching":true}}"#)
        client.write(ping)
        #expect(
            watcher.readLine()
                == #"{"jsonrpc":"2.0","method":"watch","params":{"action":{"type":"probe/ping","payload":{"number":7}},"source":{"input":"control","line":2}}}"#
        )
        watcher.write(#"{"jsonrpc":"2.0","id":3,"method":"unwatch"}"# + "\n")
        #expect(watcher.readLine() == #"{"jsonrpc":"2.0","id":3,"result":{"watching":false}}"#)
        process.closeInput()
        #expect(try process.finish().exitCode == 0)
        #expect(watcher.readLine() == nil)
    }

    @Test func `the state is told at once and when it has changed`() throws {
        let host = try ControlledHost()
        let watcher = try watch(host, "--state", "/orders/eu", "--json")
        try watcher.waitForOutput(#"{"state":{"pointer":"/orders/eu","value":{"count":0}}}"# + "\n")
        _ = try host.ctl("dispatch", "us/increment")
        _ = try host.ctl("dispatch", "eu/increment")
        try watcher.waitForOutput(#"{"state":{"pointer":"/orders/eu","value":{"count":1}}}"# + "\n")
        #expect(try host.finish().exitCode == 0)
        #expect(try watcher.finish().output.split(separator: "\n").count == 2)
    }

    @Test func `what comes to nothing is told with the reason to those who ask for it`() throws {
        let scene = try Scene(
            """
            { "name": "shop", "discovery": "ignore", "state": {}, "plugins": [
                { "id": "limit", "library": "libLimitPlugin.so", "settings": { "rules": {
                    "typing": { "when": "eu/increment", "debounce": 3600 } } } },
                { "id": "eu", "library": "libCounterPlugin.so" },
                { "id": "us", "library": "libCounterPlugin.so" }] }
            """, libraries: ["CounterPlugin", "LimitPlugin"])
        let host = try ControlledHost(in: scene)
        let plain = try watch(host)
        let watcher = try watch(host, "--turned-away")
        let narrow = try host.connect()
        narrow.write(
            #"{"jsonrpc":"2.0","id":1,"method":"watch","params":{"types":["eu/*"],"turnedAway":true}}"# + "\n"
        )
        #expect(narrow.readLine() == #"{"jsonrpc":"2.0","id":1,"result":{"watching":true}}"#)
        host.process.write("nonsense\n")
        try host.process.waitForErrors("standard input:1:1: ")
        try watcher.waitForOutput("a line from standard input:1: rejected: ")
        host.process.write(#"{"type":"us/increment","payload":{"by":"many"}}"# + "\n")
        try host.process.waitForErrors("us/increment for us: ")
        try watcher.waitForOutput(
            "us/increment from standard input:2: misfit at us: the payload does not fit: ")
        host.process.write(#"{"type":"host/none"}"# + "\n")
        try host.process.waitForErrors("standard input:3: ")
        try watcher.waitForOutput("host/none from standard input:3: refused-input: ")
        for number in 1...2 {
            _ = try host.ctl("dispatch", #"{"type":"eu/increment","payload":{"by":\#(number)}}"#)
        }
        try watcher.waitForOutput(
            #"eu/increment {"by":1} from control:1: stopped at limit: its interceptor stopped it"# + "\n")
        #expect(
            narrow.readLine()
                == #"{"jsonrpc":"2.0","method":"watch","params":{"turnedAway":{"kind":"stopped","type":"eu/increment","action":{"type":"eu/increment","payload":{"by":1}},"source":{"input":"control","line":1},"instance":"limit","reason":"its interceptor stopped it"}}}"#
        )
        #expect(try host.finish().exitCode == 0)
        #expect(try !plain.finish().output.contains(": stopped at "))
        _ = try watcher.finish()
    }

    @Test func `an action that closed gates keep from instances is told once, with all of them`() throws {
        let scene = try Scene(
            """
            { "name": "shop", "discovery": "ignore", "state": {}, "plugins": [
                { "id": "eu", "library": "libCounterPlugin.so", "gate": "bypass" },
                { "id": "us", "library": "libCounterPlugin.so",
                  "lift": { "input": { "eu/increment": "increment" } }, "gate": "bypass" },
                { "id": "apac", "library": "libCounterPlugin.so" }] }
            """, libraries: ["CounterPlugin"])
        let host = try ControlledHost(in: scene)
        let plain = try watch(host)
        let watcher = try watch(host, "--turned-away")
        for type in ["eu/increment", "apac/increment", "eu/unheard"] {
            _ = try host.ctl("dispatch", type)
        }
        _ = try host.ctl("open", "us")
        _ = try host.ctl("dispatch", "eu/increment")
        _ = try host.ctl("open", "eu")
        _ = try host.ctl("dispatch", "eu/increment")
        #expect(try host.finish().exitCode == 0)
        #expect(try !plain.finish().output.contains(": gated at "))
        #expect(
            try watcher.finish().output.split(separator: "\n").filter { $0.contains(": gated at ") } == [
                "eu/increment from control:1: gated at eu, us: their gates are closed",
                "eu/increment from control:5: gated at eu: its gate is closed",
            ])
    }

    @Test func `of many instances that closed gates keep an action from, 20 are named and the rest counted`()
        throws
    {
        let entries = (1...22).map { number in
            #"{ "id": "c\#(number)", "library": "libCounterPlugin.so", "lift": { "input": { "all/more": "increment" } }, "gate": "bypass" }"#
        }
        let host = try ControlledHost(
            in: Scene(
                #"{ "name": "shop", "discovery": "ignore", "plugins": [\#(entries.joined(separator: ", "))] }"#,
                libraries: ["CounterPlugin"]))
        let watcher = try watch(host, "--turned-away")
        _ = try host.ctl("dispatch", "all/more")
        #expect(try host.finish().exitCode == 0)
        let names = (1...20).map { "c\($0)" }.joined(separator: ", ")
        let output = try watcher.finish().output
        #expect(
            output.hasSuffix(
                "all/more from control:1: gated at \(names), 2 more: their gates are closed\n"), "\(output)")
    }

    @Test func `a watch goes on after a reload`() throws {
        let host = try ControlledHost()
        let watcher = try watch(host, "--state", "/orders/eu/count", "eu/*")
        let more = #", { "id": "apac", "library": "libCounterPlugin.so" }"#
        try host.scene.folder.write(ControlledHost.configuration(entries: more), to: "plugins.json")
        #expect(try host.ctl("reload").exitCode == 0)
        _ = try host.ctl("dispatch", "eu/increment")
        try watcher.waitForOutput("/orders/eu/count 0\neu/increment from control:1\n/orders/eu/count 1\n")
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `a watcher that does not read is let go of`() throws {
        let host = try ControlledHost()
        let watcher = try host.connect()
        watcher.write(#"{"jsonrpc":"2.0","id":1,"method":"watch"}"# + "\n")
        #expect(watcher.readLine() == #"{"jsonrpc":"2.0","id":1,"result":{"watching":true}}"#)
        let text = String(repeating: "x", count: 10_000)
        let lines = String(repeating: #"{"type":"big","payload":"\#(text)"}"# + "\n", count: 400)
        #expect(try host.ctl("dispatch", "-", input: lines).output == "400 actions dispatched\n")
        try host.process.waitForErrors("control: client 1 watched and did not read; it was disconnected\n")
        #expect(try host.status()["clients"] == ["connected": 1, "watching": 0, "dropped": 1])
        #expect(try host.finish().exitCode == 0)
    }
}
