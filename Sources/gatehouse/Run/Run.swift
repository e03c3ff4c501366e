// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseMember
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// A run of a host that is ready: reads, prints, and reports the result.
struct Run {
    /// The command line, and the process.
    let context: RunContext
    /// The host that runs.
    let host: Host
    /// The inputs to read.
    let inputs: RunInputs
    /// Answers clients.
    let control: RunControl
    /// Owns the partitions; nil for a host outside a cluster.
    let member: ClusterHost?
    /// Sends spans.
    let traces: RunTraces

    /// Reads the inputs to their end, prints the result, and returns the exit code; nil where another process goes on for this host.
    func finish() -> ExitCode? {
        var isHandedOver = false
        defer { if !isHandedOver { inputs.close() } }
        if inputs.hasStandardInput, isatty(STDIN_FILENO) == 1 {
            StandardError.tell("reading actions from the terminal, one JSON object a line; Ctrl-D ends")
        }
        var progress = ProgressLine()
        let showsProgress = StandardError.isTerminal
        let summary: Host.Summary
        do {
            summary = try host.run(
                inputs.all, isStrict: context.options.isStrict, mostTurnedAway: mostTurnedAway,
                grace: context.options.grace,
                onLine: { if showsProgress { progress.update(lines: $0) } },
                onWait: { context.process.output.setInputIdle($0) },
                onGrace: { if context.process.stop.isAsked { tellGrace($0) } })
        } catch {
            progress.finish()
            context.reports.tellRest()
            return .usage.because("\(error)")
        }
        if summary.isHandedOver {
            isHandedOver = true
            member?.finishOutputs(within: context.options.grace)
            progress.finish()
            _ = context.process.output.flush()
            context.reports.tellRest()
            context.limits.finish {}
            traces.finish()
            control.finishAnswers()
            return nil
        }
        if let member {
            if summary.stop == nil { member.catchUp() }
            member.leave(within: context.options.grace)
        }
        progress.finish()
        return end(summary)
    }

    /// Reports which work the end waits for.
    private func tellGrace(_ work: [UnfinishedWork]) {
        StandardError.tell(
            "waiting at most \(context.options.grace.inSeconds) for \(work.map(\.description).joined(separator: ", "))"
        )
    }

    /// How many lines may be turned away before reading ends.
    private var mostTurnedAway: Int {
        if case .lines(let most) = context.options.maximumRejected { most } else { .max }
    }

    /// Whether there is a state to print: a member's own is only that of instances outside its partitions, which others have taken over.
    private var hasState: Bool { member == nil || !host.counts.instances.isEmpty }

    /// Prints the state and the counters.
    private func end(_ summary: Host.Summary) -> ExitCode {
        if context.options.print == .state, hasState {
            do {
                let state = try host.snapshot()
                context.process.output.writeLine { state.writeJSON(to: &$0, style: .pretty) }
            } catch {
                return .internalError.because("the state cannot be printed: \(error)")
            }
        }
        let failure = context.process.output.flush()
        context.process.tellWords()
        context.reports.tellRest()
        let objection = RejectionLimit.objection(to: summary, limit: context.options.maximumRejected)
        if let objection { StandardError.tell("\(objection)", .error) }
        for work in summary.givenUp {
            StandardError.tell(
                "\(work) had not finished after \(context.options.grace.inSeconds) and "
                    + "\(work.count == 1 ? "is" : "are") given up; allow more time with --grace", .warning)
        }
        for work in summary.cut {
            StandardError.tell(
                "\(work) in the background \(work.count == 1 ? "was" : "were") cut off by the end of the "
                    + "input before emitting anything; keep the run alive with --listen, or an input that stays open",
                .warning)
        }
        let front = host.counts
        let counts = member?.partitionCounts.map { front.adding($0) } ?? front
        if context.options.isProfiled {
            for instance in front.instances { StandardError.tell(ProfileText.line(instance)) }
        }
        StandardError.tell(
            ""
                + SummaryLine.text(
                    summary, counts, badData: context.reports.badDataCount, traffic: member?.traffic))
        if failure != 0 {
            return .internalError.because(
                "standard output: "
                    + (failure == EPIPE ? "its reader has gone away" : SystemReason.text(of: failure))
                    + (summary.stop == nil ? "" : "; the run ended early"))
        }
        if let failure = member?.failure {
            return ExitCode(of: failure).because("\(failure); this member has left the cluster")
        }
        if summary.stoppedAtBadData || objection != nil { return .badData }
        if !counts.failures.isEmpty { return context.options.isStrict ? .badData : .givenUp }
        return summary.givenUp.isEmpty ? .success : .givenUp
    }
}
