// SPDX-License-Identifier: Apache-2.0

import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan

@Suite(.timeLimit(.minutes(10))) struct HostPlanGraphTests {
    @Test func `instances, types and gates are joined as they hear and emit`() throws {
        let plan = PlanExample.plan(
            [
                try PlanExample.instance("log", consumes: ["*"]),
                try PlanExample.instance(
                    "shop", consumes: ["place"], emits: ["placed"], gate: .state(try JSONPointer("/open"))),
                try PlanExample.instance(
                    "sync", consumes: ["x"],
                    gate: .action(
                        control: "app/sync", at: try JSONPointer("/on"), turnOn: true, turnOff: false,
                        default: .bypass)),
                try PlanExample.instance("shut", consumes: ["x"], gate: .bypass),
            ], state: ["open": true])
        let graph = try DotGraph(plan.graph)
        #expect(graph.nodes["instance shop"] == ["shape": "box", "label": "2 shop\nplugin 1.0.0"])
        #expect(graph.nodes["type shop/place"] == ["shape": "ellipse", "label": "shop/place"])
        #expect(graph.nodes["gate shop"] == ["shape": "diamond", "label": "state /open\nstarts active"])
        #expect(graph.nodes["gate sync"] == ["shape": "diamond", "label": "/on\nstarts bypass"])
        #expect(graph.nodes["gate shut"] == ["shape": "diamond", "label": "starts bypass"])
        let edges = graph.edges.map { edge in
            ([edge.from, edge.to] + edge.attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
                .joined(separator: " | ")
        }
        #expect(
            edges == [
                "gate shop | instance shop", "gate sync | instance sync",
                "type app/sync | gate sync | label=moves | style=dashed", "gate shut | instance shut",
                "type app/sync | type * | style=dotted", "type shop/place | type * | style=dotted",
                "type shop/placed | type * | style=dotted", "type shut/x | type * | style=dotted",
                "type sync/x | type * | style=dotted", "type * | instance log",
                "type shop/place | gate shop | label=place", "instance shop | type shop/placed",
                "type sync/x | gate sync | label=x", "type shut/x | gate shut | label=x",
            ])
        #expect(Set(graph.edges.flatMap { [$0.from, $0.to] }).isSubset(of: graph.nodes.keys))
    }

    @Test func `names with quotes, backslashes and line feeds stay names`() throws {
        let name = "a\"b\\n\\\nc é [x] -> {y};"
        let plan = PlanExample.plan([
            try PlanExample.instance("i", consumes: [name], emits: ["\\"], lift: .init(input: .prefix("")))
        ])
        let graph = try DotGraph(plan.graph)
        #expect(graph.nodes["type " + name]?["label"] == name)
        #expect(graph.nodes["type i/\\"]?["label"] == "i/\\")
        #expect(graph.edges.count == 2)
    }

    @Test func `nobody makes an empty graph`() throws {
        #expect(PlanExample.plan([]).graph == "digraph gatehouse {\n  rankdir=LR;\n}\n")
    }
}
