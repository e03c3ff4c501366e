// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import GatehouseControl
@testable import GatehouseHistory
@testable import GatehouseJournal
@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime

@Suite(.timeLimit(.minutes(10))) struct TrialTests {
    /// What a till of version one did.
    private static let past: [PastJournal.Row] = [
        .line(1, "till/sold", 10), .by("till", "till/taxed", 12, .output, of: 1),
        .line(2, "till/sold", 200), .by("till", "till/taxed", 240, .output, of: 3),
        .line(3, "till/ask"), .by("till", "till/receipt", nil, .effect, of: 5),
        .line(4, "till/sold", 5), .by("till", "till/taxed", 6, .output, of: 7),
    ]

    /// The configuration of one till.
    private static let till = #"{ "directory": ".", "plugins": [{ "id": "till" }] }"#

    /// Plans of configurations, each with a library of its own.
    private struct Plans {
        /// The folders with the libraries.
        private let folders: [TemporaryFolder]
        /// The plans.
        let all: [HostPlan]

        init(_ plans: (configuration: String, libraries: [String])...) throws {
            folders = try plans.map { plan in
                let folder = try TemporaryFolder()
                for library in plan.libraries { try folder.copyLibrary(library) }
                return folder
            }
            all = zip(plans, folders).map { plan, folder in
                Planner(trust: FileTrust(isStrict: false), baseDirectory: folder.path).plan(
                    ConfigurationParser.parse(Array(plan.configuration.utf8), file: "plugins.json"))
            }
        }
    }

    /// Tries one till on what another one did.
    private func outcome(
        _ library: String, _ rows: [PastJournal.Row] = past, from: UInt64? = nil, last: UInt64? = nil
    ) throws -> TrialOutcome {
        let journal = try PastJournal(rows)
        let plans = try Plans((Self.till, [library]), (Self.till, ["TillOnePlugin"]))
        let trial = Trial(
            of: plans.all[0], against: .recorded(plans.all[1]), journal: journal.folder, images: ImageCache())
        return try trial.run(TrialExtent(from: from, last: last))
    }

    @Test func `the same plugin does the same once more, without running effects`() throws {
        let outcome = try outcome("TillOnePlugin")
        #expect(outcome.isSame)
        #expect(outcome.range == 1...8)
        #expect(outcome.dispatched == 5)
        #expect((outcome.recorded, outcome.found) == (3, 3))
        #expect(outcome.stubbedEffects == 1)
        #expect(outcome.state.isEmpty)
    }

    @Test func `an answer with something else in it is told, and where the state comes to differ`() throws {
        let outcome = try outcome("TillTwoPlugin")
        #expect(
            outcome.differences == [
                TrialDifference(
                    kind: .changed, cause: 3, sequence: 4, type: "till/taxed", instance: "till",
                    recorded: ["type": "till/taxed", "payload": 240],
                    found: ["type": "till/taxed", "payload": 250])
            ])
        #expect(outcome.kinds == [.changed: 1])
        #expect(
            outcome.state == [
                .init(pointer: JSONPointer(tokens: ["till", "total"]), old: 258, new: 268)
            ])
        #expect(outcome.firstStateDifference == 3)
        #expect(!outcome.isSame)
    }

    @Test func `a part begins with the state that the recorded actions before it have led to`() throws {
        let outcome = try outcome("TillTwoPlugin", from: 5)
        #expect(outcome.isSame)
        #expect(outcome.range == 5...8)
        #expect(outcome.dispatched == 3)
        #expect(try self.outcome("TillTwoPlugin", last: 6).kinds == [.changed: 1])
    }

    @Test func `what does not follow any more and what follows anew are told`() throws {
        let outcome = try outcome(
            "TillOnePlugin",
            [
                .line(1, "till/sold", 10), .by("till", "till/taxed", 12, .output, of: 1),
                .by("till", "till/thanked", nil, .output, of: 1), .line(2, "till/sold", 20),
            ])
        #expect(
            outcome.differences.map { "\($0.kind) \($0.type) after \($0.cause)" } == [
                "missing till/thanked after 1", "added till/taxed after 4",
            ])
        #expect(
            outcome.state == [
                .init(pointer: JSONPointer(tokens: ["till", "total"]), old: 12, new: 36)
            ])
        #expect(outcome.firstStateDifference == 4)
    }

    @Test func `the same in another order is told once`() throws {
        let outcome = try outcome(
            "TillOnePlugin",
            [.line(1, "till/sold", 10), .by("till", "till/taxed", 12, .output, of: 1)])
        #expect(outcome.isSame)
        let differences = TrialDifference.between(
            [Self.consequence("a", 1), Self.consequence("b", 2)],
            [Self.consequence("b", nil), Self.consequence("a", nil)], after: 9)
        #expect(differences.map(\.kind) == [.reordered])
    }

    @Test func `what a plugin cannot read any more is told in its words`() throws {
        let outcome = try outcome("TillOnePlugin", [.line(1, "till/sold", "ten")])
        #expect(
            outcome.reports.sentences == [
                "orders.ndjson:1: till/sold for till: the payload does not fit: the whole value: expected an integer, found a string"
            ])
        #expect(outcome.reports.count == 1)
    }

    @Test func `what an interceptor has changed in its own state is changed as it was then`() throws {
        let steps = try PastJournal([
            .by("guard", "guard/counted", nil, .own, of: 0), .line(1, "a"),
            .by("b", "b/said", nil, .output, of: 2), .line(2, "a"),
        ])
        let read = PastSteps(
            HistoryCursor(try JournalReader(folder: steps.folder), from: 1, to: .max))
        let first = try #require(try read.next())
        #expect(first.root.sequence == 2)
        #expect(first.changesBefore.map(\.sequence) == [1])
        #expect(first.consequences.map(\.sequence) == [3])
        #expect(try read.next()?.root.sequence == 4)
        #expect(try read.next() == nil)
    }

    @Test func `actions that were under way together are told apart by their causes`() throws {
        let journal = try PastJournal([
            .line(1, "a"), .line(2, "b"), .by("i", "x", nil, .output, of: 1),
            .by("i", "y", nil, .output, of: 2), .line(3, "c"),
        ])
        let steps = PastSteps(
            HistoryCursor(try JournalReader(folder: journal.folder), from: 1, to: .max))
        let first = try #require(try steps.next())
        let second = try #require(try steps.next())
        #expect(first.consequences.map(\.type) == ["x"])
        #expect(!first.isClosed)
        #expect(second.consequences.map(\.type) == ["y"])
        #expect(second.isClosed)
    }

    /// An action that follows from another one.
    private static func consequence(_ type: String, _ sequence: UInt64?) -> FollowingAction {
        FollowingAction(sequence: sequence, type: type, instance: nil, action: ["type": .string(type)])
    }

    // MARK: - Against another plan

    /// Tries one till against another one on what a third one did.
    private func comparison(_ library: String, with other: String) throws -> TrialOutcome {
        let journal = try PastJournal(Self.past)
        let plans = try Plans((Self.till, [library]), (Self.till, [other]))
        return try Trial(
            of: plans.all[0], against: .plan(plans.all[1]), journal: journal.folder, images: ImageCache()
        ).run()
    }

    @Test func `two versions that do the same as each other are the same, whatever was recorded`() throws {
        let outcome = try comparison("TillTwoPlugin", with: "TillTwoPlugin")
        #expect(outcome.isSame)
        #expect(
            outcome.lines == [
                "actions 1 to 8: 5 actions dispatched again; 3 more followed, as many as before; 1 effect not run; nothing differs"
            ])
    }

    @Test func `another version is told by type, instance, state and what led to the first difference`()
        throws
    {
        let outcome = try comparison("TillTwoPlugin", with: "TillOnePlugin")
        #expect(
            outcome.lines == [
                "actions 1 to 8: 5 actions dispatched again; 3 more followed, as many as before; 1 effect not run",
                "1 action with other content:",
                "  till/taxed by till after 3: /payload 240 → 250",
                "the state differs at 1 place, for the first time after 3:",
                "  /till/total  258 → 268",
                "the first difference follows from:",
                "  3  till/sold  orders.ndjson:2  200",
            ])
        #expect(outcome.counts == [TrialPlace(type: "till/taxed", instance: "till"): [.changed: 1]])
        #expect(outcome.owners == ["till"])
        #expect(
            outcome.value["places"] == [["type": "till/taxed", "counts": ["changed": 1], "instance": "till"]])
        #expect(outcome.value["causes"]?[0]?["sequence"] == 3)
    }

    @Test(arguments: [("TillOnePlugin", [8]), ("TillTwoPlugin", [8, 16])])
    func `progress ends with all that is to be done, which is more where a difference is looked at again`(
        library: String, totals: [UInt64]
    ) throws {
        let journal = try PastJournal(Self.past)
        let plans = try Plans((Self.till, [library]), (Self.till, ["TillOnePlugin"]))
        var told: [(done: UInt64, total: UInt64)] = []
        _ = try Trial(
            of: plans.all[0], against: .plan(plans.all[1]), journal: journal.folder, images: ImageCache()
        ).run(TrialExtent(from: nil, last: nil)) { told.append(($0, $1)) }
        #expect(told.allSatisfy { $0.done <= $0.total })
        #expect(told.filter { $0.done == $0.total }.map(\.total) == totals)
        #expect(told.map(\.done) == told.map(\.done).sorted())
    }

    // MARK: - The state of then

    /// The state after an action of a journal that says nothing of generations, as a plan makes it.
    private func state(
        behind sequence: UInt64, by plan: HostPlan, in journal: String, _ images: ImageCache = ImageCache()
    ) throws -> Value {
        try PastStateMaker(journal: journal, isStrict: false) { (plan, images) }.state(behind: sequence)
    }

    @Test(arguments: [(1, 0, 0), (2, 12, 0), (4, 252, 0), (6, 252, 1), (8, 258, 1)])
    func `the state after any action can be made`(sequence: UInt64, total: Int, receipts: Int) throws {
        let journal = try PastJournal(Self.past)
        let plans = try Plans((Self.till, ["TillOnePlugin"]))
        #expect(
            try state(behind: sequence, by: plans.all[0], in: journal.folder) == [
                "till": ["total": Value(total), "receipts": Value(receipts)]
            ])
    }

    @Test func `where actions were removed, the past begins after the oldest snapshot`() throws {
        let journal = try PastJournal([])
        let state = { (total: Int, receipts: Int) in
            SavedState(
                configured: [:], plain: [:], kept: [:],
                entries: [
                    "till": SavedState.Entry(
                        plugin: "till", digest: nil, pointer: JSONPointer(tokens: ["till"]),
                        state: VersionedState(
                            version: 1, value: ["total": Value(total), "receipts": Value(receipts)]),
                        gate: "", position: nil)
                ])
        }
        try PastJournal.write(Array(Self.past[..<4]), to: journal.folder, snapshot: state(252, 0))
        try PastJournal.write(Array(Self.past[4..<6]), to: journal.folder, snapshot: state(252, 1))
        try PastJournal.write(Array(Self.past[6...]), to: journal.folder, keeping: 2)
        // The action of the snapshot itself stays too.
        #expect(try History(folder: journal.folder).bounds() == 4...8)
        let plans = try Plans((Self.till, ["TillOnePlugin"]))
        let images = ImageCache()
        let total = { (sequence: UInt64) throws -> Value? in
            try self.state(behind: sequence, by: plans.all[0], in: journal.folder, images)["till"]?["total"]
        }
        #expect(try total(4) == 252)
        #expect(try total(8) == 258)
        #expect {
            try total(3)
        } throws: {
            ($0 as? PastFailure)?.sentences == [
                "the state after action 3 can no longer be rebuilt, because the journal no longer has what led to it; the earliest that the journal keeps is that after action 4"
            ]
        }
        let outcome = try Trial(
            of: plans.all[0], against: .recorded(plans.all[0]), journal: journal.folder, images: images
        ).run()
        #expect(outcome.range == 5...8)
        #expect(outcome.isSame)
    }

    @Test func `an action that was written down without its payload is not guessed`() throws {
        let journal = try PastJournal([
            .line(1, "till/sold", 10), .by("till", "till/taxed", 12, .output, of: 1),
        ])
        var step = try #require(
            try PastSteps(HistoryCursor(try JournalReader(folder: journal.folder), from: 1, to: .max)).next())
        let root = step.root
        let record = JournalRecord(
            sequence: root.sequence, epoch: 1, generation: 1, batchTime: root.batchTime, cause: .unknown,
            file: root.file, line: root.line, instance: nil, time: nil,
            bytes: Array(#"{"type":"till/sold"}"#.utf8), encodingFailure: "it cannot be written")
        step = PastStep(root: record, changesBefore: [], consequences: step.consequences)
        let plans = try Plans((Self.till, ["TillOnePlugin"]))
        let host = try TriedHost(
            plans.all[0], at: PastWalk.Place(state: .empty, sequence: 0), images: ImageCache())
        host.dispatch(step)
        var log = ConsequenceLog()
        host.swapLog(&log)
        #expect(log.actions(of: 0).map(\.type) == ["till/taxed"])
        #expect(try host.host.snapshot()["till"]?["total"] == 12)
        #expect(host.reports.count == 0)
    }

    @Test func `what follows on another thread is in the log, too`() throws {
        // With a change before it the step has a turn of its own, whose thread hands the rest over when so much follows.
        let journal = try PastJournal([
            .by("guard", "guard/noted", nil, .own, of: 0), .line(1, "timed/name", 8_000),
        ])
        let step = try #require(
            try PastSteps(HistoryCursor(try JournalReader(folder: journal.folder), from: 1, to: .max)).next())
        let limits = #""limits": { "chain": 10000, "actions": 20000 }"#
        let timed = #""plugins": [{ "id": "timed", "library": "libTimedPlugin.so" }]"#
        let plans = try Plans((#"{ "directory": ".", \#(limits), \#(timed) }"#, ["TimedPlugin"]))
        let host = try TriedHost(
            plans.all[0], at: PastWalk.Place(state: .empty, sequence: 0), images: ImageCache())
        host.dispatch(step)
        var log = ConsequenceLog()
        host.swapLog(&log)
        // Two from each `name` but the last.
        #expect(log.count(of: 0) == 15_999)
    }

    @Test func `what comes between two steps is in no log`() throws {
        let journal = try PastJournal([.line(1, "till/sold", 10)])
        let step = try #require(
            try PastSteps(HistoryCursor(try JournalReader(folder: journal.folder), from: 1, to: .max)).next())
        let plans = try Plans((Self.till, ["TillOnePlugin"]))
        let host = try TriedHost(
            plans.all[0], at: PastWalk.Place(state: .empty, sequence: 0), images: ImageCache())
        host.dispatch(step)
        var log = ConsequenceLog()
        host.swapLog(&log)
        #expect(log.actions(of: 0).map(\.type) == ["till/taxed"])
        // As from an instance that emits on a thread of its own.
        host.host.dispatch(
            AnyAction("till/sold", payload: 20),
            from: ActionSource(file: "orders.ndjson", function: "", line: 2, info: nil))
        host.swapLog(&log)
        #expect(log.count == 0)
        #expect(try host.host.snapshot()["till"]?["total"] == 36)
    }
}
