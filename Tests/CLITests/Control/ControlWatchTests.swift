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
