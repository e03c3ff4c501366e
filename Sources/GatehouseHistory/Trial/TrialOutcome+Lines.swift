// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseSDK
internal import GatehouseSupport

/// The outcome of a trial, for people.
extension TrialOutcome {
    /// The most lines of each kind to show.
    private static let mostShown = 20

    /// A summary, the findings, and the differences by kind, line by line.
    package var lines: [String] {
        var lines = [summary]
        lines += damage
        lines += findings.map(\.sentence)
        if places.count > 1 { lines += placeLines }
        for kind in TrialDifference.Kind.allCases {
            guard let count = kinds[kind] else { continue }
            lines.append("\(Counted.text(count, "action")) \(words(for: kind)):")
            lines += Self.shown(differences.filter { $0.kind == kind }.map(\.line), of: count)
        }
        if !isAgainstRecord { lines += effectLines }
        if !state.isEmpty {
            let since = firstStateDifference.map { ", for the first time after \($0)" } ?? ""
            lines.append("the state differs at \(Counted.text(state.count, "place"))\(since):")
            lines += Self.shown(
                state.prefix(Self.mostShown).map {
                    "\($0.pointer)  \($0.old.short) → \($0.new.short)"
                }, of: state.count)
        }
        lines += reportLines
        if hasDifferences, !causes.isEmpty {
            lines.append("the first difference follows from:")
            lines += CauseTree(causes).lines.map { "  " + $0.branches + $0.entry.line }
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
        let (like, origin) = isAgainstRecord ? ("as recorded", "in the record") : ("as before", "before")
        if found == recorded {
            return found == 0 ? "nothing followed, \(like)" : "\(found) more followed, as many \(like)"
        }
        return
            "\(found == 0 ? "nothing" : "\(found) more") followed now, \(recorded == 0 ? "nothing" : "\(recorded) more") \(origin)"
    }

    /// A kind of difference in words.
    private func words(for kind: TrialDifference.Kind) -> String {
        switch kind {
        case .missing: "missing"
        case .added: isAgainstRecord ? "more than recorded" : "more than before"
        case .changed: "with other content"
        case .reordered: "in another order"
        }
    }

    /// The differences by type and instance.
    private var placeLines: [String] {
        let lines = places.map { place in
            let numbers = TrialDifference.Kind.allCases.compactMap { kind in
                counts[place]?[kind].map { "\($0) \(kind.rawValue)" }
            }
            return place.text + ": " + numbers.joined(separator: ", ")
        }
        return ["differences by type and instance:"] + Self.shown(lines, of: lines.count)
    }

    /// The types whose actions begin other effects.
    private var effectLines: [String] {
        guard !effects.isEmpty else { return [] }
        let lines = effects.sorted { $0.key < $1.key }.map { type, found in
            "\(Quotation.bare(type))  \(found.before) → \(found.now), for the first time after \(found.first)"
        }
        return ["other numbers of effects begin with:"] + Self.shown(lines, of: lines.count)
    }

    /// The reports, all where the reference has none, and otherwise those that differ in number.
    private var reportLines: [String] {
        guard reports.count > 0 || !reports.differing.isEmpty else { return [] }
        if isAgainstRecord {
            return ["\(Counted.text(reports.count, "report")) now about data that cannot be decoded:"]
                + Self.shown(reports.sentences, of: reports.count)
        }
        guard !reports.differing.isEmpty else { return [] }
        let lines = reports.differing.sorted { $0.key < $1.key }.map { subject, numbers in
            (subject.instance.isEmpty ? "" : subject.instance + ": ")
                + "\(numbers.now) \(Quotation.bare(subject.problem)), \(numbers.before) before"
        }
        return ["other numbers of errors:"] + Self.shown(lines, of: lines.count)
    }

    /// Returns the first of some lines, indented, and the number of further ones.
    private static func shown(_ lines: [String], of count: Int) -> [String] {
        let shown = lines.prefix(mostShown).map { "  " + $0 }
        return count > shown.count ? shown + ["  … and \(count - shown.count) more"] : shown
    }
}

extension TrialPlace {
    /// The type, and who emits it.
    fileprivate var text: String {
        Quotation.bare(type) + (instance.map { " by \(Quotation.bare($0))" } ?? "")
    }
}

extension TrialDifference {
    /// The difference in one line.
    var line: String {
        let text = "\(place.text) after \(cause)"
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

extension JournalRecord {
    /// The action in one line, with its payload.
    fileprivate var line: String {
        "\(sequence)  \(Quotation.bare(type))  \(origin)"
            + (action["payload"].map { "  " + Optional($0).short } ?? "")
    }
}

extension Value? {
    /// The value in at most 60 characters.
    var short: String {
        guard let text = self?.json() else { return "nothing" }
        return text.count <= 60 ? text : text.prefix(59) + "…"
    }
}
