// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
package import GatehouseSupport

/// Tries the next generation on recent actions of the running one, in a child of the host.
///
/// The death of the child refuses the reload; a difference is a warning, or refuses the reload if requested. Used on the thread
/// of a reload.
struct HistoryRehearsal {
    /// The running host.
    let core: HostStore
    /// Where the child finds configuration and journal.
    let source: HistorySource
    /// The plan that is tried.
    let plan: HostPlan
    /// The extent of the trial.
    let trial: HistoryTrial
    /// How long one action may take.
    let limit: Duration

    /// The name in diagnostics.
    private static let name = "rehearsal with history"

    /// Returns diagnostics for the operator.
    ///
    /// - Throws: why the reload is refused.
    func diagnostics() throws(Diagnostics) -> [Diagnostic] {
        let (last, state) = try present()
        guard last > 0 else { return [] }
        let request = HistoryRequest(source: source, count: trial.count, last: last, state: state)
        let outcome: HostChild.Outcome
        do throws(ChildFailure) {
            outcome = try ChildTask.replay.outcome(
                of: request, access: source.access(for: plan.instances, of: plan),
                within: HostChild.Limits(time: limit))
        } catch {
            throw Self.refusal(["\(error)"])
        }
        return try Self.diagnostics(of: outcome, isStrict: trial.isStrict)
    }

    /// Returns the last action and the state after it, both committed; taken when idle.
    private func present() throws(Diagnostics) -> (UInt64, Value) {
        guard let recorder = core.recorder else { throw Self.refusal(["the host keeps no journal"]) }
        do {
            return try core.committed(by: recorder) { [core] in
                (recorder.sequence, try core.state.state.snapshot())
            }
        } catch let busy as DrainBusy {
            throw Self.refusal(["\(busy), so that nothing could be compared; ask again"])
        } catch let failure as CodingFailure {
            throw Self.refusal(["the state cannot be written as JSON: \(failure)"])
        } catch {
            throw Self.refusal(["\(error)"])
        }
    }

    /// Interprets the end and the output of a child.
    static func diagnostics(of outcome: HostChild.Outcome, isStrict: Bool) throws(Diagnostics) -> [Diagnostic]
    {
        let events = outcome.lines.suffix(2).compactMap { HistoryEvent(line: $0[...]) }
        if let death = outcome.end.text {
            var place = ""
            if case .step(let sequence, let type, let origin)? = events.last {
                place = " at action \(sequence), \(Quotation.bare(type)) (\(origin))"
            }
            throw refusal([death + place] + Backtrace.lines(in: outcome.words, library: "lib"))
        }
        switch events.first {
        case .outcome(true, _)?: return []
        case .outcome(false, let lines)?:
            if isStrict { throw refusal(lines) }
            return [Diagnostic(.warning, name + ": " + lines.joined(separator: "\n  "))]
        case .failure(let lines)?: throw refusal(lines)
        default: throw refusal(["the child reported nothing"])
        }
    }

    /// Creates the refusal of a reload, in lines.
    private static func refusal(_ lines: [String]) -> Diagnostics {
        Diagnostics(error: name + ": " + lines.joined(separator: "\n  "))
    }
}

extension HostStore {
    /// Takes something when nothing is in progress, and waits until all that led to it is in the journal.
    ///
    /// - Parameter body: called in the drain.
    /// - Throws: `DrainBusy`, `JournalFailure`, or what the body throws.
    func committed<Taken>(
        by recorder: ActionRecorder, _ body: @escaping () throws -> Taken
    ) throws -> Taken {
        let taken = try between(whenIdle: true) { Result { try body() } }
        let commit = PendingCommit()
        recorder.handOver { commit.finish($0) }
        try commit.wait()
        return try taken.get()
    }
}

extension ChildTask {
    /// Lets a child of the host work on a request about the past; returns how it ended, and what it told.
    package func outcome(
        of request: some ChildMessage, access: FileAccess = FileAccess(), tracesCalls: Bool = true,
        within limits: HostChild.Limits
    ) throws(ChildFailure) -> HostChild.Outcome {
        try HostChild(
            HostChild.ownProgram, self, request: request.bytes, images: [], access: access,
            tracesCalls: tracesCalls
        ).follow(limits, stop: nil) { HistoryEvent(line: $0) != nil }
    }
}
