// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks
internal import GatehouseSupport

/// Formats the outcome of a case for people.
enum CaseText {
    /// The indentation of the lines below a case.
    private static let indent = "      "

    /// One line for a passed case; for a failed one also the step, the differences and the log.
    static func text(_ outcome: CaseOutcome) -> String {
        var first = (outcome.hasPassed ? "pass  " : "fail  ") + Quotation.bare(outcome.name)
        let remarks =
            (outcome.stubbedEffects > 0 ? ["\(Counted.text(outcome.stubbedEffects, "effect")) not run"] : [])
            + (outcome.hostReason.map { [$0] } ?? [])
        if !remarks.isEmpty { first += " (\(remarks.joined(separator: "; ")))" }
        var lines = [first]
        for failure in outcome.failures {
            lines += "\(failure.diagnostic)".split(separator: "\n").map {
                indent + Quotation.bare(String($0))
            }
            lines += shortened(failure.difference.map { indent + "  " + Quotation.bare("\($0)") })
        }
        if !outcome.hasPassed {
            lines += shortened(outcome.log.map { indent + "log: " + Quotation.bare($0) })
        }
        return lines.joined(separator: "\n")
    }

    /// At most this many lines of each kind are shown for a case.
    private static let mostLines = 100

    /// The first lines, and how many were left out.
    private static func shortened(_ lines: [String]) -> [String] {
        guard lines.count > mostLines else { return lines }
        return lines.prefix(mostLines) + [indent + "  … and \(lines.count - mostLines) more"]
    }
}
