// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehouseControl
@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseSupport

/// What clients are told of a trial.
@Suite(.timeLimit(.minutes(10))) struct CandidateTrialTests {
    /// A trial of a configuration by a host without plugins.
    @EventLoop
    private static func trial(of text: String, in folder: TemporaryFolder) throws -> CandidateTrial {
        let plan = PlanExample.plan([])
        return CandidateTrial(
            of: try Candidate(
                .upload(name: "next.json", bytes: Array(text.utf8)), trust: FileTrust(isStrict: false)),
            on: CandidateGround(
                generation: 4, running: plan, present: plan, configurationDigest: nil,
                source: HistorySource(
                    path: folder("plugins.json"), isFolder: false, base: folder.path,
                    journal: folder("journal"), isStrict: false)))
    }

    @EventLoop
    @Test func `one that has not begun is under way, with nothing done`() async throws {
        let trial = try Self.trial(of: "{}", in: try TemporaryFolder())
        let digest = trial.candidate.digest
        #expect(!trial.isOver)
        #expect(
            trial.value == [
                "digest": .string(digest), "kind": "configuration", "file": "next.json", "generation": 4,
                "version": 0, "changes": [], "stage": "running", "done": 0, "total": 0,
                "text": .string("next.json: sha256 \(digest)\n"),
            ])
        // There is a step after this one, so nobody waits.
        await trial.waitForStep(after: -1)
    }

    @EventLoop
    @Test func `one that cannot be planned is refused with all that is wrong, and is over`() async throws {
        let folder = try TemporaryFolder()
        let trial = try Self.trial(of: "{", in: folder)
        trial.begin(over: TrialExtent(), within: .seconds(60))
        await trial.waitForStep(after: 0)
        #expect(trial.isOver && trial.plan == nil && trial.version == 1)
        let value = trial.value
        #expect(value["stage"] == "refused" && value["version"] == 1 && value["done"] == nil)
        let reason = try #require(value["reasons"]?[0]?.stringValue)
        #expect(reason.hasPrefix("next.json:1:2: "))
        #expect(
            value["text"]?.stringValue == "next.json: sha256 \(trial.candidate.digest)\n\(reason)\n")
        // Of one that is over nobody waits for another step.
        await trial.waitForStep(after: 1)
    }
}
