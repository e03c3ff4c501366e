// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK

/// The expectation of all actions that instances have emitted since the last look.
struct OutputExpectation: Sendable {
    /// The expected actions, in this order.
    let actions: [ActionExpectation]
    /// Whether others may come before, between and after them.
    let allowsOthers: Bool
    /// Types that must not occur.
    let none: [TypePattern]

    /// The keys of an expectation that is not an array.
    private enum Key: String, CaseIterable {
        case exactly, among, none
    }

    /// Reads an array of all actions, or an object with more detail.
    static func read(_ node: LocatedNode) -> OutputExpectation? {
        if node.elements != nil {
            return readActions(node).map {
                OutputExpectation(actions: $0, allowsOthers: false, none: [])
            }
        }
        guard case .object = node.value.content else {
            return node.fail(
                expected: "an array of actions, or an object with \"exactly\", \"among\" or \"none\"",
                advice: "write [] for no action")
        }
        guard let reader = ObjectReader<Key>(node) else { return nil }
        if reader[.exactly] != nil {
            for key in [Key.among, .none] {
                reader[key]?.reportKey(
                    "\"exactly\" and \"\(key.rawValue)\" are both given; keep one of them")
            }
        }
        return OutputExpectation(
            actions: (reader[.exactly] ?? reader[.among]).flatMap(readActions) ?? [],
            allowsOthers: reader[.exactly] == nil,
            none: reader[.none].flatMap { $0.list { $0.pattern() } } ?? [])
    }

    /// Reads actions in order.
    private static func readActions(_ node: LocatedNode) -> [ActionExpectation]? {
        guard let elements = node.elements else {
            return node.fail(
                expected: "an array of actions", advice: "write [\"…\"] or [{ \"type\": \"…\" }]")
        }
        return elements.compactMap(ActionExpectation.read)
    }

    /// Returns the differences from the found actions, in words and line by line; nil for none.
    func objection(to found: [EmittedAction]) -> (sentence: String, difference: [DifferenceLine])? {
        if let pattern = none.first(where: { pattern in found.contains { pattern.covers($0.type) } }) {
            return (
                "expected no action \(pattern), found some",
                found.filter { pattern.covers($0.type) }.map { .found("\($0)") }
            )
        }
        let lines = DifferenceLine.align(actions, found) { $0.admits($1) }
        let isMissing = lines.contains { if case .expected = $0 { true } else { false } }
        let isMore = lines.contains { if case .found = $0 { true } else { false } }
        if !isMissing, allowsOthers || !isMore { return nil }
        let sentence =
            switch (isMissing, isMore) {
            case (true, true): "expected other actions"
            case (true, false): "expected more actions"
            case (false, _): "expected fewer actions"
            }
        return (sentence + (allowsOthers ? ", among others" : ""), lines)
    }
}
