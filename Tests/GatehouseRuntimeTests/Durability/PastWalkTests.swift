// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// Which generation is asked to reduce which actions, from which state on.
@Suite(.timeLimit(.minutes(10))) struct PastWalkTests {
    /// What is reached after an action, and by which reductions.
    private func walk(
        _ past: WrittenPast, to sequence: UInt64, entersNext: Bool = false
    ) throws -> (place: PastWalk.Place, reductions: [String]) {
        let reducer = NotingReducer()
        let place = try PastWalk(folder: past.folder, acceptsLoss: false).place(
            behind: sequence, enteringNext: entersNext,
            by: PastWalk.Reducers(recorded: reducer, present: nil))
        return (place, reducer.reductions)
    }

    // MARK: - Generations

    @Test func `each action is reduced by the generation that did, and none is asked for nothing`() throws {
        let past = try WrittenPast(actions: 6)
        try past.begin(after: 0, 3, 3, 5)
        let (whole, reductions) = try walk(past, to: 6)
        #expect(reductions == ["1: 1-3", "3: 4-5", "4: 6-6"])
        #expect(whole.sequence == 6)
        #expect(whole.record?.number == 4)
        #expect(whole.count == 6)
        #expect(whole.state.plain == ["by": "reducer 6"])
        #expect(whole.fallen.map(\.at) == [3, 5, 6])
        let (part, fewer) = try walk(past, to: 4)
        #expect(fewer == ["1: 1-3", "3: 4-4"])
        #expect(part.sequence == 4)
        #expect(part.record?.number == 3)
    }

    @Test func `at the end of a generation the state is that before the next, or already with it`() throws {
        let past = try WrittenPast(actions: 6)
        try past.begin(after: 0, 3, 3, 5)
        let (before, _) = try walk(past, to: 3)
        #expect(before.record?.number == 1)
        #expect(before.state.plain == ["by": "reducer 3"])
        let (behind, reductions) = try walk(past, to: 3, entersNext: true)
        #expect(behind.record?.number == 3)
        #expect(behind.state.plain == ["by": "reducer 3", "generation": 3])
        #expect(reductions == ["1: 1-3"])
        let (middle, _) = try walk(past, to: 4, entersNext: true)
        #expect(middle.record?.number == 3)
    }

    @Test func `before the first action there is no generation, or the first one`() throws {
        let past = try WrittenPast(actions: 2)
        try past.begin(after: 0)
        let (nothing, _) = try walk(past, to: 0)
        #expect(nothing.record == nil)
        #expect(nothing.state == .empty)
        #expect(nothing.count == 0)
        let (first, reductions) = try walk(past, to: 0, entersNext: true)
        #expect(first.record?.number == 1)
        #expect(first.sequence == 0)
        #expect(first.state.plain == ["generation": 1])
        #expect(reductions.isEmpty)
    }

    @Test func `a walk goes on from where it is`() throws {
        let past = try WrittenPast(actions: 6)
        try past.begin(after: 0, 3)
        let reducer = NotingReducer()
        let reducers = PastWalk.Reducers(recorded: reducer, present: nil)
        let walk = try PastWalk(folder: past.folder, acceptsLoss: false)
        #expect(try walk.last() == 6)
        var place = try walk.place(behind: 2, enteringNext: false, by: reducers)
        try walk.advance(&place, to: 5, enteringNext: false, by: reducers)
        #expect(reducer.reductions == ["1: 1-2", "1: 3-3", "2: 4-5"])
        #expect(place.count == 5)
        #expect(walk.diagnostics.map(\.description) == ["reducer at 2", "reducer at 3", "reducer at 5"])
        #expect(reducer.last?.journal == past.folder)
        #expect(reducer.last?.acceptsLoss == false)
        #expect(reducer.last?.leavesUnread == false)
    }

    @Test func `what a reducer cannot do ends the walk`() throws {
        let past = try WrittenPast(actions: 2)
        try past.begin(after: 0)
        let reducer = NotingReducer(refusing: .child("it died"))
        let walk = try PastWalk(folder: past.folder, acceptsLoss: false)
        let failure = #expect(throws: PastFailure.self) {
            try walk.place(
                behind: 2, enteringNext: false, by: PastWalk.Reducers(recorded: reducer, present: nil))
        }
        #expect(failure?.description == "it died")
    }

    // MARK: - Snapshots

    @Test func `a walk begins at the newest snapshot that is not past its end`() throws {
        let past = try WrittenPast(actions: 6)
        try past.begin(after: 0, 3)
        try past.keep(1, after: 2, record: 1)
        try past.keep(2, after: 4, record: 2)
        #expect(try walk(past, to: 1).reductions == ["1: 1-1"])
        let (two, none) = try walk(past, to: 2)
        #expect(none.isEmpty)
        #expect(two.state == WrittenPast.state("snapshot 1"))
        #expect(two.record?.number == 1)
        #expect(two.count == 0)
        #expect(try walk(past, to: 3).reductions == ["1: 3-3"])
        let (four, nothing) = try walk(past, to: 4)
        #expect(nothing.isEmpty)
        #expect(four.record?.number == 2)
        #expect(try walk(past, to: 6).reductions == ["2: 5-6"])
    }

    @Test(
        arguments: [
            (1, 1, "the whole journal is replayed"), (2, 2, "an older snapshot is used"),
            (1, 2, "a newer snapshot is used"),
        ] as [(Int64, Int, String)])
    func `a snapshot that is damaged is told, and what is used in its place`(
        damaged: Int64, count: Int, way: String
    ) throws {
        let past = try WrittenPast(actions: 4)
        try past.begin(after: 0)
        try past.keep(1, after: 2, record: 1)
        if count == 2 { try past.keep(2, after: 3, record: 1) }
        try past.tamper("UPDATE snapshot SET content = x'00' WHERE id = \(damaged)")
        #expect(
            try PastWalk(folder: past.folder, acceptsLoss: false).diagnostics.map(\.description) == [
                "\(past.path): the snapshot after action \(damaged + 1) cannot be read: expected a checksum, found 1 bytes; \(way)"
            ])
    }

    // MARK: - What is gone

    @Test func `a state whose actions the journal has let go cannot be made again`() throws {
        let past = try WrittenPast(actions: 4)
        try past.begin(after: 0)
        try past.tamper("DELETE FROM batch WHERE id = 1")
        func failure() throws -> String? {
            let failure = #expect(throws: PastFailure.self) { try walk(past, to: 1) }
            return failure?.description
        }
        let words =
            "the state after action 1 can no longer be rebuilt, because the journal no longer has what led to it"
        #expect(try failure() == words)
        try past.keep(1, after: 2, record: 1)
        try past.keep(2, after: 3, record: 1)
        #expect(
            try failure()
                == words + "; the earliest that the journal keeps is that after action 2")
        #expect(try walk(past, to: 2).reductions.isEmpty)
    }

    @Test func `a journal in which nothing is begins with nothing`() throws {
        let past = try WrittenPast(actions: 0)
        let walk = try PastWalk(folder: past.folder, acceptsLoss: false)
        #expect(try walk.last() == 0)
        #expect(try walk.hasUnrecorded())
        let place = try walk.place(
            behind: 0, enteringNext: true, by: PastWalk.Reducers(recorded: NotingReducer(), present: nil))
        #expect(place.sequence == 0)
        #expect(place.state == .empty)
        try past.begin(after: 0)
        #expect(try !PastWalk(folder: past.folder, acceptsLoss: false).hasUnrecorded())
    }

    @Test func `a generation that is damaged ends the walk, unless the loss is accepted`() throws {
        let past = try WrittenPast(actions: 6)
        try past.begin(after: 0, 3)
        try past.tamper("UPDATE generation SET content = x'00' WHERE id = 2")
        let damage = GenerationDamage(id: 2, reason: "expected a checksum, found 1 bytes")
        #expect(throws: JournalFailure(past.path, .reading, .generation(damage))) {
            try PastWalk(folder: past.folder, acceptsLoss: false)
        }
        let walk = try PastWalk(folder: past.folder, acceptsLoss: true)
        #expect(
            walk.diagnostics.map(\.description) == [
                "\(past.path): the record of generation 2 of the journal cannot be read: expected a checksum, found 1 bytes; the previous generation reduces its actions instead"
            ])
        let reducer = NotingReducer()
        _ = try walk.place(
            behind: 6, enteringNext: true, by: PastWalk.Reducers(recorded: reducer, present: nil))
        #expect(reducer.reductions == ["1: 1-6"])
        #expect(reducer.last?.acceptsLoss == true)
    }

    @Test func `the generation of the newest snapshot must be there`() throws {
        let past = try WrittenPast(actions: 6)
        try past.begin(after: 0, 3)
        try past.keep(1, after: 4, record: 2)
        _ = try PastWalk(folder: past.folder, acceptsLoss: false)
        try past.keep(2, after: 4, record: 1)
        try past.tamper("DELETE FROM generation WHERE id = 1")
        #expect(
            throws: JournalFailure(
                past.path, .reading, .generation(GenerationDamage(id: 1, reason: "it is not there")))
        ) { try PastWalk(folder: past.folder, acceptsLoss: false) }
        #expect(try PastWalk(folder: past.folder, acceptsLoss: true).diagnostics.count == 1)
    }

    @Test func `a snapshot of an older host has no generation`() throws {
        let past = try WrittenPast(actions: 4)
        try past.begin(after: 2)
        try past.keep(1, after: 2, record: 0)
        let (place, reductions) = try walk(past, to: 4)
        #expect(reductions == ["1: 3-4"])
        #expect(place.record?.number == 1)
    }

    // MARK: - The present plan

    @Test func `actions before the first generation are those of the present plan`() throws {
        let past = try WrittenPast(actions: 6)
        try past.begin(after: 4)
        let (recorded, present) = (NotingReducer("recorded"), NotingReducer("present"))
        let walk = try PastWalk(folder: past.folder, acceptsLoss: false)
        #expect(try walk.hasUnrecorded())
        let place = try walk.place(
            behind: 6, enteringNext: false, by: PastWalk.Reducers(recorded: recorded, present: present))
        #expect(present.reductions == ["0: 1-4"])
        #expect(recorded.reductions == ["1: 5-6"])
        #expect(present.last?.record.epoch == 0)
        #expect(present.last?.record.time == 0)
        #expect(present.last?.record.after == 0)
        #expect(present.last?.state == .empty)
        #expect(place.fallen.map(\.id) == ["present", "recorded"])
        #expect(
            walk.diagnostics.map(\.description) == [
                "\(past.path): the journal does not say which generation reduced the actions 1 to 4, as an earlier version wrote it; the current configuration has reduced them",
                "present at 4", "recorded at 6",
            ])
    }

    @Test func `a journal has actions of no generation up to the one after which the first begins`() throws {
        let one = try WrittenPast(actions: 3)
        try one.begin(after: 1)
        #expect(try PastWalk(folder: one.folder, acceptsLoss: false).hasUnrecorded())
        try one.tamper("DELETE FROM batch WHERE id = 1")
        #expect(try !PastWalk(folder: one.folder, acceptsLoss: false).hasUnrecorded())
        let none = try WrittenPast(actions: 3)
        try none.begin(after: 0)
        #expect(try !PastWalk(folder: none.folder, acceptsLoss: false).hasUnrecorded())
    }

    @Test func `without a present plan nobody knows who has reduced those actions`() throws {
        let past = try WrittenPast(actions: 2)
        let failure = #expect(throws: PastFailure.self) { try walk(past, to: 2) }
        #expect(
            failure?.description
                == "the journal does not say which generation reduced the actions after action 0; name the configuration that did with --config"
        )
    }

    @Test func `the present plan takes the place of a generation that cannot run here only where it may`()
        throws
    {
        let past = try WrittenPast(actions: 6)
        try past.begin(after: 0)
        let unrunnable = UnrunnableGeneration(
            number: 1, epoch: 2, host: "1.0", instances: ["b": ["x", "y"], "a": ["z"]], actions: 6, after: 0)
        let recorded = NotingReducer(refusing: .unrunnable(unrunnable))
        let present = NotingReducer("present")
        let walk = try PastWalk(folder: past.folder, acceptsLoss: false)
        for reducers in [
            PastWalk.Reducers(recorded: recorded, present: present),
            PastWalk.Reducers(recorded: recorded, present: nil, reducesWithPresent: true),
        ] {
            let failure = #expect(throws: PastFailure.self) {
                try walk.place(behind: 6, enteringNext: false, by: reducers)
            }
            #expect(failure?.description == unrunnable.description)
        }
        #expect(present.reductions.isEmpty)
        let place = try walk.place(
            behind: 6, enteringNext: false,
            by: PastWalk.Reducers(recorded: recorded, present: present, reducesWithPresent: true))
        #expect(place.state == WrittenPast.state("present 6"))
        #expect(place.record?.number == 1)
        #expect(present.reductions == ["1: 1-6"])
        #expect(
            walk.diagnostics.map(\.description) == [
                "\(past.path): the current configuration has reduced the 6 actions after action 0, because generation 1 of run 2 cannot run here; the state may differ from the original one",
                "a: z", "b: x; y", "present at 6",
            ])
    }

    @Test func `children reduce with a present plan only where there is one`() {
        let reducers = PastWalk.Reducers.children(present: nil, isStrict: true, patience: .seconds(7))
        #expect(reducers.present == nil)
        #expect(!reducers.reducesWithPresent)
        let recorded = reducers.recorded as? ChildReducer
        #expect(recorded?.isStrict == true)
        #expect(recorded?.patience == .seconds(7))
        #expect(recorded?.memory == nil)
        #expect(recorded?.plan == nil)
        #expect(recorded?.program == "/proc/self/exe")
    }
}
