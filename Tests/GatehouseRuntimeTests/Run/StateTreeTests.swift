// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseRuntime

@Suite(.timeLimit(.minutes(10))) struct StateTreeTests {
    /// A plugin with the slice of the tests.
    private struct Stock: Plugin {
        enum Action: PluginAction { case sell }
        struct State: Codable, Sendable { var apples = 3 }

        static func initialState(_ settings: NoSettings) -> State { State() }
        static func reducer(_ settings: NoSettings) -> Reducer<Action, State> { .identity }
        static func middleware() -> Reader { .doNothing() }
    }

    private let tree: StateTree

    init() throws {
        tree = StateTree(plain: ["shop": ["open": true], "limit": 5])
        let parts = try PluginEntry.exports(of: Stock.self).makeParts(settings: [:]) { _ in }
        tree.own(try JSONPointer("/shop/stock"), parts.slice, by: "stock")
    }

    @Test(
        arguments: [
            ("/shop/stock", "stock"), ("/shop/stock/apples", "stock"), ("/shop", nil), ("", nil),
            ("/shop/stocks", nil),
        ] as [(String, String?)])
    func `the owner of a place is the slice that holds it`(pointer: String, instance: String?) throws {
        #expect(tree.owner(of: try JSONPointer(pointer))?.instance == instance)
    }

    @Test(
        arguments: [
            ("/limit", 5), ("/shop/open", true), ("/shop/stock/apples", 3), ("/shop/stock", ["apples": 3]),
            ("/shop", ["open": true, "stock": ["apples": 3]]), ("/shop/stock/pears", nil), ("/nothing", nil),
        ] as [(String, Value?)])
    func `a look finds plain values, slices, and what lies around them`(pointer: String, value: Value?) throws
    {
        #expect(try tree.value(at: try JSONPointer(pointer)) == value)
    }

    @Test func `the snapshot holds plain values and slices`() throws {
        #expect(try tree.snapshot() == ["shop": ["open": true, "stock": ["apples": 3]], "limit": 5])
    }

    @Test func `a patch changes plain values and removes what it sets to null`() throws {
        let version = tree.plainVersion
        #expect(tree.merge(["limit": 6, "shop": ["open": nil, "name": "north"]]) == nil)
        #expect(try tree.snapshot() == ["shop": ["name": "north", "stock": ["apples": 3]], "limit": 6])
        #expect(tree.plainVersion == version + 1)
    }

    @Test(
        arguments: [
            ["shop": ["stock": ["apples": 9]]], ["shop": ["stock": nil]], ["shop": nil], ["shop": 1], [1, 2],
            ["limit": 9, "shop": "closed"],
        ] as [Value])
    func `a patch that reaches into a slice, or removes what is above it, changes nothing`(patch: Value)
        throws
    {
        let before = try tree.snapshot()
        #expect(tree.merge(patch)?.instance == "stock")
        #expect(try tree.snapshot() == before)
        #expect(tree.plainVersion == 0)
    }
}
