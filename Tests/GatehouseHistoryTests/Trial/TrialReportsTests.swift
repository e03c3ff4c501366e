// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseHistory
@testable import GatehouseRuntime

/// The reports of both sides of a trial.
@Suite struct TrialReportsTests {
    /// A collection of reports about emissions that an instance may not make, by their type.
    private func reports(_ types: String...) -> PastReports {
        let reports = PastReports()
        for type in types { reports.add(.refusedOutput(instance: "till", type: type, reason: "no")) }
        return reports
    }

    /// What a report is about.
    private func subject(_ type: String) -> PastReports.Subject {
        PastReports.Subject(instance: "till", problem: "\(type) that it may not emit")
    }

    @Test func `what both sides report as often is no difference`() {
        let both = TrialReports(before: reports("a", "b", "b"), now: reports("b", "a", "b"))
        #expect(both.differing.isEmpty)
        #expect(both.count == 3)
    }

    @Test func `what one side reports once, and the other one never, differs`() {
        let added = TrialReports(before: reports(), now: reports("a"))
        #expect(added.differing == [subject("a"): .init(before: 0, now: 1)])
        #expect(added.count == 1)
        let gone = TrialReports(before: reports("a"), now: reports())
        #expect(gone.differing == [subject("a"): .init(before: 1, now: 0)])
        #expect(gone.count == 0 && gone.sentences == [])
    }

    @Test func `the record has no reports with which the others could be compared`() {
        let now = TrialReports(before: nil, now: reports("a", "a"))
        #expect(now.differing.isEmpty)
        #expect(now.count == 2 && now.sentences.count == 2)
    }
}
