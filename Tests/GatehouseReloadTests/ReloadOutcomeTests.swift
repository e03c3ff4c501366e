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
}
