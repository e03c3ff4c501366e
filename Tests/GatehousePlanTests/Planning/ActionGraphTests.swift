// SPDX-License-Identifier: Apache-2.0

import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan

@Suite(.timeLimit(.minutes(10))) struct ActionGraphTests {
    /// The types of a graph, each with whom it comes from, who hears it and whose gate it moves.
    private func lines(_ instances: PlannedInstance...) -> [String] {
        let graph = ActionGraph(instances)
        let names = { (indices: [Int]) in indices.map { instances[$0].id }.joined(separator: ",") }
        return graph.nodes.map { "\($0.type): \(names($0.from)) > \(names($0.to)) | \(names($0.moves))" }
    }

    @Test func `what one emits and another hears joins them`() throws {
        #expect(
            lines(
                try PlanExample.instance("shop", consumes: ["place"], emits: ["placed", "lost"]),
                try PlanExample.instance(
                    "bill", consumes: ["placed"], emits: ["sent"], lift: .init(input: .prefix("shop/")))
            ) == [
                "bill/sent: bill >  | ", "shop/lost: shop >  | ", "shop/place:  > shop | ",
                "shop/placed: shop > bill | ",
            ])
    }

    @Test func `a pattern meets the names below it, and comes from outside besides`() throws {
        #expect(
            lines(
                try PlanExample.instance("shop", emits: ["placed"]),
                try PlanExample.instance("mail", consumes: ["*"], lift: .init(input: .prefix("shop/")))
            ) == ["shop/*:  > mail | ", "shop/placed: shop > mail | "])
    }

    @Test func `whoever hears everything is joined with nobody, and says so`() throws {
        let instances = [
            try PlanExample.instance("log", consumes: ["*"]),
            try PlanExample.instance("shop", emits: ["placed"]),
        ]
        #expect(
            ActionGraph(instances).value == [
                "instances": [
                    ["id": "log", "plugin": "plugin", "hears": ["*"], "emits": []],
                    ["id": "shop", "plugin": "plugin", "hears": [], "emits": ["shop/placed"]],
                ],
                "types": [["type": "shop/placed", "from": ["shop"], "to": [], "moves": []]],
            ])
    }

    @Test func `a type that moves a gate leads to its instance`() throws {
        #expect(
            lines(
                try PlanExample.instance(
                    "sync", consumes: ["x"],
                    gate: .action(
                        control: "app/sync", at: try JSONPointer("/on"), turnOn: true, turnOff: false,
                        default: .bypass))
            ) == ["app/sync:  >  | sync", "sync/x:  > sync | "])
    }

    @Test func `nobody makes an empty graph`() {
        #expect(ActionGraph([]).value == ["instances": [], "types": []])
    }
}
