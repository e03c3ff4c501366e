// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseSDK

/// What came of a replay, for people.
enum ReplayText {
    /// So many differences of each part are shown.
    private static let most = 20

    /// A summary, and the differences by kind.
    static func text(_ outcome: ReplayOutcome) -> String {
        var lines = [summary(outcome)]
        lines += outcome.damage
        for kind in ReplayDifference.Kind.allCases {
            guard let count = outcome.counts[kind] else { continue }
            lines.append("\(Counted.text(count, "action")) \(words(kind)):")
            lines += shown(outcome.differences.filter { $0.kind == kind }, of: count, line)
        }
        if !outcome.state.isEmpty {
            let since = outcome.firstStateDifference.map { ", for the first time behind \($0)" } ?? ""
            lines.append("the state differs at \(Counted.text(outcome.state.count, "place"))\(since):")
            lines += shown(outcome.state, of: outcome.state.count) {
                "\($0.pointer)  \(short($0.recorded)) → \(short($0.found))"
            }
        }
        if outcome.reportCount > 0 {
            lines.append("\(Counted.text(outcome.reportCount, "report")) about what does not fit:")
            lines += shown(outcome.reports, of: outcome.reportCount) { $0 }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// What was gone over, in a sentence.
    private static func summary(_ outcome: ReplayOutcome) -> String {
        guard let range = outcome.range else { return "the journal has no actions there" }
        var text =
            "actions \(range.lowerBound) to \(range.upperBound): \(Counted.text(outcome.dispatched, "action")) dispatched again, "
            + "\(outcome.found) followed, \(outcome.recorded) then"
        if outcome.stubbedEffects > 0 {
            text += "; \(Counted.text(outcome.stubbedEffects, "effect")) not run"
        }
        return text + (outcome.isSame ? "; all is the same" : "")
    }

    /// What has become of actions of a kind.
    private static func words(_ kind: ReplayDifference.Kind) -> String {
        switch kind {
        case .missing: "missing"
        case .added: "more than then"
        case .changed: "with something else in them"
        case .reordered: "in another order"
        }
    }

    /// One difference, in a line.
    private static func line(_ difference: ReplayDifference) -> String {
        let by = difference.instance.map { " by \(Quotation.bare($0))" } ?? ""
        var text = "\(Quotation.bare(difference.type))\(by) after \(difference.cause)"
        switch difference.kind {
        case .changed:
            let places = Value.differences(from: difference.recorded, to: difference.found)
            text += places.prefix(3).map { ": \($0.pointer) \(short($0.old)) → \(short($0.new))" }.joined()
            if places.count > 3 { text += " and \(places.count - 3) more" }
        case .missing: text += difference.recorded?["payload"].map { "  \(short($0))" } ?? ""
        case .added: text += difference.found?["payload"].map { "  \(short($0))" } ?? ""
        case .reordered: break
        }
        return text
    }

    /// The first of some things, indented, and how many more there are.
    private static func shown<Element>(
        _ elements: [Element], of count: Int, _ line: (Element) -> String
    ) -> [String] {
        let lines = elements.prefix(most).map { "  " + line($0) }
        return count > lines.count ? lines + ["  … and \(count - lines.count) more"] : lines
    }

    /// A value in at most 60 characters.
    private static func short(_ value: Value?) -> String {
        value.map { TextTable.cut($0.json(), 60) } ?? "nothing"
    }
}
