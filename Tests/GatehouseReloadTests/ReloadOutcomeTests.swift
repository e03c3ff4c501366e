// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// How the end of a reload is reported.
@Suite(.timeLimit(.minutes(10))) struct ReloadOutcomeTests {
    /// An outcome that took so long.
    private func outcome(_ result: ReloadOutcome.Result, _ duration: Duration) -> ReloadOutcome {
        ReloadOutcome(
            result: result, generation: 7, diagnostics: Diagnostics(), triggers: [.control, .change],
            duration: duration, held: .microseconds(1_500),
            images: MappedImages(
                ImageCache(), usedBy: []))
    }

    /// A change that starts one instance.
    private func applied() throws -> ReloadOutcome.Result {
        .applied(
            PlanDifference(from: PlanExample.plan([]), to: PlanExample.plan([try PlanExample.instance("a")])))
    }

    @Test(
        arguments: [
            (.microseconds(1), "1 ms"), (.milliseconds(34), "34 ms"), (.microseconds(34_001), "35 ms"),
            (.microseconds(9_999_000), "9999 ms"), (.seconds(10), "10 s"), (.milliseconds(10_999), "10 s"),
        ] as [(Duration, String)])
    func `times are whole milliseconds, rounded up, and seconds from ten on`(
        duration: Duration, text: String
    ) throws {
        #expect(outcome(try applied(), duration).description == "generation 7 runs, after \(text): start a")
    }

    @Test func `what changed nothing and what was refused name the generation that runs on`() {
        #expect("\(outcome(.unchanged, .zero))" == "nothing has changed, generation 7 runs on")
        #expect("\(outcome(.refused, .zero))" == "the change is refused, generation 7 runs on")
    }

    @Test func `programs get times in milliseconds, with their parts`() throws {
        #expect(
            outcome(try applied(), .microseconds(34_250)).json == [
                "generation": 7, "triggers": ["control", "change"], "milliseconds": 34.25,
                "heldMilliseconds": 1.5, "images": ["mapped": 0, "retired": 0], "result": "applied",
                "changes": [["id": "a", "step": "start"]], "problems": [], "refusals": [], "warnings": [],
            ])
    }

    /// An outcome with triggers and a warning, if wanted.
    private func outcome(
        _ result: ReloadOutcome.Result, by triggers: [ReloadTrigger], warning: String? = nil
    ) -> ReloadOutcome {
        ReloadOutcome(
            result: result, generation: 7,
            diagnostics: Diagnostics(warning.map { [Diagnostic(.warning, $0)] } ?? []), triggers: triggers,
            duration: .zero, held: .zero, images: MappedImages(ImageCache(), usedBy: []))
    }

    @Test func `nothing is told of files that were touched, unless something was told of them before`() throws
    {
        let idle = outcome(.unchanged, by: [.change])
        #expect(idle.isIdle(after: nil))
        #expect(idle.isIdle(after: outcome(.unchanged, by: [.control])))
        #expect(idle.isIdle(after: outcome(try applied(), by: [.change])))
        // The change that was refused was taken back.
        #expect(!idle.isIdle(after: outcome(.refused, by: [.change])))
        #expect(!outcome(.unchanged, by: [.control]).isIdle(after: nil))
        #expect(!outcome(.unchanged, by: [.change, .signal]).isIdle(after: nil))
        #expect(!outcome(.unchanged, by: [.change], warning: "a").isIdle(after: nil))
        #expect(!outcome(.refused, by: [.change]).isIdle(after: nil))
        #expect(!outcome(try applied(), by: [.change]).isIdle(after: nil))
    }

    @Test func `another generation runs only where changes were applied`() throws {
        #expect(outcome(try applied(), by: []).isApplied)
        #expect(!outcome(.unchanged, by: []).isApplied)
        #expect(!outcome(.refused, by: []).isApplied)
    }

    @Test func `programs are told of results without changes too`() {
        #expect(outcome(.unchanged, by: []).json["result"] == "unchanged")
        #expect(outcome(.unchanged, by: []).json["changes"] == nil)
        #expect(outcome(.refused, by: [.action], warning: "a").json["result"] == "refused")
        #expect(outcome(.refused, by: [.action], warning: "a").json["warnings"]?.arrayValue?.count == 1)
    }
}
