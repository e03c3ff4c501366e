// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseJournal
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// Tries the next generation on recent actions of the running one, in a child of the host.
///
/// The death of the child refuses the reload; a difference is a warning, or refuses the reload if requested. Used on the thread
/// of a reload.
struct HistoryRehearsal {
    /// The running host.
    let core: HostStore
    /// Where the child finds configuration and journal.
    let source: HistorySource
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
            outcome = try HostChild(
                "/proc/self/exe", .replay, request: request.bytes, images: [], tracesCalls: true
            ).follow(HostChild.Limits(time: limit), stop: nil) { HistoryEvent(line: $0) != nil }
        } catch {
            throw Self.refusal(["\(error)"])
        }
        return try Self.diagnostics(of: outcome, isStrict: trial.isStrict)
    }

    /// Returns the last action and the state after it, both committed; taken when idle.
    private func present() throws(Diagnostics) -> (UInt64, Value) {
        guard let recorder = core.recorder else { throw Self.refusal(["the host keeps no journal"]) }
        let taken: Result<(UInt64, Value), CodingFailure>
        do throws(DrainBusy) {
            taken = try core.between(whenIdle: true) { [core] in
                Result { () throws(CodingFailure) in
                    (recorder.sequence, try core.state.state.snapshot())
                }
            }
        } catch {
            throw Self.refusal(["\(error), so that nothing could be compared; ask again"])
        }
        let commit = PendingCommit()
        recorder.handOver { commit.finish($0) }
        do throws(JournalFailure) {
            try commit.wait()
        } catch {
            throw Self.refusal(["\(error)"])
        }
        do {
            return try taken.get()
        } catch {
            throw Self.refusal(["the state cannot be written as JSON: \(error)"])
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
        Diagnostics([Diagnostic(.error, name + ": " + lines.joined(separator: "\n  "))])
    }
}
