// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Glibc
import Testing

/// A plugin that was built for another version of the host, beside which that version is installed.
@Suite(.timeLimit(.minutes(10))) struct InstalledVersionTests {
    private let increment = #"{"type":"counter/increment"}"# + "\n"
    private static let counter = #"{ "plugins": [{ "id": "counter" }] }"#
    /// Why a plugin of the older version is not loaded by the host.
    private static let reason = "its SDK fingerprint differs from this host's"

    @Test func `it runs in a worker of that version`() throws {
        let older = try OlderVersion(Self.counter, older: ["CounterPlugin"])
        try older.install()
        let outcome = try older.call("run", input: increment + increment)
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 2\n  }\n}\n")
        #expect(outcome.errors == "gatehouse: 2 lines, 2 actions, 0 rejected\n")
        #expect(outcome.exitCode == 0)
        // The trial and the run; this host's program has done neither.
        #expect(try older.uses() == ["rehearse", "work"])
    }

    @Test func `each command says which worker takes it and why`() throws {
        let older = try OlderVersion(Self.counter, older: ["CounterPlugin"])
        try older.install()
        let place = "in a worker of the installed version 0.5.0 (\(Self.reason))"
        let list = try older.call("list")
        #expect(list.output.contains("\n  runs    \(place)\n"), "\(list.output)")
        #expect(list.exitCode == 0)
        #expect(try older.call("plan").output.contains("  1 counter  counter 1.0.0, gate active, \(place)\n"))
        let check = try older.call("check")
        #expect(check.errorLines.contains("gatehouse: counter runs \(place)"), "\(check.errors)")
        #expect(check.exitCode == 0)
        let inspect = try older.call("inspect", "plugins/libCounterPlugin.so")
        #expect(
            inspect.output.hasSuffix(
                "verdict: accepted, by a worker of the installed version 0.5.0, because \(Self.reason)\n"))
        #expect(inspect.exitCode == 0)
        // The same for programs.
        let instance = try JSONText.parse(try older.call("list", "--json").output)["instances"]?[0]
        #expect(instance?["placement"] == "worker")
        #expect(instance?["placedBy"] == "version")
        #expect(instance?["workerVersion"] == "0.5.0")
        let checked = try JSONText.parse(try older.call("check", "--json").output)
        #expect(
            checked["placements"] == [
                ["id": "counter", "placement": "worker", "placedBy": "version", "workerVersion": "0.5.0"]
            ])
        let inspected = try JSONText.parse(
            try older.call("inspect", "--json", "plugins/libCounterPlugin.so").output)
        #expect(inspected["worker"]?["version"] == "0.5.0")
        #expect(inspected["accepted"] == true)
        #expect(try older.uses() == [])
    }

    @Test func `one of another compiler runs in a worker of the version that was built by it`() throws {
        let older = try OlderVersion(Self.counter, older: ["CounterPlugin"], compiledBy: 7)
        let refused = try older.call("run", input: increment)
        #expect(refused.exitCode == 69)
        #expect(
            refused.errors.contains(", found \(older.compiler ?? ""); rebuild the plugin with"),
            "\(refused.errors)")
        // A version that was built by this host's compiler does not take it.
        try older.install("0.4.0") { $0["compiler"] = older.facts["compiler"] }
        #expect(try older.call("run", input: increment).exitCode == 69)
        try older.install()
        let outcome = try older.call("run", input: increment + increment)
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 2\n  }\n}\n", "\(outcome.errors)")
        #expect(
            try older.call("list").output.contains(
                "\n  runs    in a worker of the installed version 0.5.0 (its compiler and SDK fingerprint differ from this host's)\n"
            ))
    }

    @Test
    func `without that version it is refused with both fingerprints, and the refusal says what to install`()
        throws
    {
        let older = try OlderVersion(Self.counter, older: ["CounterPlugin"])
        let outcome = try older.call("run", input: increment)
        #expect(
            outcome.errors
                == "./plugins/libCounterPlugin.so: refused for the instance counter: SDK fingerprint: expected \(older.own), found \(OlderVersion.fingerprint); rebuild the plugin with this host's SDK, or install the host that it was built for beside this one, as Operating.md says under \"Run plugins of another version\"\n"
        )
        #expect(outcome.exitCode == 69)
    }

    @Test func `an entry that wants it in the host is refused with both fingerprints and the version`() throws
    {
        let older = try OlderVersion(
            #"{ "plugins": [{ "id": "counter", "placement": "host" }] }"#, older: ["CounterPlugin"])
        try older.install()
        let outcome = try older.call("run", input: increment)
        #expect(
            outcome.errors
                == "./plugins/libCounterPlugin.so: refused for the instance counter: SDK fingerprint: expected \(older.own), found \(OlderVersion.fingerprint); the installed version 0.5.0 was built with the same, and its worker would take it: write \"placement\": \"worker\", or rebuild the plugin with this host's SDK\n"
        )
        #expect(outcome.exitCode == 69)
        #expect(try older.uses() == [])
    }

    @Test func `a version that speaks another protocol takes nothing, and the refusal names both numbers`()
        throws
    {
        let older = try OlderVersion(Self.counter, older: ["CounterPlugin"])
        try older.install { $0["protocol"] = 2 }
        let outcome = try older.call("check")
        #expect(
            outcome.errors.contains(
                "the installed version 0.5.0, which it was built for, speaks protocol 2 with its host, and this host speaks 1; install a build of it that speaks 1"
            ), "\(outcome.errors)")
        #expect(outcome.exitCode == 69)
    }

    @Test func `a version whose program is not the described one takes nothing`() throws {
        let older = try OlderVersion(Self.counter, older: ["CounterPlugin"])
        try older.install { $0["files"] = ["gatehouse": "0", "libGatehouseSDK.so": "0"] }
        let outcome = try older.call("check")
        #expect(
            outcome.errors.contains(
                "the installed version 0.5.0, which it was built for, has another gatehouse than its version.json describes; write that again with gatehouse version --json"
            ), "\(outcome.errors)")
        #expect(outcome.exitCode == 69)
    }

    @Test func `no code runs of a version that others can change`() throws {
        let older = try OlderVersion(Self.counter, older: ["CounterPlugin"])
        try older.install()
        let program = older.scene.folder("versions/0.5.0/gatehouse")
        try FileSystem.setMode(0o777, of: program)
        let outcome = try older.call("run", input: increment)
        #expect(
            outcome.errors.contains(
                "warning: the installed version 0.5.0 is left out: \(program): everybody may write to it (mode 777); take that away with chmod o-w\n"
            ), "\(outcome.errors)")
        #expect(outcome.exitCode == 69)
        #expect(try older.uses() == [])
    }

    @Test(arguments: [
        ("", "expected what gatehouse version --json prints, found "),
        ("{}", "expected what gatehouse version --json prints, found no numbers as \"abi\" and \"protocol\""),
        (
            #"{"abi":1,"protocol":1,"configuration":"debug"}"#,
            "expected what gatehouse version --json prints, found no text as \"gatehouse\""
        ),
    ])
    func `a version with another description is left out, and its folder is named`(
        text: String, reason: String
    ) throws {
        let older = try OlderVersion(Self.counter, libraries: ["CounterPlugin"], older: [])
        try older.install()
        try older.scene.folder.write(text, to: "versions/0.5.0/version.json")
        let outcome = try older.call("run", input: increment)
        let path = older.scene.folder("versions/0.5.0/version.json")
        #expect(
            outcome.errors.contains(
                "gatehouse: warning: the installed version 0.5.0 is left out: \(path): \(reason)"),
            "\(outcome.errors)")
        // Plugins of this host do not need it.
        #expect(outcome.exitCode == 0)
    }

    @Test func `instances of two versions cannot share a worker`() throws {
        let older = try OlderVersion(
            """
            { "discovery": "ignore", "plugins": [
              { "id": "eu", "library": "libCounterPlugin.so", "placement": "worker:shop" },
              { "id": "us", "library": "libOlder.so", "placement": "worker:shop" }
            ] }
            """, libraries: ["CounterPlugin"], older: [])
        try older.addLibrary("CounterPlugin", as: "libOlder.so")
        try older.install()
        let outcome = try older.call("check")
        #expect(
            outcome.errors.contains(
                "a worker is a process of one version: in the worker shop, eu is loaded by this host, and us by the installed version 0.5.0; give us another worker"
            ), "\(outcome.errors)")
        #expect(outcome.exitCode == 78)
    }

    @Test func `instances of one version share a worker of it`() throws {
        let older = try OlderVersion(
            """
            { "plugins": [
              { "id": "eu", "library": "libCounterPlugin.so", "placement": "worker:shop" },
              { "id": "us", "library": "libCounterPlugin.so", "placement": "worker:shop" }
            ] }
            """, older: ["CounterPlugin"])
        try older.install()
        #expect(
            try older.call("check").errorLines.contains(
                "gatehouse: eu, us run in the worker shop of the installed version 0.5.0 (their SDK fingerprint differs from this host's)"
            ))
        let outcome = try older.call(
            "run", input: #"{"type":"eu/increment"}"# + "\n" + #"{"type":"us/increment"}"# + "\n")
        #expect(
            try JSONText.parse(outcome.output) == ["eu": ["count": 1], "us": ["count": 1]],
            "\(outcome.errors)")
        #expect(try older.uses() == ["rehearse", "work"])
    }

    @Test func `what no worker can do is refused with the reason, and a new build of it is the remedy`()
        throws
    {
        let older = try OlderVersion(#"{ "plugins": [{ "id": "limit" }] }"#, older: ["LimitPlugin"])
        try older.install()
        let outcome = try older.call("check")
        #expect(
            outcome.errors.contains(
                "the plugin limit decides about actions before anybody else hears them, and they cannot wait for another process, and only a worker of the installed version 0.5.0 can load it, because \(Self.reason); rebuild it with this host's SDK"
            ), "\(outcome.errors)")
        #expect(outcome.exitCode == 78)
    }

    @Test func `a library without an entry takes part in the same way`() throws {
        let older = try OlderVersion("{}", older: ["CounterPlugin"])
        try older.install()
        let outcome = try older.call("run", input: increment)
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 1\n  }\n}\n", "\(outcome.errors)")
        #expect(try older.uses() == ["rehearse", "work"])
    }

    @Test func `cases run with it in its worker, and one that sets the clock says why it cannot`() throws {
        let older = try OlderVersion(Self.counter, older: ["CounterPlugin"])
        try older.install()
        try older.scene.folder.write(
            """
            { "cases": [
              { "name": "counts", "send": { "type": "counter/increment" }, "state": { "/counter/count": 1 } },
              { "name": "later", "start": { "clock": "2026-01-31T12:00:00Z" }, "send": { "type": "counter/increment" },
                "state": { "/counter/count": 1 } }
            ] }
            """, to: "plugins.test.json")
        let outcome = try older.call("test")
        #expect(outcome.output.hasPrefix("pass  counts\n"), "\(outcome.output)\(outcome.errors)")
        #expect(
            outcome.output.contains(
                "only a worker of the installed version 0.5.0 can load counter, because \(Self.reason), and a worker does not know the clock of a case; run this case with \(older.scene.folder("versions/0.5.0/gatehouse")), or rebuild the plugin with this host's SDK"
            ), "\(outcome.output)")
        #expect(outcome.exitCode == 65)
        #expect(try older.uses() == ["rehearse", "work"])
    }

    @Test func `its checks run in children of that version`() throws {
        let older = try OlderVersion(Self.counter, older: ["CounterPlugin"])
        try older.install()
        let outcome = try older.call(
            "validate", "plugins/libCounterPlugin.so", "--only",
            "library/identity,state/round-trip,worker/answers")
        #expect(
            outcome.output.contains(
                "warn   library/identity")
                && outcome.output.contains(
                    "only a worker of the installed version 0.5.0 can load it, because \(Self.reason); rebuild it with this host's SDK to run it in the host, too"
                ), "\(outcome.output)\(outcome.errors)")
        #expect(outcome.exitCode == 0, "\(outcome.output)")
        #expect(Set(try older.uses()).isSubset(of: ["probe", "work"]))
        #expect(try older.uses().contains("probe"))
    }

    @Test(arguments: [["probe", "plugins/libCounterPlugin.so", "--limit", "5"], ["replay", "--last", "9"]])
    func `what loads it into its own process is done by the program of that version, as a whole`(
        arguments: [String]
    ) throws {
        let older = try OlderVersion(Self.counter, older: ["CounterPlugin"])
        try older.install(program: "#!/bin/sh\necho \"$@\"\ncat\nexit 65\n")
        let outcome = try ChildProcess.run(
            arguments: arguments, input: Array("its input".utf8), in: older.scene.folder.path,
            environment: older.environment)
        #expect(outcome.output == arguments.joined(separator: " ") + "\nits input")
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 65)
    }

    @Test func `what no program can load into one process is refused, with the version and the remedy`()
        throws
    {
        let older = try OlderVersion(
            #"{ "journal": {}, "plugins": [{ "id": "counter" }, { "id": "ledger" }] }"#,
            libraries: ["LedgerPlugin"], older: ["CounterPlugin"])
        try older.install()
        let sentence =
            "only a worker of the installed version 0.5.0 can load it, because \(Self.reason), and its code would run in a process of this program here; use \(older.scene.folder("versions/0.5.0/gatehouse")) in its place, or rebuild the plugin with this host's SDK"
        #expect(try older.call("run", input: increment).exitCode == 0)
        let mixed = try older.call("replay")
        #expect(mixed.errors.contains(sentence), "\(mixed.errors)")
        #expect(mixed.exitCode == 69)
        // A program that leaves it to a program which cannot load it either.
        let again = try older.call("probe", "plugins/libCounterPlugin.so")
        #expect(again.errors.contains(sentence), "\(again.errors)")
        #expect(again.exitCode == 69)
    }

    @Test func `a worker that dies is followed by another one of that version, from its last checkpoint`()
        throws
    {
        let older = try OlderVersion(Self.counter, older: ["CounterPlugin"])
        try older.install()
        let host = try LiveHost(
            older.scene, ["--control", "--print", "state"], environment: older.environment)
        /// The process of the worker once it has done so many actions.
        func process(at actions: Int64) throws -> Int64 {
            while true {
                let status = try JSONText.parse(try host.ctl("status", "--json").output)["instances"]?[0]
                guard let worker = status?["worker"], worker["at"] == .integer(actions),
                    case .integer(let process)? = worker["pid"]
                else { continue }
                #expect(status?["workerVersion"] == "0.5.0")
                return process
            }
        }
        host.send("counter/increment")
        try host.settle()
        let first = try process(at: 1)
        #expect(kill(Int32(first), SIGKILL) == 0)
        host.send("counter/increment")
        try host.settle()
        #expect(try process(at: 2) != first)
        let (state, errors, exitCode) = try host.finish()
        #expect(try JSONText.parse(state) == ["counter": ["count": 2]], "\(errors)")
        #expect(exitCode == 0)
        #expect(try older.uses() == ["rehearse", "work", "work"])
    }

    @Test func `another build of the plugin takes over its state, and runs in the host`() throws {
        let older = try OlderVersion(Self.counter, older: ["CounterPlugin"])
        try older.install()
        let host = try LiveHost(
            older.scene, ["--control", "--print", "state"], environment: older.environment)
        host.send("counter/increment")
        try host.settle()
        // Renamed over the old one, as an installation does it.
        let folder = older.scene.folder
        try folder.copyLibrary("CounterPlugin", as: "next.so")
        try FileSystem.rename(folder("next.so"), to: folder("plugins/libCounterPlugin.so"))
        try host.reload(expecting: ", and move it into the host")
        host.send("counter/increment")
        let (state, errors, exitCode) = try host.finish()
        #expect(try JSONText.parse(state) == ["counter": ["count": 2]], "\(errors)")
        #expect(exitCode == 0)
    }
}
