// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseSupport

/// Where instances run whose entries do not say it.
@Suite(.timeLimit(.minutes(10))) struct PlacementPolicyTests {
    /// A digest that no library has.
    private static let stranger = ConfigurationExample.digest

    /// What `sha256sum` prints for a built library.
    private static func digest(of target: String) throws -> String {
        SHA256.digest(try FileSystem.read("\(BuiltProducts.folder)/lib\(target).so")).hex
    }

    /// What the parser says about a placement.
    private func messages(_ placement: String) -> [String] {
        ConfigurationParser.parse(Array(#"{"placement": \#(placement)}"#.utf8), file: "f")
            .diagnostics.all.map { "\($0)" }
    }

    /// A folder with a counter and a logger, of which one is listed.
    private func plan(
        _ entries: String, listing target: String = "CounterPlugin",
        prepare: (TemporaryFolder) throws -> Void = { _ in }
    ) throws -> HostPlan {
        try PlanExample.plan(
            #"{ "directory": ".", "placement": { "default": "worker", "host": ["\#(try Self.digest(of: target))"] }, "plugins": [\#(entries)] }"#,
            libraries: ["CounterPlugin", "LoggerPlugin"], prepare: prepare)
    }

    /// Where the instances of a plan run and why, by id.
    private func placements(_ plan: HostPlan) -> [String: String] {
        Dictionary(plan.instances.map { ($0.id, "\($0.placement)") }) { first, _ in first }
    }

    @Test func `an instance whose library is listed runs in the host, and all others by the default`() throws
    {
        let plan = try plan("")
        #expect(plan.diagnostics.all.filter { $0.severity != .doubt }.map { "\($0)" } == [])
        #expect(
            placements(plan) == [
                "counter": "in the host (its digest is listed)", "logger": "in a worker (by default)",
            ])
        #expect(plan.instances.map(\.runsInWorker) == [false, true])
    }

    @Test func `an entry decides for itself, whatever the list and the default say`() throws {
        let plan = try plan(
            #"{ "id": "counter", "placement": "worker" }, { "id": "logger", "placement": "host" }"#)
        #expect(placements(plan) == ["counter": "in a worker", "logger": "in the host"])
        #expect(plan.placements == [])
    }

    @Test func `capital digits name the same bytes, and all instances of a library go with it`() throws {
        let digest = try Self.digest(of: "CounterPlugin").uppercased()
        let plan = try PlanExample.plan(
            #"{ "directory": ".", "discovery": "ignore", "placement": { "default": "worker", "host": ["\#(digest)"] }, "plugins": [{ "id": "eu", "library": "libCounterPlugin.so" }, { "id": "us", "library": "libCounterPlugin.so" }, { "id": "logger" }] }"#,
            libraries: ["CounterPlugin", "LoggerPlugin"])
        #expect(
            plan.placements == [
                "logger runs in a worker (by default)",
                "eu, us run in the host (their digests are listed)",
            ])
    }

    @Test func `programs learn where an instance runs, and what decided it`() throws {
        let plan = try plan(#"{ "id": "mine", "library": "libCounterPlugin.so", "placement": "worker" }"#)
        let told = plan.listing["instances"]?.arrayValue?.map { instance in
            [instance["id"], instance["placement"], instance["placedBy"]].map { $0?.stringValue }
        }
        #expect(told == [["mine", "worker", nil], ["logger", "worker", "default"]])
        #expect(
            plan.report["placements"] == [["id": "logger", "placement": "worker", "placedBy": "default"]])
        let usual = try PlanExample.plan(#"{ "directory": "." }"#, libraries: ["CounterPlugin"])
        #expect(usual.report["placements"] == nil)
        #expect(usual.listing["instances"]?[0]?["placement"] == nil)
        #expect(usual.routing(usual.routes)["chain"]?[0]?["placedBy"] == nil)
    }

    @Test func `a digest that no library has is warned of by name`() throws {
        let warnings = { (members: String) in
            try PlanExample.messages(
                #"{ "directory": ".", \#(members)"placement": { "default": "worker", "host": ["\#(Self.stranger)"] }, "plugins": [{ "id": "counter" }] }"#,
                libraries: ["CounterPlugin"])
        }
        #expect(
            try warnings("") == [
                "plugins.json:1:66: warning: /placement/host/0: no library in <folder> has the digest \(Self.stranger); remove it, or copy what sha256sum prints for the library"
            ])
        #expect(
            try warnings(#""discovery": "ignore", "#) == [
                "plugins.json:1:89: warning: /placement/host/0: no library that an entry names in <folder> has the digest \(Self.stranger); remove it, or copy what sha256sum prints for the library"
            ])
    }

    @Test func `the digest of a refused library is not warned of`() throws {
        let bytes = "no library"
        let plan = try PlanExample.plan(
            #"{ "directory": ".", "placement": { "default": "worker", "host": ["\#(SHA256.digest(Array(bytes.utf8)).hex)"] }, "plugins": [{ "id": "counter" }] }"#,
            libraries: ["CounterPlugin"]
        ) { try $0.write(bytes, to: "libBroken.so") }
        let warnings = plan.diagnostics.all.filter { $0.severity == .warning }
        #expect(warnings.map(\.library) == [plan.spares[0].library.path])
    }

    @Test(arguments: [
        Mistake(
            "true",
            #"f:1:15: /placement: expected "host", "worker", "worker:NAME" or an object, found true; write "worker" to run each instance in a process of its own"#
        ),
        Mistake(
            #""wroker""#,
            #"f:1:15: /placement: expected "host", "worker" or "worker:NAME", found "wroker"; did you mean "worker"?"#
        ),
        Mistake(
            #""worker:Shop""#,
            #"f:1:15: /placement: expected lower-case letters, digits and "-" with a letter first after "worker:", found "worker:Shop"; rename the worker"#
        ),
        Mistake("{}", #"f:1:15: /placement: expected the key "default", found none; add it"#),
        Mistake(
            #"{"default": "both"}"#,
            #"f:1:27: /placement/default: expected "host", "worker" or "worker:NAME", found "both"; choose one of them"#
        ),
        Mistake(
            #"{"default": "worker", "hosts": []}"#,
            #"f:1:37: /placement/hosts: unknown key "hosts"; did you mean "host"?"#),
        Mistake(
            #"{"default": "worker", "host": ["9f86"]}"#,
            #"f:1:46: /placement/host/0: expected 64 hexadecimal digits, found "9f86"; copy what sha256sum prints for the library"#
        ),
        Mistake(
            #"{"default": "host", "host": []}"#,
            #"f:1:43: warning: /placement/host: the default is "host" already, so this changes nothing; write "default": "worker", or remove it"#
        ),
        Mistake(
            #"{"default": "worker", "host": ["\#(stranger)", "\#(stranger.uppercased())"]}"#,
            "f:1:114: warning: /placement/host/1: \(stranger) is listed twice; remove one of them"),
    ])
    func `what is no policy, or says nothing, is told with its place`(mistake: Mistake) {
        #expect(messages(mistake.text) == [mistake.message])
    }

    @Test func `another policy moves the instances that it decides about, and leaves the others`() throws {
        let entries = #"{ "id": "logger", "placement": "worker" }"#
        let listed = try plan(entries)
        let unlisted = try plan(entries, listing: "LoggerPlugin")
        let away = PlanDifference(from: listed, to: unlisted)
        #expect(away.lines == ["move counter into a worker (by default)"])
        #expect(away.changes.map(\.step) == [.keep, .replace(.placement)])
        #expect(
            PlanDifference(from: unlisted, to: listed).lines == [
                "move counter into the host (its digest is listed)"
            ])
        #expect(PlanDifference(from: listed, to: try plan(entries)).isEmpty)
    }

    @Test func `other bytes of a listed library run by the default, which the difference says`() throws {
        let entry = #"{ "id": "counter" }"#
        let other = try plan(entry) { folder in
            let bytes = try FileSystem.read(BuiltProducts.library("CounterPlugin"))
            try folder.write(bytes + [0], to: "libCounterPlugin.so")
        }
        #expect(placements(other)["counter"] == "in a worker (by default)")
        let difference = PlanDifference(from: try plan(entry), to: other)
        #expect(
            difference.lines == [
                "replace counter: new bytes of version 1.0.0, and move it into a worker (by default)"
            ])
        #expect(
            difference.json == [
                ["id": "counter", "step": "replace", "cause": "library", "placement": "worker"]
            ])
    }

    @Test func `a plan that was recorded places its instances as it did`() throws {
        let folder = try TemporaryFolder()
        let plan = try plan(#"{ "id": "counter" }"#)
        let recorded = try #require(RecordedPlan(plan))
        #expect(recorded.configuration.placement == plan.configuration.placement)
        #expect(recorded.entries.map(\.placement) == [nil, nil])
        for library in recorded.libraries.values {
            _ = try folder.makeFolder(library.digest)
            try folder.copyLibrary(
                String(library.file.dropFirst(3).dropLast(3)), as: "\(library.digest)/\(library.file)")
        }
        let again = try recorded.plan(from: folder.path, trust: FileTrust(isStrict: false))
        #expect(placements(again) == placements(plan))
    }
}
