// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// How a journal is recovered whose actions were reduced by plugins of another version.
@Suite(.timeLimit(.minutes(10))) struct VersionRecoveryTests {
    private let increment = #"{"type":"counter/increment"}"# + "\n"

    /// Waits until the journal has so many actions.
    private func waitForRecords(_ count: Int, _ older: OlderVersion) throws {
        while try older.call("history").output.split(separator: "\n").count < count {}
    }

    @Test(arguments: [false, true])
    func `after a crash its worker reduces the journal, beside reducers of the host or alone`(isAlone: Bool)
        throws
    {
        let older = try OlderVersion(
            """
            { "discovery": "ignore", "journal": {}, "plugins": [
              { "id": "counter", "library": "libCounterPlugin.so" }\(isAlone ? "" : #", { "id": "own", "library": "libOwn.so" }"#)
            ] }
            """, older: ["CounterPlugin"])
        try older.scene.addLibrary("CounterPlugin", as: "libOwn.so")
        try older.install()
        let host = try LiveHost(older.scene, ["--print", "state"], environment: older.environment)
        for _ in 0..<3 { host.send("counter/increment", "own/increment") }
        try host.settle()
        try waitForRecords(6, older)
        host.child.signal(SIGKILL)
        #expect(try host.child.finish().exitCode == nil)
        let before = try older.uses()
        let outcome = try older.call("run", input: increment)
        #expect(
            outcome.errorLines.contains { $0.contains("6 of them replayed since the last snapshot") },
            "\(outcome.errors)")
        var state: Members = ["counter": ["count": 4]]
        if !isAlone { state["own"] = ["count": 3] }
        #expect(try JSONText.parse(outcome.output) == .object(state), "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
        // The worker that reduces the journal may write nothing, its use included.
        #expect(try older.uses() == before + ["work"])
    }

    @Test func `a reducer that ends its worker in the past stands before it, and the others lose nothing`()
        throws
    {
        let older = try OlderVersion(
            #"{ "discovery": "ignore", "journal": {}, "plugins": [{ "id": "defective" }, { "id": "counter" }] }"#,
            libraries: ["CounterPlugin"], older: ["DefectivePlugin"])
        try older.install()
        let host = try LiveHost(older.scene, ["--print", "state"], environment: older.environment)
        host.send("counter/increment")
        host.write(#"{"type":"defective/note","payload":1}"#)
        host.write(#"{"type":"defective/weigh","payload":null}"#)
        host.send("counter/increment")
        try host.settle()
        try waitForRecords(4, older)
        host.child.signal(SIGKILL)
        _ = try host.child.finish()
        // The next time the plugin traps at such a payload.
        let outcome = try ChildProcess.run(
            arguments: ["run"], in: older.scene.folder.path,
            environment: older.environment.merging(["DEFECT": "payload/null"]) { $1 })
        #expect(
            outcome.errors.contains(
                "its reducer ended its worker of the installed version 0.5.0, or soon after at action 1, when the journal was replayed"
            ), "\(outcome.errors)")
        #expect(try JSONText.parse(outcome.output)["counter"] == ["count": 2], "\(outcome.errors)")
    }

    @Test func `after a crash of a host whose version is gone, the refusal says what to install`() throws {
        let older = try OlderVersion(
            #"{ "journal": {}, "plugins": [{ "id": "counter" }] }"#, older: ["CounterPlugin"])
        try older.install()
        let host = try LiveHost(older.scene, ["--print", "state"], environment: older.environment)
        host.send("counter/increment")
        try host.settle()
        try waitForRecords(1, older)
        host.child.signal(SIGKILL)
        _ = try host.child.finish()
        // The plugin was built for this host meanwhile, and the old version removed.
        try older.scene.addLibrary("CounterPlugin", as: "libNext.so")
        try FileSystem.rename(
            older.scene.folder("plugins/libNext.so"), to: older.scene.folder("plugins/libCounterPlugin.so"))
        FileSystem.removeFolder(older.scene.folder("versions"))
        let outcome = try older.call("run", input: increment)
        #expect(
            outcome.errors.contains(
                "counter: SDK fingerprint: expected \(older.own), found \(OlderVersion.fingerprint); rebuild the plugin with this host's SDK, or install the host that it was built for beside this one, as Operating.md says under \"Run plugins of another version\""
            ), "\(outcome.errors)")
        #expect(outcome.exitCode != 0)
    }
}
