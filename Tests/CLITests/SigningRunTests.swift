// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseValue
import Glibc
import Testing

/// What the program does with `trust`, from the first start to an attack.
@Suite(.timeLimit(.minutes(10))) struct SigningRunTests {
    private static let acme = TestSigner(seed: 1)
    private static let next = TestSigner(seed: 2)
    private static let up = #"{"type":"counter/increment"}"# + "\n"

    /// `trust` with keys, and a word for unsigned libraries.
    private static func trust(_ unsigned: String = "refuse", _ keys: (String, TestSigner)...) -> String {
        let keys = keys.map { #"{ "name": "\#($0)", "key": "\#($1.publicKey)", "plugins": ["*"] }"# }
        return #""trust": { "unsigned": "\#(unsigned)", "keys": [\#(keys.joined(separator: ", "))] }"#
    }

    /// The SHA-256 of a built library.
    private static func digest(of target: String) throws -> String {
        SHA256.digest(try FileSystem.read(BuiltProducts.library(target))).hex
    }

    /// Puts the signature of a library beside it.
    private func sign(
        _ target: String, as id: String, by signer: TestSigner = acme, serial: Int = 1, in scene: Scene,
        version: String = "1.0.0", to name: String? = nil
    ) throws {
        try scene.folder.write(
            signer.sign(
                library: try FileSystem.read(BuiltProducts.library(target)), id: id, version: version,
                serial: serial, digest: try Self.digest(of: target)),
            to: "plugins/\(name ?? "lib\(target).so").minisig")
    }

    /// A running service with a journal and a control socket.
    private func service(_ scene: Scene) throws -> ChildProcess {
        let host = try scene.start(["--control", "--print", "none"])
        try host.waitForErrors("can be controlled at")
        return host
    }

    /// Lets a service count once, so that its generation is recorded, and kills it.
    private func kill(_ host: ChildProcess, of scene: Scene) throws {
        #expect(try scene.call("ctl", "dispatch", "counter/increment").exitCode == 0)
        host.signal(SIGKILL)
        _ = try host.finish()
    }

    /// The configuration of a service.
    private static func service(_ trust: String, _ entries: String = #"{ "id": "counter" }"#) -> String {
        #"{ "name": "shop", "discovery": "ignore", "journal": {}, "ingress": { "listen": ["unix:in.sock?ack"] }, \#(trust)"plugins": [\#(entries)] }"#
    }

    @Test func `a first start with trust says all that it would refuse, and what pin prints lets it start`()
        throws
    {
        let scene = try Scene(
            "{ \(Self.trust()), \"plugins\": [\n  { \"id\": \"counter\" } ] }",
            libraries: ["CounterPlugin", "LoggerPlugin"])
        let refused = try scene.run(input: Self.up)
        #expect(refused.exitCode == 69)
        let remedy =
            "is not signed; have it signed by a key that \"trust\" lists, or vouch for these bytes yourself: gatehouse pin prints what to write"
        #expect(
            refused.errors.replacing(scene.folder("plugins"), with: "<plugins>").replacing(
                "./plugins", with: "<plugins>")
                    == """
                    <plugins>/libCounterPlugin.so: refused for the instance counter: \(remedy)
                    gatehouse: warning: <plugins>/libLoggerPlugin.so: refused: \(remedy)

                    """)
        let (counter, logger) = (try Self.digest(of: "CounterPlugin"), try Self.digest(of: "LoggerPlugin"))
        let pins = try scene.call("pin")
        #expect(
            pins.output == """
                plugins.json:2:3: add to counter: "sha256": "\(counter)"
                add to "plugins": {"id":"logger","library":"libLoggerPlugin.so","sha256":"\(logger)"}

                """)
        #expect(try scene.call("pin", "logger").output.split(separator: "\n").count == 1)
        let unknown = try scene.call("pin", "till")
        #expect(unknown.exitCode == 64)
        #expect(
            unknown.errors
                == "gatehouse: \"till\": no library that would run under this id waits for somebody to vouch for it; gatehouse list shows all\n"
        )
        try scene.folder.write(
            #"{ \#(Self.trust()), "plugins": [{ "id": "counter", "sha256": "\#(counter)" }, {"id":"logger","library":"libLoggerPlugin.so","sha256":"\#(logger)"}] }"#,
            to: "plugins.json")
        let started = try scene.run(["--print", "state"], input: Self.up)
        #expect(started.exitCode == 0, "\(started)")
        #expect(started.output.contains(#""count": 1"#), "\(started)")
        let none = try scene.call("pin")
        #expect(none.output.isEmpty)
        #expect(none.errors == "gatehouse: somebody vouches for each library that would run\n")
    }

    @Test func `list, plan and their JSON say who vouches for each library`() throws {
        let scene = try Scene(
            #"{ \#(Self.trust("warn", ("acme", Self.acme))), "plugins": [{ "id": "counter" }, { "id": "logger" }] }"#,
            libraries: ["CounterPlugin", "LoggerPlugin"])
        try sign("CounterPlugin", as: "counter", serial: 9, in: scene)
        let list = try scene.call("list")
        #expect(list.output.contains("\n  trust   signed by acme, serial 9\n"))
        #expect(list.output.contains("\n  trust   not signed\n"))
        let json = try JSONText.parse(try scene.call("list", "--json").output)
        #expect(
            json["instances"]?.arrayValue?.map { $0["trust"]?.json() } == [
                #"{"by":"key","name":"acme","key":"0101010101010101","serial":9}"#, #"{"by":"nobody"}"#,
            ])
    }

    @Test func `a library that came with the host needs nobody else`() throws {
        let scene = try Scene(
            #"{ \#(Self.trust()), "plugins": [{ "id": "counter" }] }"#, libraries: ["CounterPlugin"])
        for name in ["gatehouse", "libGatehouseSDK.so"] {
            try FileSystem.write(
                try FileSystem.read("\(BuiltProducts.folder)/\(name)"), to: scene.folder(name), mode: 0o755)
        }
        func check() throws -> ChildProcess.Outcome {
            try ChildProcess.run(
                scene.folder("gatehouse"), arguments: ["check"], in: scene.folder.path,
                environment: scene.environment)
        }
        #expect(try check().exitCode == 69)
        let line = "\(try Self.digest(of: "CounterPlugin"))  libCounterPlugin.so\n"
        try scene.folder.write(line, to: "plugins.sha256")
        #expect(try check().exitCode == 0)
        // Whoever else may write the list could write anything into it.
        try FileSystem.setMode(0o666, of: scene.folder("plugins.sha256"))
        #expect(try check().exitCode == 69)
    }

    @Test func `a running host says who vouches for which instance`() throws {
        let entries =
            #"{ "id": "counter" }, { "id": "logger" }, { "id": "rules", "sha256": "\#(try Self.digest(of: "RulesPlugin"))" }"#
        let scene = try Scene(
            Self.service(Self.trust("warn", ("acme", Self.acme)) + ", ", entries),
            libraries: ["CounterPlugin", "LoggerPlugin", "RulesPlugin"])
        try sign("CounterPlugin", as: "counter", serial: 7, in: scene)
        let host = try service(scene)
        let shown = try scene.call("ctl", "status").output.split(separator: "\n").map(String.init)
        #expect(
            shown.filter {
                $0.hasSuffix("counter (serial 7)") || $0.hasSuffix("logger") || $0.hasSuffix(": rules")
            }
                == ["nobody vouches for: logger", "pinned: rules", "signed by acme: counter (serial 7)"])
        let metrics = try scene.call("ctl", "metrics").output
        for line in [
            #"gatehouse_instance_vouched{host="shop",instance="counter",plugin="counter"} 1"#,
            #"gatehouse_instance_vouched{host="shop",instance="logger",plugin="logger"} 0"#,
            #"gatehouse_instance_vouched{host="shop",instance="rules",plugin="rules"} 1"#,
            #"gatehouse_instance_signed_serial{host="shop",instance="counter",plugin="counter",key="acme"} 7"#,
        ] { #expect(metrics.contains(line + "\n")) }
        host.signal(SIGTERM)
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `a reload does not loosen trust, and a restart does`() throws {
        let strict = Self.service(Self.trust("refuse", ("acme", Self.acme)) + ", ")
        let scene = try Scene(strict, libraries: ["CounterPlugin"])
        try sign("CounterPlugin", as: "counter", in: scene)
        let host = try service(scene)
        for (trust, clause) in [
            (
                Self.trust("refuse", ("acme", Self.acme), ("next", Self.next)) + ", ",
                "the key \"next\" is new"
            ),
            (Self.trust("warn", ("acme", Self.acme)) + ", ", "\"unsigned\" is \"warn\", and was \"refuse\""),
            ("", "it is gone"),
        ] {
            try scene.folder.write(Self.service(trust), to: "plugins.json")
            let outcome = try scene.call("ctl", "reload")
            #expect(outcome.exitCode != 0)
            let told = outcome.output + outcome.errors
            #expect(
                told.contains(
                    "\(clause): \"trust\" accepts more than the running host does, which a reload cannot change; restart the host, or put it back"
                ), "\(told)")
        }
        host.signal(SIGTERM)
        #expect(try host.finish().exitCode == 0)
        let again = try service(scene)
        again.signal(SIGTERM)
        #expect(try again.finish().exitCode == 0)
    }

    @Test func `a key rotates without a gap: both count for a while, then the old one is removed`() throws {
        let scene = try Scene(
            #"{ \#(Self.trust("refuse", ("old", Self.acme))), "plugins": [{ "id": "counter" }] }"#,
            libraries: ["CounterPlugin"])
        try sign("CounterPlugin", as: "counter", serial: 40, in: scene)
        #expect(try scene.run(input: Self.up).exitCode == 0)
        let both =
            #"{ \#(Self.trust("refuse", ("old", Self.acme), ("new", Self.next))), "plugins": [{ "id": "counter" }] }"#
        try scene.folder.write(both, to: "plugins.json")
        #expect(try scene.run(input: Self.up).exitCode == 0)
        // The new key counts from the start again, which the old one cannot prevent.
        try sign("CounterPlugin", as: "counter", by: Self.next, serial: 1, in: scene)
        #expect(try scene.run(input: Self.up).exitCode == 0)
        try scene.folder.write(
            #"{ \#(Self.trust("refuse", ("new", Self.next))), "plugins": [{ "id": "counter" }] }"#,
            to: "plugins.json")
        #expect(try scene.run(input: Self.up).exitCode == 0)
        try sign("CounterPlugin", as: "counter", serial: 41, in: scene)
        let stolen = try scene.run(input: Self.up)
        #expect(stolen.exitCode == 69)
        #expect(
            stolen.errors.contains("is signed by the key 0101010101010101, which \"trust\" does not have"))
    }

    @Test func `an older release is refused once a later one has run, and runs where its bytes are pinned`()
        throws
    {
        let trust = Self.trust("refuse", ("acme", Self.acme))
        let scene = try Scene(#"{ \#(trust), "plugins": [{ "id": "migrant" }] }"#)
        try scene.addLibrary("MigrantTwoPlugin", as: "libMigrant.so")
        try sign(
            "MigrantTwoPlugin", as: "migrant", serial: 2, in: scene, version: "2.0.0", to: "libMigrant.so")
        #expect(try scene.run().exitCode == 0)
        try scene.addLibrary("MigrantOnePlugin", as: "libMigrant.so")
        try sign(
            "MigrantOnePlugin", as: "migrant", serial: 1, in: scene, version: "1.0.0", to: "libMigrant.so")
        let refused = try scene.run()
        #expect(refused.exitCode == 69)
        #expect(
            refused.errors.contains(
                "its signature by \"acme\" has serial 1, and 2 has run here; bring the later one, or go back on purpose: pin these bytes with \"sha256\" in its entry"
            ), "\(refused.errors)")
        try scene.folder.write(
            #"{ \#(trust), "plugins": [{ "id": "migrant", "sha256": "\#(try Self.digest(of: "MigrantOnePlugin"))" }] }"#,
            to: "plugins.json")
        #expect(try scene.run().exitCode == 0)
    }

    @Test func `a list that is dropped into the folder stops what it names, and nothing brings that back`()
        throws
    {
        let configuration = Self.service(
            Self.trust("refuse", ("acme", Self.acme)) + ", ", #"{ "id": "counter" }, { "id": "logger" }"#)
        let scene = try Scene(configuration, libraries: ["CounterPlugin", "LoggerPlugin"])
        try sign("CounterPlugin", as: "counter", in: scene)
        try sign("LoggerPlugin", as: "logger", in: scene)
        var host = try service(scene)
        func reason() throws -> String? {
            let status = try JSONText.parse(try scene.call("ctl", "status", "--json").output)
            return status["instances"]?.arrayValue?.first { $0["id"] == "counter" }?["quarantine"]?
                .stringValue
        }
        #expect(try reason() == nil)
        let list = #"{"revoked":[{"sha256":"\#(try Self.digest(of: "CounterPlugin"))","reason":"it leaks"}]}"#
        try scene.folder.write(list, to: "plugins/acme.revoked")
        try scene.folder.write(Self.acme.sign(list: list, serial: 1), to: "plugins/acme.revoked.minisig")
        #expect(try scene.call("ctl", "reload").exitCode == 0)
        #expect(try reason() == "acme has withdrawn it: it leaks")
        #expect(
            try scene.call("ctl", "status").output.contains(
                "is in quarantine: acme has withdrawn it: it leaks\n"))
        // Neither an operator's hand, nor the loss of the list, nor a crash.
        _ = try scene.call("ctl", "release", "counter")
        #expect(try reason() != nil)
        FileSystem.remove(scene.folder("plugins/acme.revoked"))
        FileSystem.remove(scene.folder("plugins/acme.revoked.minisig"))
        #expect(try scene.call("ctl", "reload").exitCode == 0)
        #expect(try reason() != nil)
        host.signal(SIGKILL)
        _ = try host.finish()
        host = try service(scene)
        #expect(try reason() == "acme has withdrawn it: it leaks")
        // Nor the last good generation, which ran it.
        host.signal(SIGKILL)
        _ = try host.finish()
        try scene.folder.write("{", to: "plugins.json")
        host = try service(scene)
        #expect(try reason() == "acme has withdrawn it: it leaks")
        host.signal(SIGTERM)
        _ = try host.finish()
    }

    @Test func `the last good generation never brings back what trust refuses`() throws {
        let scene = try Scene(Self.service(""), libraries: ["CounterPlugin"])
        try kill(try service(scene), of: scene)
        // The edit is broken in another place too, for which alone the last good generation would run.
        try scene.folder.write(
            Self.service(Self.trust() + ", ", #"{ "id": "counter", "settings": { "step": "many" } }"#),
            to: "plugins.json")
        let unsigned = try scene.run()
        #expect(unsigned.exitCode == 69)
        #expect(
            unsigned.errors.contains(
                "the last good generation does not run either: an owner, a mode, a signature, a digest or what an instance may emit is part of what is wrong\n"
            ), "\(unsigned.errors)")
        // The library in the folder is signed by now, and the one that ran is not.
        try sign("CounterPlugin", as: "counter", in: scene)
        try scene.folder.write(
            Self.service(
                Self.trust("refuse", ("acme", Self.acme)) + ", ",
                #"{ "id": "counter", "settings": { "step": "many" } }"#), to: "plugins.json")
        let kept = try scene.run()
        #expect(kept.exitCode == 78)
        #expect(
            kept.errors.contains(
                "the last good generation does not run either: counter: is not signed; have it signed by a key that \"trust\" lists"
            ), "\(kept.errors)")
    }

    @Test(arguments: ["host", "worker"])
    func `a reload that is tried on the past is judged there too`(placement: String) throws {
        let terms = #"\#(Self.trust("refuse", ("acme", Self.acme))), "placement": "\#(placement)", "#
        let scene = try Scene(Self.service(terms), libraries: ["CounterPlugin"])
        try sign("CounterPlugin", as: "counter", in: scene)
        let host = try service(scene)
        #expect(try scene.call("ctl", "dispatch", "counter/increment").exitCode == 0)
        try scene.folder.write(
            Self.service(terms, #"{ "id": "counter", "settings": { "step": 10 } }"#), to: "plugins.json")
        let outcome = try scene.call("ctl", "reload", "--rehearse-with-history", "100")
        #expect(outcome.exitCode == 0, "\(outcome)")
        #expect(try scene.call("ctl", "dispatch", "counter/increment").exitCode == 0)
        #expect(try scene.call("ctl", "state", "/counter/count").output == "11\n")
        host.signal(SIGTERM)
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `the last good generation of a signed library runs while the configuration is broken`() throws
    {
        let scene = try Scene(
            Self.service(Self.trust("refuse", ("acme", Self.acme)) + ", "), libraries: ["CounterPlugin"])
        try sign("CounterPlugin", as: "counter", in: scene)
        try kill(try service(scene), of: scene)
        // Neither the folder nor its signatures are needed for it.
        FileSystem.remove(scene.folder("plugins/libCounterPlugin.so.minisig"))
        try scene.folder.write("{", to: "plugins.json")
        let again = try service(scene)
        again.signal(SIGTERM)
        #expect(try again.finish().errors.contains("the last good generation runs (generation 1 of run 1)"))
    }

    @Test(.enabled(if: Workshop.has("minisign"), "needs minisign"))
    func `an author signs with gatehouse sign, and the key that minisign has printed lets it run`() throws {
        let scene = try Scene("{}", libraries: ["CounterPlugin"])
        _ = try ChildProcess.run(
            "/usr/bin/minisign", arguments: ["-G", "-W", "-p", "acme.pub", "-s", "acme.key"],
            in: scene.folder.path)
        let key = try scene.folder.read("acme.pub").split(separator: "\n")[1]
        let signed = try scene.call(
            "sign", "--key", "acme.key", "--serial", "3", "plugins/libCounterPlugin.so")
        let digest = try Self.digest(of: "CounterPlugin")
        #expect(signed.exitCode == 0, "\(signed)")
        let comment = "gatehouse plugin id=counter version=1.0.0 serial=3 sha256=\(digest)"
        #expect(signed.output == "plugins/libCounterPlugin.so.minisig: \(comment)\n")
        #expect(
            try scene.call("sign", "--comment", "--serial", "3", "plugins/libCounterPlugin.so").output
                == comment + "\n")
        try scene.folder.write(
            #"{ "trust": { "keys": [{ "name": "acme", "key": "\#(key)", "plugins": ["counter"] }] } }"#,
            to: "plugins.json")
        #expect(try scene.run(input: Self.up).exitCode == 0)
        try scene.folder.write(
            #"{"revoked":[{"sha256":"\#(digest)","reason":"it leaks"}]}"#, to: "plugins/acme.revoked")
        #expect(try scene.call("sign", "--key", "acme.key", "plugins/acme.revoked").exitCode == 0)
        let stopped = try scene.run(input: Self.up)
        #expect(
            stopped.errors.contains(
                "gatehouse: warning: counter: it is not loaded, because acme has withdrawn it: it leaks; bring another library\n"
            ), "\(stopped)")
        let lost = try scene.call("sign", "--key", "none.key", "plugins/libCounterPlugin.so")
        #expect(lost.exitCode == 69)
        #expect(
            lost.errors.hasSuffix(
                "gatehouse: minisign has not signed plugins/libCounterPlugin.so; its words are above\n"))
        let other = try scene.call("sign", "plugins.json")
        #expect(other.exitCode == 64)
        #expect(other.output.isEmpty)
    }

    @Test func `without minisign sign says what to do`() throws {
        let scene = try Scene("{}", libraries: ["CounterPlugin"])
        let outcome = try ChildProcess.run(
            arguments: ["sign", "plugins/libCounterPlugin.so"], in: scene.folder.path,
            environment: scene.environment.merging(["PATH": scene.folder.path]) { $1 })
        #expect(outcome.exitCode == 69)
        #expect(
            outcome.errors
                == "gatehouse: there is no program minisign; install the package minisign, or sign with another one and the comment that gatehouse sign --comment prints\n"
        )
    }
}
