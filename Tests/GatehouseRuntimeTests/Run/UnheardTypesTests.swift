// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseRuntime

@Suite(.timeLimit(.minutes(10))) struct UnheardTypesTests {
    /// The names, noted one after the other.
    private func noted(_ names: [String]) -> RecentNames {
        names.reduce(into: RecentNames()) { $0.note($1) }
    }

    @Test func `each name is kept once, the last ones when there are too many`() {
        #expect(noted(["a", "b", "a"]).names == ["a", "b"])
        let full = noted((0..<RecentNames.capacity).map { "\($0)" } + ["7"])
        #expect(full.names.count == RecentNames.capacity && !full.hasForgotten)
        var more = full
        more.note("next")
        #expect(more.names.count == RecentNames.capacity && more.hasForgotten)
        #expect(more.names.contains("next") && !more.names.contains("0") && more.names.contains("1"))
        // What has made room is a new name again.
        more.note("0")
        #expect(more.names.contains("0") && !more.names.contains("1"))
    }

    @Test func `of a long name the beginning is kept`() {
        let long = String(repeating: "x", count: 1 << 20)
        let names = noted([long + "1", long + "2", "short"]).names
        #expect(names.map(\.utf8.count) == [128, 5])
    }

    @Test(
        arguments: [
            ([], [], "no types unheard"), (["a"], [], "1 of 1 type unheard: a"),
            (["a"], ["b"], "1 of 2 types unheard: a"),
            (["a", "b"], ["c", "d", "e"], "2 of 5 types unheard, such as a"),
            (
                ["a", "github/pushh"], ["github/push"],
                "2 of 3 types unheard, such as github/pushh; did you mean github/push?"
            ),
            (["a"], (0..<300).map { "\($0)" }, "1 type unheard: a"),
            (
                (0..<300).map { "t\($0)" }, ["x"], "more than 256 types unheard, such as t256"
            ),
        ] as [([String], [String], String)])
    func `they are told in a few words`(unheard: [String], heard: [String], sentence: String) {
        let types = UnheardTypes(noted(unheard), heard: noted(heard), literals: ["github/push"])
        #expect(types.description == sentence)
    }
}
