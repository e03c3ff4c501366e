// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// The trial of one candidate by a running host, from its begin to its outcome.
///
/// Waiting requests learn of each step; all of it on the event loop, except for the work.
@EventLoop
final class CandidateTrial {
    /// How far the trial is.
    enum Stage: Sendable {
        /// It is under way: so many of so many actions are done; 0 of 0 while the candidate is judged and rehearsed.
        case running(done: UInt64, total: UInt64)
        /// It has been tried, with this outcome.
        case tried(Value)
        /// It cannot be used; why, line by line.
        case refused([String])
    }

    /// The candidate.
    let candidate: Candidate
    /// What the running host looked like when the trial began.
    let ground: CandidateGround
    /// The plan with the candidate; nil before it was judged.
    private(set) var plan: HostPlan?
    /// What a swap changes, line by line.
    private(set) var changes: [String] = []
    /// How far the trial is.
    private(set) var stage = Stage.running(done: 0, total: 0)
    /// Grows with each step.
    private(set) var version = 0
    /// Requests that wait for the next step.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// A trial that has not begun.
    init(of candidate: Candidate, on ground: CandidateGround) {
        (self.candidate, self.ground) = (candidate, ground)
    }

    /// Whether the trial is over.
    var isOver: Bool { if case .running = stage { false } else { true } }

    /// Waits until the trial has got further than a step.
    func waitForStep(after seen: Int) async {
        while version <= seen, !isOver { await withCheckedContinuation { waiting.append($0) } }
    }

    /// Judges the candidate, rehearses it, and tries it, on a thread of its own.
    func begin(over extent: TrialExtent, within limit: Duration) {
        BackgroundThread.perform { [self, candidate, ground] in
            do throws(Diagnostics) {
                let plan = try candidate.plan(insteadOf: ground.source)
                    .refusingLooserTrust(than: ground.running.configuration.trust)
                let images = ImageCache(
                    folder: CacheFolder.current, trust: FileTrust(isStrict: ground.source.isStrict))
                let tried = Rehearsal(of: plan, images: images).result() ?? plan
                if let failure = tried.failure { throw failure }
                let changes = PlanDifference(from: ground.running, to: tried).lines
                EventLoop.perform { self.note(tried, changes) }
                let trial = ConfinedTrial(
                    source: candidate.source(instead: ground.source), plan: tried,
                    running: ground.running.instances,
                    library: candidate.library,
                    extent: extent, limit: limit)
                let outcome = Result { () throws(ConfinedTrial.Failure) in
                    try trial.outcome { done, total in
                        EventLoop.perform { self.step(to: .running(done: done, total: total)) }
                    }
                }
                EventLoop.perform { self.end(outcome) }
            } catch {
                let lines = error.all.map(\.description)
                EventLoop.perform { self.step(to: .refused(lines)) }
            }
        }
    }

    /// Takes note of what the candidate is.
    private func note(_ plan: HostPlan, _ changes: [String]) {
        self.plan = plan.withoutFiles
        self.changes = changes
    }

    /// Takes note of how the trial has ended.
    private func end(_ outcome: Result<Value, ConfinedTrial.Failure>) {
        switch outcome {
        case .success(let value): step(to: .tried(value))
        case .failure(.death(let lines)):
            step(to: .refused(["in the trial it " + lines[0]] + lines.dropFirst()))
        case .failure(.refusal(let lines)): step(to: .refused(lines))
        case .failure(.stopped): step(to: .refused(["the host is asked to end"]))
        }
    }

    /// Gets further, and lets those know who wait for it.
    private func step(to stage: Stage) {
        self.stage = stage
        version += 1
        let woken = waiting
        waiting = []
        for continuation in woken { continuation.resume() }
    }

    // MARK: - For clients

    /// The trial for programs, with the words for people as `text`.
    var value: Value {
        var members: Members = [
            "digest": .string(candidate.digest), "kind": .string(candidate.kind.rawValue),
            "file": .string(candidate.title), "generation": Value(ground.generation),
            "version": Value(version), "changes": .array(changes.map(Value.string)),
        ]
        var lines = ["\(candidate.title): sha256 \(candidate.digest)"] + changes
        switch stage {
        case .running(let done, let total):
            members["stage"] = "running"
            members["done"] = Value(done)
            members["total"] = Value(total)
        case .tried(let outcome):
            members["stage"] = "tried"
            members["outcome"] = outcome
            lines += (outcome["text"]?.stringValue ?? "").split(separator: "\n").map(String.init)
        case .refused(let reasons):
            members["stage"] = "refused"
            members["reasons"] = .array(reasons.map(Value.string))
            lines += reasons
        }
        members["text"] = .string(lines.map { Quotation.message($0) + "\n" }.joined())
        return .object(members)
    }
}

/// What a running host is when a candidate is tried: a swap refuses when it has become another one.
struct CandidateGround: Sendable {
    /// The number of the running generation.
    let generation: Int
    /// The plan of it.
    let running: HostPlan
    /// The plan of the configuration file and the libraries as they are now, usually the same.
    let present: HostPlan
    /// SHA-256 of the configuration file, in hexadecimal; nil where there is none.
    let configurationDigest: String?
    /// Where the configuration and the journal are.
    let source: HistorySource
}
