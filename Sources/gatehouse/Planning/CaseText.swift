// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseSupport

/// What came of a case, for people.
enum CaseText {
    /// So far are the lines below a case indented.
    private static let indent = "      "

    /// One line for a case that has passed; of one that has failed also where and what differs, and what was logged.
    static func text(_ outcome: CaseOutcome) -> String {
        var first = (outcome.hasPassed ? "pass  " : "fail  ") + Quotation.bare(outcome.name)
        if outcome.stubbedEffects > 0 {
            first += " (\(Counted.text(outcome.stubbedEffects, "effect")) not run)"
        }
        var lines = [first]
        for failure in outcome.failures {
            lines += "\(failure.finding)".split(separator: "\n").map { indent + Quotation.bare(String($0)) }
            lines += shortened(failure.difference.map { indent + "  " + Quotation.bare("\($0)") })
        }
        if !outcome.hasPassed {
            lines += shortened(outcome.log.map { indent + "log: " + Quotation.bare($0) })
        }
        return lines.joined(separator: "\n")
    }

    /// So many lines of one kind are shown of a case.
    private static let mostLines = 100

    /// The first lines, and how many more there were.
    private static func shortened(_ lines: [String]) -> [String] {
        guard lines.count > mostLines else { return lines }
        return lines.prefix(mostLines) + [indent + "  … and \(lines.count - mostLines) more"]
    }
}
