// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import GatehouseHistory
@testable import GatehouseJournal

/// The past by incoming action.
@Suite(.timeLimit(.minutes(10))) struct PastStepsTests {
    /// The steps of a past: the number of the action, those of its consequences, and whether nothing else was in progress.
    private func steps(_ rows: [PastJournal.Row], keepsConsequences: Bool = true) throws -> [String] {
        let journal = try PastJournal(rows)
        let cursor = try History(folder: journal.folder).entries()
        let steps = PastSteps(cursor, keepsConsequences: keepsConsequences)
        var found: [String] = []
        while let step = try steps.next() {
            found.append(
                "\(step.root.sequence): \(step.consequences.map(\.sequence)) of \(step.count), up to \(step.last)\(step.isClosed ? "" : ", open")"
            )
        }
        #expect(steps.damage == [])
        return found
    }

    @Test func `an action comes with what followed from it at once, and effects are steps of their own`()
        throws
    {
        #expect(
            try steps([
                .line(1, "till/sold"), .by("till", "till/taxed", nil, .output, of: 1),
                .by("till", "till/counted", nil, .own, of: 2), .line(2, "till/ask"),
                .by("till", "till/receipt", nil, .effect, of: 4),
            ]) == ["1: [2, 3] of 2, up to 3", "4: [] of 0, up to 4", "5: [] of 0, up to 5"])
    }

    @Test func `a step is open while what follows from an earlier one is still to come`() throws {
        #expect(
            try steps([
                .line(1, "till/sold"), .line(2, "till/sold"), .by("till", "till/taxed", nil, .output, of: 1),
                .by("till", "till/taxed", nil, .output, of: 2), .line(3, "till/sold"),
            ]) == ["1: [3] of 1, up to 3, open", "2: [4] of 1, up to 4", "5: [] of 0, up to 5"])
        // The second one ends before the first one does, which counts for both.
        #expect(
            try steps([
                .line(1, "till/sold"), .line(2, "till/sold"), .line(3, "till/sold"),
                .by("till", "till/taxed", nil, .output, of: 1),
            ]) == ["1: [4] of 1, up to 4, open", "2: [] of 0, up to 2, open", "3: [] of 0, up to 3"])
    }

    @Test func `consequences are found after any number of actions`() throws {
        let folder = try TemporaryFolder()
        let writer = try JournalWriter(folder: folder("journal"), JournalWriter.Options())
        /// Writes down so many actions that came in, or one that followed from another.
        func write(_ count: Int, after sequence: UInt64, _ cause: ActionCause = .unknown) throws {
            var batch = JournalBatch(generation: 1, firstSequence: sequence + 1)
            let source = ActionSource(file: "in", function: "", line: 1, info: nil).caused(by: cause)
            batch.entries = Array(
                repeating: JournalEntry(action: AnyAction("till/sold"), source: source, time: nil),
                count: count)
            try writer.commit(batch)
        }
        let count: UInt64 = 65_537
        try write(Int(count), after: 0)
        try write(1, after: count, ActionCause(.output, count - 1))
        writer.close()
        let steps = PastSteps(try History(folder: folder("journal")).entries())
        var found: [UInt64: [UInt64]] = [:]
        while let step = try steps.next() { found[step.root.sequence] = step.consequences.map(\.sequence) }
        #expect(found.count == 65_537)
        #expect(found[65_536] == [65_538])
        #expect(found[65_537] == [])
    }

    @Test func `consequences that nobody wants are counted`() throws {
        #expect(
            try steps(
                [.line(1, "till/sold"), .by("till", "till/taxed", nil, .output, of: 1)],
                keepsConsequences: false) == ["1: [] of 1, up to 2"])
    }
}
