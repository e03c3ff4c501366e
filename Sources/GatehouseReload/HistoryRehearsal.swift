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
    /// The instances that run.
    let running: [PlannedInstance]
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
        let last = try lastCommitted()
        guard last > 0 else { return [] }
        let outcome: Value
        do throws(ConfinedTrial.Failure) {
            outcome = try ConfinedTrial(
                source: source, plan: plan, running: running,
                extent: TrialExtent(to: last, last: UInt64(trial.count)),
                limit: limit
            ).outcome()
        } catch .death(let lines), .refusal(let lines) {
            throw Self.refusal(lines)
        } catch {
            throw Self.refusal(["the host is asked to end"])
        }
        return try Self.diagnostics(of: outcome, isStrict: trial.isStrict)
    }

    /// Returns the last action, once it is committed; taken when idle.
    private func lastCommitted() throws(Diagnostics) -> UInt64 {
        guard let recorder = core.recorder else { throw Self.refusal(["the host keeps no journal"]) }
        do {
            return try core.committed(by: recorder) { recorder.sequence }
        } catch let busy as DrainBusy {
            throw Self.refusal(["\(busy), so that nothing could be compared; ask again"])
        } catch {
            throw Self.refusal(["\(error)"])
        }
    }

    /// Makes diagnostics of the outcome of a trial.
    static func diagnostics(of outcome: Value, isStrict: Bool) throws(Diagnostics) -> [Diagnostic] {
        if outcome["same"] == true { return [] }
        let lines = (outcome["text"]?.stringValue ?? "").split(separator: "\n").map(String.init)
        if isStrict { throw refusal(lines) }
        return [Diagnostic(.warning, name + ": " + lines.joined(separator: "\n  "))]
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
