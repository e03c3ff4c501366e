// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan

/// How a state goes from one generation to the next without any code.
@Suite(.timeLimit(.minutes(10))) struct SavedStateGenerationTests {
    /// A plan of entries in the form of `plugins.json`, each of a plugin with a library.
    private func plan(
        _ entries: Value..., plugins: [String: String] = [:], quarantine: String? = nil
    ) throws -> RecordedPlan {
        var libraries = Members()
        for entry in entries {
            guard let id = entry["id"]?.stringValue else { continue }
            var library: Members = [
                "plugin": .string(plugins[id] ?? "p"), "version": "1.0.0", "digest": "ab", "file": "libp.so",
            ]
            library["quarantine"] = quarantine.map { .string($0) }
            libraries[id] = .object(library)
        }
        return try RecordedPlan([
            "host": "1.0.0 ab",
            "configuration": ["directory": ".", "state": ["x": 1], "plugins": .array(entries)],
            "libraries": .object(libraries),
        ])
    }

    /// An entry of a plan.
    private func entry(_ id: String, was: String? = nil) -> Value {
        var members: Members = ["id": .string(id), "library": "libp.so"]
        members["was"] = was.map { .string($0) }
        return .object(members)
    }

    /// A state with a number in it.
    private func state(_ number: Int) -> VersionedState {
        VersionedState(version: 1, value: ["n": Value(number)])
    }

    /// The state of one instance before.
    private func saved(_ id: String, _ number: Int?, standing: Standing? = nil) -> SavedState.Entry {
        SavedState.Entry(
            plugin: "p", digest: "old", pointer: JSONPointer(tokens: [id]), state: number.map(state),
            gate: "active", position: .active, standing: standing)
    }

    /// A generation of a plan after action 7.
    private func record(
        _ plan: RecordedPlan, made: [String: VersionedState] = [:], gates: [String: GateState] = [:],
        patch: Value? = nil
    ) -> GenerationRecord {
        var change = GenerationChange(gates: gates, patch: patch)
        change.made = made
        return GenerationRecord(epoch: 1, number: 2, after: 7, time: 0, plan: plan, change: change)
    }

    @Test func `in the state before the first generation nothing has happened`() {
        #expect(
            SavedState.empty == SavedState(configured: [:], plain: [:], kept: [:], entries: [:]))
        #expect(SavedState.empty.whole == [:])
    }

    @Test func `a state goes on with its instance, also under a new id, and a patch is merged`() throws {
        let before = SavedState(
            configured: [:], plain: ["a": 1], kept: [:], entries: ["a": saved("a", 1), "b": saved("b", 2)])
        let plan = try plan(entry("a"), entry("c", was: "b"))
        let after = before.entering(record(plan, gates: ["c": .bypass], patch: ["y": 5]))
        #expect(after.configured == ["x": 1])
        #expect(after.plain == ["a": 1, "y": 5])
        #expect(after.entries.mapValues(\.state) == ["a": state(1), "c": state(2)])
        #expect(after.entries.mapValues(\.digest) == ["a": "ab", "c": "ab"])
        #expect(after.entries["a"]?.position == nil)
        #expect(after.entries["c"]?.position == .bypass)
        #expect(after.entries["c"]?.pointer == JSONPointer(tokens: ["c"]))
        #expect(after.entries["a"]?.standing == nil)
        #expect(after.kept.isEmpty)
        #expect(after.whole == ["a": ["n": 1], "c": ["n": 2], "y": 5])
    }

    @Test func `what a swap has made takes the place of what was there`() throws {
        let before = SavedState(configured: [:], plain: [:], kept: [:], entries: ["a": saved("a", 1)])
        let after = before.entering(record(try plan(entry("a"), entry("b")), made: ["a": state(8)]))
        #expect(after.entries.mapValues(\.state) == ["a": state(8), "b": nil])
    }

    @Test func `an instance that comes back without a state has none, whatever was made of it in between`()
        throws
    {
        let before = SavedState(
            configured: [:], plain: [:], kept: [:], entries: ["a": saved("a", 1), "b": saved("b", 2)])
        var change = GenerationChange()
        change.stateless = ["a"]
        let after = before.entering(
            GenerationRecord(
                epoch: 1, number: 2, after: 7, time: 0, plan: try plan(entry("a"), entry("b")), change: change
            ))
        #expect(after.entries.mapValues(\.state) == ["a": nil, "b": state(2)])
        #expect(after.whole == ["b": ["n": 2]])
        #expect(after.kept.isEmpty)
    }

    @Test func `the state of an instance that goes is kept where it was`() throws {
        let before = SavedState(
            configured: [:], plain: [:], kept: [:],
            entries: ["a": saved("a", 1), "b": saved("b", 2), "c": saved("c", nil)])
        let after = before.entering(record(try plan(entry("b"))))
        #expect(after.plain == ["a": ["n": 1]])
        #expect(
            after.kept == [
                JSONPointer(tokens: ["a"]): KeptSlice(plugin: "p", stateVersion: 1, instance: "a")
            ])
        #expect(after.entries.keys.sorted() == ["b"])
    }

    @Test func `what was kept for an instance goes from there when it begins with it`() throws {
        let elsewhere = JSONPointer(tokens: ["old"])
        let own = JSONPointer(tokens: ["a"])
        let before = SavedState(
            configured: [:], plain: ["old": ["n": 1], "z": 2],
            kept: [elsewhere: KeptSlice(plugin: "p", stateVersion: 1, instance: "a")], entries: [:])
        let plan = try plan(entry("a"))
        let after = before.entering(record(plan, made: ["a": state(1)]))
        #expect(after.plain == ["z": 2])
        #expect(after.kept.isEmpty)
        // It goes from its own place too, where it would be seen once the slice is elsewhere.
        let there = SavedState(
            configured: [:], plain: ["a": ["n": 1]],
            kept: [own: KeptSlice(plugin: "p", stateVersion: 1, instance: "a")], entries: [:])
        let taken = there.entering(record(plan, made: ["a": state(1)]))
        #expect(taken.plain == [:])
        #expect(taken.kept.isEmpty)
        // An instance that begins with nothing leaves it.
        #expect(before.entering(record(plan)).kept == before.kept)
        // So does one that had a state of its own.
        let both = SavedState(
            configured: [:], plain: before.plain, kept: before.kept, entries: ["a": saved("a", 3)])
        #expect(both.entering(record(plan, made: ["a": state(1)])).kept == before.kept)
    }

    @Test func `in a generation that comes back nothing is left of the one that failed`() throws {
        let place = JSONPointer(tokens: ["z"])
        let restored = PlainState(
            plain: ["z": 2], kept: [place: KeptSlice(plugin: "q", stateVersion: 1, instance: "z")])
        let failed = SavedState(
            configured: [:], plain: ["y": 3], kept: [:], entries: ["a": saved("a", 1), "b": saved("b", 2)])
        var record = record(try plan(entry("a")), made: ["a": state(5)])
        let kept = failed.entering(record)
        #expect(kept.plain == ["b": ["n": 2], "y": 3])
        record = GenerationRecord(
            epoch: 1, number: 1, after: 7, time: 0, plan: record.plan,
            change: {
                var change = record.change
                change.restored = restored
                return change
            }())
        let back = failed.entering(record)
        #expect(back.plain == restored.plain)
        #expect(back.kept == restored.kept)
        #expect(back.entries.mapValues(\.state) == ["a": state(5)])
    }

    @Test func `an instance in quarantine stands where it was, or after the last action`() throws {
        let standing = Standing(at: 3, missed: 2, open: [4...5])
        let before = SavedState(
            configured: [:], plain: [:], kept: [:],
            entries: ["a": saved("a", 1), "b": saved("b", 2, standing: standing)])
        let quarantined = try plan(entry("a"), entry("b"), quarantine: "it has trapped")
        let after = before.entering(record(quarantined))
        #expect(after.entries["a"]?.standing == Standing(at: 7))
        #expect(after.entries["b"]?.standing == standing)
        // One that was released in vain goes on standing where it was.
        var back = record(quarantined)
        var change = back.change
        change.standings["a"] = standing
        back = GenerationRecord(epoch: 1, number: 1, after: 9, time: 0, plan: back.plan, change: change)
        let again = before.entering(record(try plan(entry("a"), entry("b")))).entering(back)
        #expect(again.entries["a"]?.standing == standing)
        #expect(again.entries["b"]?.standing == Standing(at: 9))
        let released = after.entering(record(try plan(entry("a"), entry("b"))))
        #expect(released.entries["a"]?.standing == nil)
        #expect(released.entries["b"]?.standing == nil)
    }
}
