// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct HostPlanRoutesTests {
    /// A route as text: who emits it, then who hears it as what.
    private func text(_ route: PlannedRoute) -> String {
        let stops = route.stops.map { stop in
            "\(stop.place) \(stop.instance.id) \(stop.local ?? "-")\(stop.isControl ? " moves" : "")"
        }
        return "\(route.type): [\(route.senders.map(\.id).joined(separator: " "))] "
            + stops.joined(separator: ", ")
    }

    @Test func `every name and pattern has its route, everything else comes last`() throws {
        let plan = PlanExample.plan([
            try PlanExample.instance("log", consumes: ["*"]),
            try PlanExample.instance("shop", consumes: ["place", "pay-*"], emits: ["placed"]),
            try PlanExample.instance(
                "sync", consumes: ["placed"], emits: ["pay-late"],
                lift: .init(input: .prefix("shop/"), output: .prefix("shop/")),
                gate: .action(
                    control: "app/sync", at: .whole, turnOn: true, turnOff: false, default: .bypass)),
        ])
        #expect(
            plan.routes.map(text) == [
                "app/sync: [] 1 log app/sync, 3 sync - moves",
                "shop/pay-*: [] 1 log shop/pay-*, 2 shop pay-*",
                "shop/pay-late: [sync] 1 log shop/pay-late, 2 shop pay-late",
                "shop/place: [] 1 log shop/place, 2 shop place",
                "shop/placed: [shop] 1 log shop/placed, 3 sync placed",
                "*: [] 1 log *",
            ])
    }

    @Test func `the route of one type or pattern may be asked for, also of one that nobody names`() throws {
        let plan = PlanExample.plan([
            try PlanExample.instance(
                "a", consumes: ["x", "y-*"], emits: ["y-1"], lift: .init(input: .prefix("s/")))
        ])
        let ask = { (name: String) in try #require(TypePattern(name)) }
        #expect(text(plan.route(of: try ask("s/x"))) == "s/x: [] 1 a x")
        #expect(text(plan.route(of: try ask("s/y-2"))) == "s/y-2: [] 1 a y-2")
        #expect(text(plan.route(of: try ask("s/y-*"))) == "s/y-*: [] 1 a y-*")
        #expect(text(plan.route(of: try ask("s/*"))) == "s/*: [] ")
        #expect(text(plan.route(of: try ask("a/y-1"))) == "a/y-1: [a] ")
        #expect(text(plan.route(of: try ask("host/gate/open"))) == "host/gate/open: [] 1 a - moves")
    }

    @Test func `an interceptor may stop what it hears, but not what an operator sends`() throws {
        let version = try #require(SemanticVersion("1.0.0"))
        let guardian = PlannedInstance(
            InstanceConfiguration(id: "guard"),
            manifest: PluginManifest(
                id: "guard", version: version, summary: "", principal: "P", consumes: ["*"],
                permissions: ["intercept"]))
        let plan = PlanExample.plan([guardian, try PlanExample.instance("a", consumes: ["x"])])
        let route = plan.route(of: TypePattern(stem: "a/x", isOpen: false))
        #expect(route.stops.map(\.intercepts) == [true, false])
        let operators = plan.route(of: TypePattern(stem: "host/gate/open", isOpen: false))
        #expect(operators.stops.map(\.intercepts) == [false, false])
    }

    @Test func `a gate starts as the configuration says, or as a slice will say`() throws {
        let gate = { (pointer: String) in GateConfiguration.state(try JSONPointer(pointer)) }
        let plan = PlanExample.plan(
            [
                try PlanExample.instance("on", gate: gate("/features/on")),
                try PlanExample.instance("word", gate: gate("/features/word")),
                try PlanExample.instance("off", gate: gate("/features/off")),
                try PlanExample.instance("lost", gate: gate("/none")),
                try PlanExample.instance("slice", gate: gate("/on/ready")),
                try PlanExample.instance("shut", gate: .bypass),
            ], state: ["features": ["on": true, "word": "active", "off": 1]])
        #expect(
            plan.instances.map { plan.start(of: $0)?.rawValue } == [
                "active", "active", "bypass", "bypass", nil, "bypass",
            ])
    }

    /// What only a start can settle.
    private func doubts(_ plan: HostPlan) -> [String] {
        PlanReview(plan).diagnostics.filter { $0.severity == .doubt }.map(\.description)
    }

    @Test func `slices that may overlap are doubts`() throws {
        let plan = PlanExample.plan([
            try PlanExample.instance("a", lift: .init(state: try JSONPointer("/b/c"))),
            try PlanExample.instance("b"), try PlanExample.instance("c"),
        ])
        #expect(
            doubts(plan) == [
                "the slice /b of b overlaps the slice /b/c of a; if both plugins keep state, give one of them another \"lift\"/\"state\""
            ])
        #expect(
            doubts(PlanExample.plan([try PlanExample.instance("a"), try PlanExample.instance("a")])) == [],
            "two instances of one name are a mistake of their own")
    }
}
