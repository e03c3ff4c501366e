// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What is asked of the reducers of a past generation, and what is said when they cannot run.
@Suite(.timeLimit(.minutes(10))) struct PastReducerTests {
    /// A stretch of the past.
    private var reduction: PastReduction {
        PastReduction(
            journal: "journal",
            record: GenerationRecord(
                epoch: 4, number: 5, after: 6, time: 7, plan: .nothing,
                change: GenerationChange(patch: ["x": 1])),
            state: WrittenPast.state("before"), after: 8, last: 9, acceptsLoss: true)
    }

    @Test func `instances that do not take their state are an error, but for another plan's`() {
        #expect(!reduction.leavesUnread)
        let replaced = reduction.replacingPlan(by: .nothing)
        #expect(replaced.leavesUnread)
        #expect(replaced.journal == "journal")
        #expect(replaced.state == WrittenPast.state("before"))
        #expect((replaced.after, replaced.last) == (8, 9))
        #expect(replaced.acceptsLoss)
        #expect(
            replaced.record
                == GenerationRecord(
                    epoch: 4, number: 5, after: 6, time: 7, plan: .nothing, change: GenerationChange()))
    }

    @Test func `a result has reduced nothing and found nothing unless it says so`() {
        let result = PastResult(state: .empty)
        #expect(result.count == 0)
        #expect(result.diagnostics.isEmpty)
        #expect(result.fallen.isEmpty)
    }

    @Test func `a generation that cannot run is told with its instances in order, and the ways out`() {
        let generation = reduction.unrunnable(because: ["b": ["x", "y"], "a": ["z"]])
        #expect(generation.lines == ["a: z", "b: x; y"])
        #expect(generation.actions == 1)
        #expect(generation.after == 8)
        let host = RecordedPlan.nothing.hostVersion
        #expect(
            PastFailure.unrunnable(generation).sentences == [
                "generation 5 of run 4, which reduced the 1 action after action 8, cannot run here:\n  - a: z\n  - b: x; y\n  start gatehouse \(host) once with this journal, install it beside this host, as Operating.md says under \"Run plugins of another version\", or continue with --reduce-with-present, which lets the current configuration reduce them"
            ])
    }

    @Test func `each problem is a sentence of its own`() {
        let diagnostics = Diagnostics([Diagnostic(.error, "one"), Diagnostic(.error, "two")])
        #expect(PastFailure.diagnostics(diagnostics).sentences == ["one", "two"])
        #expect(PastFailure.diagnostics(diagnostics).description == "one\n  two")
        let failure = JournalFailure("a", .reading, .missing)
        #expect(PastFailure.journal(failure).sentences == ["\(failure)"])
        #expect(PastFailure.forgotten("gone").sentences == ["gone"])
        #expect(PastFailure.child("dead").sentences == ["dead"])
    }
}
