// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseSupport

/// What a plan makes of `trust`.
@Suite(.timeLimit(.minutes(10))) struct SigningTests {
    private static let acme = TestSigner(seed: 1)

    /// The SHA-256 of a built library.
    private static func digest(of target: String) throws -> String {
        SHA256.digest(try FileSystem.read(BuiltProducts.library(target))).hex
    }

    /// Signs a library in a folder.
    private static func sign(
        _ target: String, _ id: String, in folder: TemporaryFolder, version: String = "1.0.0", serial: Int = 1
    ) throws {
        try folder.write(
            acme.sign(
                library: try FileSystem.read(BuiltProducts.library(target)), id: id, version: version,
                serial: serial, digest: try digest(of: target)),
            to: "lib\(target).so.minisig")
    }

    /// The plan of entries beside a counter and a logger, with a policy for unsigned libraries.
    private func plan(
        _ unsigned: String, _ entries: String = "", more: String = "",
        prepare: (TemporaryFolder) throws -> Void = { _ in }
    ) throws -> HostPlan {
        try PlanExample.plan(
            #"{ "directory": ".", "trust": { "unsigned": "\#(unsigned)", "keys": [{ "name": "acme", "key": "\#(Self.acme.publicKey)", "plugins": ["counter", "log*"] }] }, "plugins": [\#(entries)]\#(more) }"#,
            libraries: ["CounterPlugin", "LoggerPlugin"], prepare: prepare)
    }

    /// What a plan has to say, with `<folder>` for the folder of its libraries.
    private func messages(_ plan: HostPlan) -> [String] {
        plan.diagnostics.all.filter { $0.severity != .doubt }.map { diagnostic in
            guard let library = diagnostic.library, let end = library.lastIndex(of: "/") else {
                return "\(diagnostic)"
            }
            return "\(diagnostic)".replacing(library[..<end], with: "<folder>")
        }
    }

    /// The sentence about a library that nobody vouches for.
    private static let remedy =
        "is not signed; have it signed by a key that \"trust\" lists, or vouch for these bytes yourself: gatehouse pin prints what to write"

    @Test func `all that is not signed is refused and told at once, that of entries as an error`() throws {
        let plan = try plan("refuse", #"{ "id": "counter" }"#)
        #expect(
            messages(plan) == [
                "<folder>/libCounterPlugin.so: refused for the instance counter: \(Self.remedy)",
                "<folder>/libLoggerPlugin.so: refused: \(Self.remedy)",
            ])
        #expect(plan.isDistrusted)
        #expect(plan.unvouched.map(\.id) == ["counter", "logger"])
        #expect(
            plan.unvouched.map(\.pins) == [
                .library(try Self.digest(of: "CounterPlugin")), .library(try Self.digest(of: "LoggerPlugin")),
            ])
    }

    @Test func `what is signed or pinned runs, and nothing is said about it`() throws {
        let pin = try Self.digest(of: "LoggerPlugin")
        let plan = try plan("refuse", #"{ "id": "counter" }, { "id": "logger", "sha256": "\#(pin)" }"#) {
            try Self.sign("CounterPlugin", "counter", in: $0)
        }
        #expect(messages(plan) == [])
        #expect(plan.instances.map(\.id) == ["counter", "logger"])
        #expect(plan.unvouched.isEmpty)
    }

    @Test func `a shadow that nobody vouches for is left out, and may be pinned`() throws {
        let pin = try Self.digest(of: "LoggerPlugin")
        for (sha256, lines) in [
            ("", ["<folder>/libLoggerPlugin.so: refused for the instance next: \(Self.remedy)"]),
            (#", "sha256": "\#(pin)""#, []),
        ] {
            let plan = try plan(
                "refuse",
                #"{ "id": "counter" }, { "id": "next", "shadow": "counter", "library": "libLoggerPlugin.so"\#(sha256) }"#,
                more: #", "journal": {}"#
            ) {
                try Self.sign("CounterPlugin", "counter", in: $0)
            }
            #expect(messages(plan) == lines)
            #expect(plan.failure == nil && !plan.isDistrusted)
            #expect(plan.unvouched.map(\.id) == (sha256.isEmpty ? ["next"] : []))
            #expect((plan.shadowed(by: "next") == nil) == sha256.isEmpty)
        }
    }

    @Test func `a pin that leaves open what comes along vouches for nothing`() throws {
        #expect(PinnedDigests.library("aa").isWhole(with: []))
        let folder = try TemporaryFolder()
        let side = Companion(
            name: "side.so", file: try SealedFile(path: folder.write("side", to: "s"), trust: nil))
        #expect(!PinnedDigests.library("aa").isWhole(with: [side]))
        #expect(PinnedDigests.files(["a": "aa"]).isWhole(with: [side]))
    }

    @Test func `with worker what is not signed runs in a worker, and an entry cannot take it back`() throws {
        var plan = try plan("worker", #"{ "id": "counter" }, { "id": "logger", "placement": "worker:shop" }"#)
        #expect(messages(plan) == [])
        #expect(
            plan.instances.map { "\($0.placement)" }
                == ["in a worker (its library is not signed)", "in the worker shop"])
        #expect(plan.placements == ["counter runs in a worker (its library is not signed)"])
        plan = try self.plan(
            "worker", #"{ "id": "counter", "placement": "host" }"#, more: #", "discovery": "ignore""#)
        #expect(
            messages(plan) == [
                "<folder>/libCounterPlugin.so: refused for the instance counter: is not signed, so that it may run in workers only, and its entry says \"placement\": \"host\"; place it in a worker, or have it signed by a key that \"trust\" lists, or vouch for these bytes yourself: gatehouse pin prints what to write"
            ])
    }

    @Test func `with warn everything runs, with a warning for each`() throws {
        let plan = try plan("warn", #"{ "id": "counter" }"#)
        #expect(
            messages(plan) == [
                "counter: its library \(Self.remedy)", "logger: its library \(Self.remedy)",
            ])
        #expect(plan.failure == nil)
    }

    @Test func `what is withdrawn stands as in quarantine, and the rest runs`() throws {
        let plan = try plan("refuse", #"{ "id": "counter" }, { "id": "logger" }"#) { folder in
            try Self.sign("CounterPlugin", "counter", in: folder)
            try Self.sign("LoggerPlugin", "logger", in: folder)
            let list =
                #"{"revoked":[{"sha256":"\#(try Self.digest(of: "CounterPlugin"))","reason":"it leaks"}]}"#
            try folder.write(list, to: "acme.revoked")
            try folder.write(Self.acme.sign(list: list, serial: 1), to: "acme.revoked.minisig")
        }
        #expect(
            messages(plan) == [
                "counter: it is not loaded, because acme has withdrawn it: it leaks; bring another library"
            ])
        #expect(plan.failure == nil)
        #expect(plan.instances.map(\.quarantine) == ["acme has withdrawn it: it leaks", nil])
    }

    @Test func `a list that cannot be read keeps the host from starting`() throws {
        let plan = try plan("warn") { try $0.write("{}", to: "acme.revoked") }
        #expect(plan.failure != nil)
        #expect(plan.isDistrusted)
    }

    @Test func `without trust nobody is asked, and pins are offered for all that no entry pins`() throws {
        let plan = try PlanExample.plan(
            #"{ "directory": ".", "plugins": [{ "id": "counter", "sha256": "\#(try Self.digest(of: "CounterPlugin"))" }] }"#,
            libraries: ["CounterPlugin", "LoggerPlugin"]
        ) { try $0.write("nonsense", to: "libLoggerPlugin.so.minisig") }
        #expect(messages(plan) == [])
        #expect(plan.instances.allSatisfy { $0.library?.endorsement == nil })
        #expect(plan.unvouched.map(\.id) == ["logger"])
    }

    @Test(arguments: [
        ("1", "expected an object, found 1; write { \"key\": value }"),
        (
            #"{ "unsigned": "warm" }"#,
            "/unsigned: expected \"refuse\", \"worker\" or \"warn\", found \"warm\"; did you mean \"warn\"?"
        ),
        (
            #"{ "keys": {} }"#,
            "/keys: expected an array of objects, found an object; write [{ \"name\": \"…\", \"key\": \"RW…\", \"plugins\": [\"…\"] }]"
        ),
        (
            #"{ "keys": [{ "name": "a", "key": "RWa", "plugins": ["*"] }] }"#,
            "/keys/0/key: expected the public key of minisign, \"RW…\", found \"RWa\"; copy the second line of the file that minisign -G writes"
        ),
        (
            #"{ "keys": [{ "name": "a", "key": "@" }] }"#,
            "/keys/0: expected the key \"plugins\", found none; add it"
        ),
        (
            #"{ "keys": [{ "name": "a", "key": "@", "plugins": ["*a"] }] }"#,
            "/keys/0/plugins/0: expected a name with \"*\" nowhere but at its end, found \"*a\"; list several names instead"
        ),
        (
            #"{ "keys": [{ "name": "a", "key": "@", "plugins": [] }] }"#,
            "/keys/0/plugins: the key \"a\" may sign nothing; name plugins, such as \"acme-*\", or \"*\" for any, or remove the key"
        ),
        (
            #"{ "keys": [{ "name": "a", "key": "@", "plugins": ["*"] }, { "name": "b", "key": "@", "plugins": ["*"] }] }"#,
            "/keys/1/key: \"a\" has a key of the same number, 0101010101010101, already; remove one of them"
        ),
    ]) func `each mistake in trust is told with its place`(trust: String, sentence: String) {
        let text = #"{ "trust": \#(trust.replacing("@", with: Self.acme.publicKey)) }"#
        let found = ConfigurationParser.parse(Array(text.utf8), file: "f").diagnostics.all.map { "\($0)" }
        #expect(
            found.count == 1
                && found.allSatisfy {
                    $0.hasSuffix("/trust" + (sentence.hasPrefix("/") ? "" : ": ") + sentence)
                }, "\(found)")
    }

    @Test func `a name that two keys have is told`() {
        let text =
            #"{ "trust": { "keys": [{ "name": "a", "key": "\#(Self.acme.publicKey)", "plugins": ["*"] }, { "name": "a", "key": "\#(TestSigner(seed: 2).publicKey)", "plugins": ["*"] }] } }"#
        let found = ConfigurationParser.parse(Array(text.utf8), file: "f").diagnostics.all.map(\.sentence)
        #expect(found == ["the name \"a\" is given twice; rename one of the keys"])
    }
}
