// SPDX-License-Identifier: Apache-2.0

import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

/// Several instances in one worker, as the configuration says it.
@Suite(.timeLimit(.minutes(10))) struct SharedWorkerTests {
    /// A plan of these entries, with a counter and a logger in the folder.
    private func plan(_ entries: String, _ policy: String = #""host""#) throws -> HostPlan {
        try PlanExample.plan(
            #"{ "directory": ".", "discovery": "ignore", "placement": \#(policy), "plugins": [\#(entries)] }"#,
            libraries: ["CounterPlugin", "LoggerPlugin"])
    }

    /// An entry of the counter.
    private func counter(_ id: String, in placement: String, _ more: String = "") -> String {
        #"{ "id": "\#(id)", "library": "libCounterPlugin.so", "placement": "\#(placement)"\#(more) }"#
    }

    /// Who shares a process with whom, by the id of each.
    private func members(_ plan: HostPlan) -> [String: [String]] {
        plan.instances.reduce(into: [:]) { $0[$1.id] = plan.processMembers(with: $1).map(\.id) }
    }

    @Test func `instances that name the same worker share it, whatever their libraries are`() throws {
        let plan = try plan(
            [
                counter("eu", in: "worker:shop"), counter("us", in: "worker"),
                #"{ "id": "logger", "placement": "worker:shop" }"#, counter("asia", in: "worker:rest"),
            ].joined(separator: ", "))
        #expect(plan.diagnostics.all.filter { $0.severity != .doubt }.map { "\($0)" } == [])
        #expect(
            members(plan) == [
                "eu": ["eu", "logger"], "us": ["us"], "logger": ["eu", "logger"], "asia": ["asia"],
            ])
        #expect(
            plan.instances.map { "\($0.placement)" } == [
                "in the worker shop", "in a worker", "in the worker shop", "in the worker rest",
            ])
        #expect(plan.instances.allSatisfy { $0.runsInWorker })
        #expect(
            plan.listing["instances"]?.arrayValue?.map { $0["placement"] } == [
                "worker:shop", "worker", "worker:shop", "worker:rest",
            ])
    }

    @Test func `all instances share one worker where the default names it`() throws {
        let plan = try plan(
            #"{ "id": "counter" }, { "id": "logger" }, \#(counter("own", in: "worker"))"#,
            #"{ "default": "worker:all" }"#)
        #expect(plan.placements == ["counter, logger run in the worker all (by default)"])
        #expect(members(plan)["counter"] == ["counter", "logger"])
        #expect(
            plan.report["placements"] == [
                ["id": "counter", "placement": "worker:all", "placedBy": "default"],
                ["id": "logger", "placement": "worker:all", "placedBy": "default"],
            ])
    }

    @Test func `an instance in quarantine is in no process`() throws {
        let plan = try plan(
            counter("eu", in: "worker:shop") + #", { "id": "logger", "placement": "worker:shop" }"#
        ).quarantining { planned in
            planned.id == "logger" ? ("it died", Diagnostic(.warning, instance: planned.id, "died")) : nil
        }
        #expect(members(plan)["eu"] == ["eu"])
    }

    /// What a reload does, from entries to others.
    private func lines(from old: [String], to new: [String]) throws -> [String] {
        try PlanDifference(
            from: plan(old.joined(separator: ", ")), to: plan(new.joined(separator: ", "))
        ).lines
    }

    @Test func `whoever comes or goes takes all others of its worker into another process`() throws {
        let (eu, us) = (counter("eu", in: "worker:shop"), counter("us", in: "worker:shop"))
        let (own, logger) = (counter("own", in: "worker"), #"{ "id": "logger", "placement": "worker:rest" }"#)
        let rest = [own, logger]
        let again = "replace eu: another process of the worker shop"
        #expect(try lines(from: [eu] + rest, to: [eu, us] + rest) == [again, "start us"])
        #expect(try lines(from: [eu, us] + rest, to: [eu] + rest) == [again, "stop us"])
        #expect(
            try lines(from: [eu, us] + rest, to: [eu, counter("us", in: "host")] + rest) == [
                again, "move us into the host",
            ])
        #expect(
            try lines(from: [eu, counter("us", in: "worker")] + rest, to: [eu, us] + rest) == [
                again, "move us into the worker shop",
            ])
        #expect(try lines(from: [eu, us] + rest, to: [eu, us] + rest) == [])
    }

    @Test func `whoever begins anew takes the others along, and a change of a gate alone takes nobody`()
        throws
    {
        let eu = counter("eu", in: "worker:shop")
        let us = { (more: String) in counter("us", in: "worker:shop", more) }
        let again = "replace eu: another process of the worker shop"
        #expect(
            try lines(from: [eu, us("")], to: [eu, us(#", "settings": { "start": 7 }"#)]) == [
                again, "replace us: other settings",
            ])
        #expect(
            try lines(from: [eu, us("")], to: [eu, us(#", "grant": { "read": ["/etc/hosts"] }"#)]) == [
                again, "replace us: other rights",
            ])
        #expect(try lines(from: [eu, us("")], to: [eu, us(#", "gate": "bypass""#)]) == ["change us: gate"])
        let difference = PlanDifference(
            from: try plan(eu), to: try plan(eu + ", " + us(#", "gate": "bypass""#)))
        #expect(
            difference.json == [
                ["id": "eu", "step": "replace", "cause": "members"], ["id": "us", "step": "start"],
            ])
    }
}
