// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

/// What an operator is told of the limits of workers, and what happens where they are asked for and missing.
@Suite(.timeLimit(.minutes(10))) struct WorkerLimitsTests {
    /// The configuration of a host with one worker.
    private func configuration(_ limits: String = "") -> String {
        #"{ "name": "shop", "discovery": "ignore", \#(limits)"plugins": [{ "id": "counter", "placement": "worker" }] }"#
    }

    /// The words for such limits as `check --json` and `status --json` tell.
    private func words(_ limits: Value?) throws -> String {
        let limits = try #require(limits)
        if limits["limits"] == "group" {
            return "limited by control groups below \(limits["group"]?.stringValue ?? "?")"
        }
        return "limited by rlimit alone: \(limits["reason"]?.stringValue ?? "?")"
    }

    @Test func `check and status say what limits workers, where there are some`() throws {
        let scene = try Scene(configuration(), libraries: ["CounterPlugin"])
        let checked = try words(try JSONText.parse(try scene.call("check", "--json").output)["workers"])
        let errors = try scene.call("check").errors
        #expect(errors.hasSuffix("gatehouse: workers: \(checked)\n"), "\(errors)")
        let host = try LiveHost(scene, ["--control"])
        host.send("counter/increment")
        let told = try words(try JSONText.parse(try host.ctl("status", "--json").output)["workers"])
        let status = try host.ctl("status").output
        #expect(status.contains("\nworkers: \(told)\n"), "\(status)")
        let (_, _, exitCode) = try host.finish()
        #expect(exitCode == 0)

        let none = try Scene(#"{ "plugins": [{ "id": "counter" }] }"#, libraries: ["CounterPlugin"])
        #expect(try !none.call("check").errors.contains("workers: "))
    }

    @Test(arguments: [#""groups": true"#, #""cpu": 50"#])
    func `a host refuses a worker that would not be limited as its configuration asks for`(limit: String)
        throws
    {
        let scene = try Scene(configuration(#""limits": { \#(limit) }, "#), libraries: ["CounterPlugin"])
        let report = try JSONText.parse(try scene.call("check", "--json").output)
        // It is about this process: the host may run where more is given.
        #expect(report["ok"] == true)
        let outcome = try scene.run(input: #"{"type":"counter/increment"}"# + "\n")
        if let reason = report["workers"]?["reason"]?.stringValue {
            #expect(outcome.exitCode == 69)
            #expect(
                outcome.errors.contains(
                    " takes a control group for each worker: \(reason); start the host in a group that is delegated to it, such as that of a unit with Delegate=cpu memory pids, or remove "
                ), "\(outcome.errors)")
        } else {
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
        }
    }
}
