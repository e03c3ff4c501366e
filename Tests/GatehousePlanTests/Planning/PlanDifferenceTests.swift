// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehousePlan

/// What has to be done to come from one plan to another.
@Suite(.timeLimit(.minutes(10))) struct PlanDifferenceTests {
    /// What is done to come from one chain to another.
    private func lines(
        _ old: [PlannedInstance], _ new: [PlannedInstance], state: (Value, Value) = ([:], [:])
    ) -> [String] {
        PlanDifference(
            from: PlanExample.plan(old, state: state.0), to: PlanExample.plan(new, state: state.1)
        ).lines
    }

    /// Instances of these names, in this order.
    private func chain(_ ids: String...) throws -> [PlannedInstance] {
        try ids.map { try PlanExample.instance($0) }
    }

    @Test func `nothing is done between two plans that are alike`() throws {
        let plan = PlanExample.plan(try chain("a", "b"))
        let difference = PlanDifference(from: plan, to: plan)
        #expect(difference.isEmpty)
        #expect(difference.changes.map(\.step) == [.keep, .keep])
        #expect(difference.description == "")
        #expect(difference.json == [])
    }

    @Test func `instances start and stop`() throws {
        #expect(lines(try chain("a", "b"), try chain("b", "c")) == ["start c", "stop a"])
    }

    @Test func `as few as possible move when the order changes`() throws {
        #expect(lines(try chain("a", "b", "c", "d"), try chain("d", "a", "b", "c")) == ["move d"])
        #expect(lines(try chain("a", "b", "c", "d"), try chain("b", "c", "d", "a")) == ["move a"])
        #expect(lines(try chain("a", "b"), try chain("x", "a", "b")) == ["start x"])
    }

    @Test func `another gate and other names need no other object`() throws {
        let before = try PlanExample.instance("a")
        let after = try PlanExample.instance(
            "a", lift: LiftConfiguration(input: .prefix("x/"), state: try JSONPointer("/x")), gate: .bypass)
        #expect(lines([before], [after]) == ["change a: gate, lift, state"])
        #expect(
            PlanDifference(from: PlanExample.plan([before]), to: PlanExample.plan([after])).json == [
                ["id": "a", "step": "change", "parts": ["gate", "lift", "state"]]
            ])
    }

    @Test func `another log changes the host alone`() throws {
        let plans = try ["text", "json"].map {
            try PlanExample.plan(#"{ "log": { "format": "\#($0)" } }"#, libraries: [])
        }
        let difference = PlanDifference(from: plans[0], to: plans[1])
        #expect(!difference.isEmpty)
        #expect(difference.lines == ["change the host: log"])
        #expect(difference.json == [["step": "host", "parts": ["log"]]])
    }

    @Test func `other dependencies need another object`() throws {
        let before = try PlanExample.instance("a")
        let after = try PlanExample.instance("a", lift: LiftConfiguration(dependencies: ["clock"]))
        #expect(lines([before], [after]) == ["replace a: other dependencies"])
    }

    @Test func `another object takes the place of what goes into quarantine, or comes out`() throws {
        let running = try PlanExample.instance("a")
        let standing = running.quarantined(because: "it has trapped")
        #expect(lines([running], [standing]) == ["put a in quarantine"])
        #expect(lines([standing], [running]) == ["let a out of quarantine"])
        #expect(lines([standing], [standing]) == [])
        #expect(
            PlanDifference(from: PlanExample.plan([standing]), to: PlanExample.plan([running])).json == [
                ["id": "a", "step": "replace", "cause": "release"]
            ])
    }

    @Test func `what the file says otherwise about the state is a patch`() throws {
        #expect(
            lines([], [], state: (["a": 1, "b": 2], ["a": 1, "b": 3])) == [#"change the state: {"b":3}"#])
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `those that do not move keep their order, and moving one less would not do`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let old = (0..<8).map { "i\($0)" }
        let new = old.shuffled(using: &generator)
        let difference = PlanDifference(
            from: PlanExample.plan(try old.map { try PlanExample.instance($0) }),
            to: PlanExample.plan(try new.map { try PlanExample.instance($0) }))
        let staying = difference.changes.filter { !$0.isMoved }.map(\.planned.id)
        #expect(staying == staying.sorted())
        // The longest row that keeps its order, found by trying all of them.
        let longest = (0..<(1 << new.count)).lazy.map { choice in
            new.indices.filter { choice & (1 << $0) != 0 }.map { new[$0] }
        }.filter { $0 == $0.sorted() }.map(\.count).max()
        #expect(staying.count == longest)
    }
}
