// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseSupport

/// Plans that outlive their files.
@Suite(.timeLimit(.minutes(10))) struct RecordedPlanTests {
    /// A plan of a counter and a logger, recorded.
    private func recorded() throws -> RecordedPlan {
        let plan = try PlanExample.plan(
            #"{ "directory": ".", "state": { "a": 1 }, "plugins": [{ "id": "c", "library": "libCounterPlugin.so", "keep": true }, { "id": "logger" }] }"#,
            libraries: ["CounterPlugin", "LoggerPlugin"])
        return try #require(RecordedPlan(plan))
    }

    /// A plan with other text in a library's member.
    private func changed(_ plan: RecordedPlan, _ id: String, _ member: String, to text: Value?) throws
        -> RecordedPlan
    {
        var value = plan.value
        value.set(text, at: JSONPointer(tokens: ["libraries", id, member]))
        return try RecordedPlan(value)
    }

    /// The instances that cannot be made from a folder, with the reasons, which name the folder so.
    private func obstacles(_ plan: RecordedPlan, in folder: TemporaryFolder) -> [String] {
        do throws(RecordedPlan.Obstacle) {
            _ = try plan.plan(from: folder.path, trust: FileTrust(isStrict: false))
            return []
        } catch {
            return error.instances.map { "\($0.id): \($0.reasons.joined(separator: ", "))" }
                .map { $0.replacing(folder.path, with: "<folder>") }
        }
    }

    /// Keeps the images of a plan in a folder.
    private func keep(_ plan: RecordedPlan, in folder: TemporaryFolder) throws {
        for (id, library) in plan.libraries {
            _ = try folder.makeFolder(library.digest)
            try folder.copyLibrary(
                id == "c" ? "CounterPlugin" : "LoggerPlugin", as: library.digest + "/" + library.file)
        }
    }

    @Test func `a plan comes back from what is written of it`() throws {
        let plan = try recorded()
        #expect(try RecordedPlan(plan.value) == plan)
        #expect(plan.entries.map(\.id) == ["c", "logger"])
        #expect(plan.entries.first?.keep == KeepConfiguration())
        #expect(plan.configuration.state == ["a": 1])
        #expect(plan.libraries["c"]?.file == "libCounterPlugin.so")
        #expect(plan.digests == Set(plan.libraries.values.map(\.digest)) && plan.digests.count == 2)
        let quarantined = try changed(plan, "c", "quarantine", to: "it trapped")
        #expect(try RecordedPlan(quarantined.value).libraries["c"]?.quarantine == "it trapped")
        let signed = try changed(plan, "c", "signature", to: "signed")
        #expect(try RecordedPlan(signed.value).libraries["c"]?.signature == "signed")
    }

    @Test(arguments: ["plugin", "version", "digest", "file"])
    func `a library without what names it is not read`(member: String) throws {
        let plan = try recorded()
        #expect {
            try changed(plan, "c", member, to: nil)
        } throws: {
            ($0 as? CodingFailure)
                == CodingFailure(
                    pointer: JSONPointer(tokens: ["plan", "libraries", "c"]),
                    expected: "plugin, version, digest and file", found: "an object")
        }
    }

    @Test func `the same instances are made from the kept images`() throws {
        let (plan, folder) = (try recorded(), try TemporaryFolder())
        try keep(plan, in: folder)
        let made = try plan.plan(from: folder.path, trust: FileTrust(isStrict: false))
        #expect(made.instances.map(\.id) == ["c", "logger"])
        #expect(made.instances.map { $0.digest?.hex } == ["c", "logger"].map { plan.libraries[$0]?.digest })
        #expect(made.instances.map(\.quarantine) == [nil, nil])
        let other = try changed(plan, "c", "quarantine", to: "it trapped")
        #expect(
            try other.plan(from: folder.path, trust: FileTrust(isStrict: false)).instances.map(\.quarantine)
                == ["it trapped", nil])
    }

    @Test func `an image that is missing, or is another one, is an obstacle for its instance alone`() throws {
        let (plan, folder) = (try recorded(), try TemporaryFolder())
        try keep(plan, in: folder)
        let digest = String(repeating: "0", count: 64)
        let other = try changed(plan, "c", "digest", to: .string(digest))
        #expect(obstacles(other, in: folder).count == 1)
        _ = try folder.makeFolder(digest)
        try folder.copyLibrary("CounterPlugin", as: digest + "/libCounterPlugin.so")
        #expect(
            obstacles(other, in: folder) == [
                "c: the kept image <folder>/\(digest)/libCounterPlugin.so is not the recorded one"
            ])
        var value = plan.value
        value.set(nil, at: JSONPointer(tokens: ["libraries", "logger"]))
        #expect(
            obstacles(try RecordedPlan(value), in: folder) == ["logger: its library was not recorded"])
    }
}
