// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import GatehouseControl
private import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// One shadow of one plan, and what has come of it; callable from any thread.
final class RunningShadow: Sendable {
    /// What the lock guards.
    private struct State: Sendable {
        /// What has come of the comparison; nil before the child has begun it.
        var account: ShadowAccount?
        /// Why it has ended; nil while it hears.
        var end: [String]?
        /// Who waits until it has heard an action.
        var waiting: [(sequence: UInt64, wake: DispatchSemaphore)] = []

        /// Whether it has heard an action, or never will.
        func has(heard sequence: UInt64) -> Bool {
            end != nil || account.map { $0.last >= sequence } ?? false
        }

        /// Wakes those who have waited long enough.
        mutating func wake() {
            let done = waiting.filter { has(heard: $0.sequence) }
            waiting = waiting.filter { !has(heard: $0.sequence) }
            for one in done { one.wake.signal() }
        }
    }

    /// The shadow.
    private let planned: PlannedShadow
    /// What runs.
    private let plan: HostPlan
    /// What is compared with what; nil where nothing can be.
    private let subject: PlannedShadow.Subject?
    /// What changes.
    private let state: Mutex<State>
    /// Ends the child.
    private let stopping = WakePipe()

    /// A shadow that does not hear yet.
    ///
    /// - Parameter before: the shadow of the same id in the plan before, whose comparison goes on if it is the same; nil for none.
    init(_ planned: PlannedShadow, of plan: HostPlan, goingOnWith before: RunningShadow?) {
        (self.planned, self.plan) = (planned, plan)
        let subject = planned.subject(in: plan)
        self.subject = subject
        let account = before.flatMap { $0.subject == subject ? $0.state.withLock { $0.account } : nil }
        state = Mutex(State(account: account))
    }

    /// The id of its entry.
    var id: String { planned.configuration.id }

    /// Lets it hear, in a child that a thread of its own follows.
    ///
    /// - Parameters:
    ///   - sequence: the last action before the generation that it belongs to.
    ///   - tell: called with a sentence when it has ended by itself.
    func begin(
        from source: HistorySource, behind sequence: UInt64, _ tell: @escaping @Sendable (String) -> Void
    ) {
        guard subject != nil, let shadowed = plan.shadowed(by: id) else {
            let reason =
                planned.planned == nil
                ? "its library does not take part" : "\(planned.configuration.instance) does not run"
            return note { $0.end = [reason] }
        }
        let trial = ConfinedTrial(
            source: source, plan: shadowed, running: plan.instances, extent: TrialExtent(),
            limit: .seconds(plan.configuration.limits.rehearsal), stop: stopping.descriptor)
        let listening = TrialRequest.Listening(
            shadow: id, sequence: sequence, account: state.withLock { $0.account })
        let isBegun = BackgroundThread.start { [self, id] in
            let failure = trial.listen(listening) { account in
                note { $0.account = account }
            }
            let lines: [String]
            switch failure {
            case .stopped: return note { $0.end = ["a reload has ended it"] }
            case .death(let words): lines = words
            case .refusal(let words): lines = words
            }
            note { $0.end = lines }
            tell(
                "the shadow \(id) of \(planned.configuration.instance) hears nothing until the next reload: \(lines.joined(separator: "\n  "))"
            )
        }
        if !isBegun { note { $0.end = ["no thread can be started"] } }
    }

    /// Takes note of something, and wakes those who have waited for it.
    private func note(_ change: (inout State) -> Void) {
        state.withLock {
            change(&$0)
            $0.wake()
        }
    }

    /// Waits until it has heard an action, has ended, or a deadline has come; on a thread that may wait.
    func wait(for sequence: UInt64, until deadline: DispatchTime) {
        let wake = DispatchSemaphore(value: 0)
        let isDone = state.withLock { state in
            if !state.has(heard: sequence) { state.waiting.append((sequence, wake)) }
            return state.has(heard: sequence)
        }
        if !isDone { _ = wake.wait(timeout: deadline) }
    }

    /// Ends its child, which takes note of it.
    func stop() { stopping.wake() }

    /// How it is doing.
    var status: ShadowStatus {
        let state = state.withLock { $0 }
        let name = "\(id), shadow of \(planned.configuration.instance)"
        let account = state.account
        var lines = ["\(name): \(account?.agreement ?? "nothing heard yet")"]
        lines += account?.lines.map { "  " + $0 } ?? []
        if let end = state.end {
            lines +=
                ["  it hears nothing until the next reload: \(end[0])"] + end.dropFirst().map { "  " + $0 }
        }
        return ShadowStatus(
            id: id, of: planned.configuration.instance, digest: planned.planned?.digest?.hex,
            stage: state.end.map { .ended($0) } ?? .hearing, heard: Int(account?.heard ?? 0),
            differing: Int(account?.differing ?? 0),
            account: account.flatMap { try? Value(encoding: $0) }, lines: lines)
    }
}
