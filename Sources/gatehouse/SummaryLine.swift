// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost

/// What a run has done, in one sentence.
enum SummaryLine {
    /// The sentence; what did not happen is left out, except the three counts everybody asks for.
    static func text(_ summary: Host.Summary, _ counts: HostCounts, badData: Int) -> String {
        var parts = [
            count(summary.lines, "line"), count(counts.actions, "action"), "\(summary.rejected) rejected",
        ]
        let misfits = badData - summary.rejected - counts.cutInputs
        if misfits > 0 { parts.append("\(misfits) refused or with a payload that does not fit") }
        if summary.blank > 0 { parts.append("\(summary.blank) blank") }
        if counts.droppedOutputs > 0 {
            parts.append(count(counts.droppedOutputs, "output") + " dropped by closed gates")
        }
        if counts.cutOutputs > 0 { parts.append(count(counts.cutOutputs, "output") + " dropped at a limit") }
        if counts.refusedOutputs > 0 { parts.append(count(counts.refusedOutputs, "output") + " refused") }
        if counts.stoppedActions > 0 {
            parts.append(count(counts.stoppedActions, "action") + " stopped by interceptors")
        }
        if let signal = summary.signal { parts.append("ended early by signal \(signal)") }
        if summary.stoppedAtBadData { parts.append("stopped at bad data (--strict)") }
        return parts.joined(separator: ", ")
    }

    /// A number with its noun, in the plural unless it is one.
    private static func count(_ number: Int, _ noun: String) -> String {
        Counted.text(number, noun)
    }
}
