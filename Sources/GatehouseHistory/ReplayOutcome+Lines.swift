// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// The outcome of a replay, for people.
extension ReplayOutcome {
    /// The most differences of each kind to show.
    private static let mostShown = 20

    /// A summary, and the differences by kind, line by line.
    package var lines: [String] {
        var lines = [summary]
        lines += damage
        for kind in ReplayDifference.Kind.allCases {
            guard let count = counts[kind] else { continue }
            lines.append("\(Counted.text(count, "action")) \(kind.words):")
            lines += Self.shown(differences.filter { $0.kind == kind }.map(\.line), of: count)
        }
        if !state.isEmpty {
            let since = firstStateDifference.map { ", for the first time after \($0)" } ?? ""
            lines.append("the state differs at \(Counted.text(state.count, "place"))\(since):")
            lines += Self.shown(
                state.prefix(Self.mostShown).map {
                    "\($0.pointer)  \($0.old.short) → \($0.new.short)"
                }, of: state.count)
        }
        if reportCount > 0 {
            lines.append("\(Counted.text(reportCount, "report")) now about data that cannot be decoded:")
            lines += Self.shown(reports, of: reportCount)
        }
        return lines
    }

    /// A one-sentence summary.
    private var summary: String {
        guard let range else { return "the journal has no actions there" }
        var text =
            "actions \(range.lowerBound) to \(range.upperBound): \(Counted.text(dispatched, "action")) dispatched again; \(followed)"
        if stubbedEffects > 0 { text += "; \(Counted.text(stubbedEffects, "effect")) not run" }
        return text + (isSame ? "; nothing differs" : "")
    }

    /// How many consequences the dispatched actions had.
    private var followed: String {
        if found == recorded {
            return found == 0
                ? "nothing followed, as recorded" : "\(found) more followed, as many as recorded"
        }
        return
            "\(found == 0 ? "nothing" : "\(found) more") followed now, \(recorded == 0 ? "nothing" : "\(recorded) more") in the record"
    }

    /// Returns the first of some lines, indented, and the number of further ones.
    private static func shown(_ lines: [String], of count: Int) -> [String] {
        let shown = lines.prefix(mostShown).map { "  " + $0 }
        return count > shown.count ? shown + ["  … and \(count - shown.count) more"] : shown
    }
}

extension ReplayDifference.Kind {
    /// The kind in words.
    fileprivate var words: String {
        switch self {
        case .missing: "missing"
        case .added: "more than recorded"
        case .changed: "with other content"
        case .reordered: "in another order"
        }
    }
}

extension ReplayDifference {
    /// The difference in one line.
    fileprivate var line: String {
        let by = instance.map { " by \(Quotation.bare($0))" } ?? ""
        let text = "\(Quotation.bare(type))\(by) after \(cause)"
        switch kind {
        case .changed:
            let places = Value.differences(from: recorded, to: found)
            let more = places.count > 3 ? " and \(places.count - 3) more" : ""
            return text
                + places.prefix(3).map { ": \($0.pointer) \($0.old.short) → \($0.new.short)" }.joined()
                + more
        case .missing, .added:
            return text + ((recorded ?? found)?["payload"].map { "  " + Optional($0).short } ?? "")
        case .reordered: return text
        }
    }
}

extension Value? {
    /// The value in at most 60 characters.
    fileprivate var short: String {
        guard let text = self?.json() else { return "nothing" }
        return text.count <= 60 ? text : text.prefix(59) + "…"
    }
}
