// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// Programs that are killed while they talk to a host.
@Suite(.timeLimit(.minutes(10))) struct KilledClientTests {
    /// A program that writes a text to a socket, says so, and stays.
    private func program(writing text: String, to path: String) throws -> ChildProcess {
        let connection = try LocalConnection(path)
        let child = try ChildProcess(
            "/bin/sh", ["-c", #"printf '%s' "$0" >&3; echo written; read -r line"#, text], in: "/",
            handing: connection.descriptor, keeping: connection)
        // From here on the connection is the program's alone.
        connection.close()
        try child.waitForOutput("written\n")
        return child
    }

    @Test
    func `a client that is killed in the middle of its request is forgotten, and the next one is served`()
        throws
    {
        let host = try ControlledHost()
        let client = try program(
            writing: #"{"jsonrpc":"2.0","id":1,"method":"dispatch","params":{"action":{"type":"eu/incr"#,
            to: host.scene.folder("gatehouse/shop.sock"))
        #expect(try host.status()["clients"]?["connected"] == 2)
        client.signal(SIGKILL)
        #expect(try client.finish().exitCode == nil)
        #expect(try host.ctl("dispatch", "eu/increment").output == "1 action dispatched\n")
        #expect(try host.status()["clients"] == ["connected": 1, "watching": 0, "dropped": 0])
        let outcome = try host.finish()
        #expect(outcome.output.contains(#""count": 1"#))
        #expect(outcome.errorLines.count == 2, "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `a client that is killed while its reload is under way does not stop it`() throws {
        let live = try LiveHost(
            #"{ "name": "shop", "plugins": [{ "id": "migrant" }] }"#, libraries: ["MigrantOnePlugin"],
            ["--control"], environment: Checkpoint.environment)
        let checkpoint = try Checkpoint(in: live.scene.folder)
        live.write(#"{"type":"migrant/plan","payload":{"deed":"halt:\#(checkpoint.path)"}}"#)
        try live.settle()
        try live.replace("MigrantOnePlugin", by: "MigrantTwoPlugin")
        let client = try ChildProcess(
            BuiltProducts.program, ["ctl", "reload"], in: live.scene.folder.path,
            environment: live.scene.environment)
        _ = try checkpoint.waitForArrival()
        client.signal(SIGKILL)
        #expect(try client.finish().exitCode == nil)
        #expect(try live.ctl("state", "/migrant/total").output == "0\n")
        checkpoint.release(9)
        try live.child.waitForErrors("generation 2 runs")
        #expect(try live.ctl("state", "/migrant").output == "{\n  \"sum\": 0\n}\n")
        #expect(try live.finish().exitCode == 0)
    }

    @Test func `a writer that is killed in the middle of a line loses that line alone, which is told`() throws
    {
        let scene = try Scene.counter(#""ingress": { "listen": ["unix:in.sock"] }, "#)
        let child = try scene.start()
        try child.waitForErrors("gatehouse: listening at in.sock\n")
        let writer = try program(
            writing: #"{"type":"counter/increment"}"# + "\n" + #"{"type":"counter/incr"#,
            to: scene.folder("in.sock"))
        writer.signal(SIGKILL)
        #expect(try writer.finish().exitCode == nil)
        try child.waitForErrors(
            "in.sock#1:2:1: its writer left before this line was complete; its 21 bytes so far are discarded\n"
        )
        let next = try LocalConnection(scene.folder("in.sock"))
        next.write(#"{"type":"counter/increment"}"# + "\nmark\n")
        try child.waitForErrors(":2:1: expected a value, found mark")
        child.signal(SIGTERM)
        let outcome = try child.finish()
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 2\n  }\n}\n")
        #expect(outcome.exitCode == 0)
    }
}
