// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSupport

/// Summarizes a run in one sentence.
enum SummaryLine {
    /// The sentence; omits counts of zero, except the three that everybody asks for.
    ///
    /// - Parameter traffic: what a member of a cluster put into partitions, and the duplicates found there; nil outside a
    ///   cluster.
    static func text(
        _ summary: Host.Summary, _ counts: HostCounts, badData: Int,
        traffic: (appended: Int, duplicates: Int)? = nil
    ) -> String {
        var parts = [
            Counted.text(summary.lines, "line"), Counted.text(counts.actions, "action"),
            "\(summary.rejected) rejected",
        ]
        if let traffic {
            parts.append("\(traffic.appended) put into partitions")
            if traffic.duplicates > 0 {
                parts.append("\(Counted.text(traffic.duplicates, "duplicate")) dropped there")
            }
        }
        let decodingFailures = badData - summary.rejected - counts.cutInputs
        if decodingFailures > 0 { parts.append("\(decodingFailures) refused or not decodable") }
        if summary.blank > 0 { parts.append("\(summary.blank) blank") }
        for (number, noun, fate) in [
            (counts.droppedOutputs, "output", "dropped by closed gates"),
            (counts.lateOutputs, "output", "dropped because their instances were gone"),
            (counts.cutOutputs, "output", "dropped at a limit"),
            (counts.refusedOutputs, "output", "refused"),
            (counts.stoppedActions, "action", "stopped by interceptors"),
        ] where number > 0 {
            parts.append("\(Counted.text(number, noun)) \(fate)")
        }
        for failures in counts.failures { parts.append("\(failures.count) failed in \(failures.instance)") }
        for work in summary.givenUp { parts.append("\(work) given up") }
        for work in summary.left { parts.append("\(work) left to the next run") }
        switch summary.stop {
        case .signal(let number), .relayed(let number): parts.append("ended early by signal \(number)")
        case .outputFailed: parts.append("ended early because standard output failed")
        case .journalFailed: parts.append("ended early because the journal failed")
        case .clusterFailed: parts.append("ended early because the cluster failed")
        case .control: parts.append("ended by gatehouse ctl")
        case nil: break
        }
        if summary.stoppedAtBadData { parts.append("stopped at bad data (--strict)") }
        // Last, because it may end in a question.
        if counts.unheard.count > 0 { parts.append(counts.unheard.description) }
        return parts.joined(separator: ", ")
    }

    /// The sentence for a run that ended prematurely.
    static func text(_ progress: RunProgress) -> String {
        "gatehouse: \(Counted.text(progress.lines, "line")), \(Counted.text(progress.actions, "action")), \(progress.rejected) rejected"
    }
}
