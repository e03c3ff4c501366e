// SPDX-License-Identifier: Apache-2.0

package import GatehouseControl
internal import GatehousePlan
internal import GatehouseSDK
package import GatehouseSupport

/// Serializes reloads: requests during one are combined into one further reload, and get its outcome.
///
/// So a thousand signals lead to two looks at the configuration, the second of which began after the last signal.
@EventLoop
package final class Reloader {
    /// The procedure that does the work, on a separate thread.
    let procedure: ReloadProcedure
    /// Called when a reload begins, and with its outcome, in order; on the thread that does the work.
    let tell: @Sendable (Event) -> Void
    /// Removes a library's quarantine by its digest; nil where none ever is in quarantine.
    private let release: (@Sendable (String) -> Void)?
    /// The reload that has not begun; nil without a request since the last one began.
    private var next: Pending?
    /// Whether work is in progress.
    private var isBusy = false
    /// Takes the triggers of requests because another process goes on for the host; nil while this one does.
    private var heir: (@Sendable (ReloadTrigger) -> Void)?
    /// Resumed when the work is done.
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Detects changes; nil when not following them.
    private(set) var watch: ChangeWatch?
    /// The folder that relative paths of the configuration start from.
    private(set) var base = "."
    /// The last outcome; nil before the first.
    package private(set) var last: ReloadOutcome?
    /// The candidates that were tried, the newest last.
    var trials: [CandidateTrial] = []

    /// An event of a reload while the host runs.
    package enum Event: Sendable {
        /// A reload has begun.
        case begun
        /// A reload has ended with this outcome.
        case ended(ReloadOutcome)
        /// A reload has ended with nothing to report.
        case idle
    }

    /// A reload that has not begun.
    private final class Pending {
        /// The triggers of the requests.
        var triggers: [ReloadTrigger] = []
        /// The task that returns the outcome.
        var task: Task<Result<ReloadOutcome, ControlError>, Never>?
    }

    /// Creates an idle reloader.
    ///
    /// - Parameters:
    ///   - release: removes a library's quarantine by its digest; nil where none ever is in quarantine.
    ///   - tell: called with the events of each reload.
    package nonisolated init(
        _ procedure: ReloadProcedure, release: (@Sendable (String) -> Void)? = nil,
        tell: @escaping @Sendable (Event) -> Void
    ) {
        self.procedure = procedure
        self.release = release
        self.tell = tell
    }

    /// Reloads, and returns the outcome; refused once another process goes on for the host.
    ///
    /// - Parameters:
    ///   - expected: the number of the generation that the caller knows, refused if another one runs; nil for any.
    ///   - trial: how to try the reload on the past first; nil for no trial.
    package func reload(
        _ trigger: ReloadTrigger, expecting expected: Int? = nil, trying trial: HistoryTrial? = nil
    ) async throws(ControlError) -> ReloadOutcome {
        try await request(trigger, expecting: expected, trying: trial).value.get()
    }

    /// Reloads without waiting.
    package func reload(_ trigger: ReloadTrigger) { _ = request(trigger, expecting: nil, trying: nil) }

    /// Releases a library from quarantine after its instances have reduced what they missed; returns the outcome of the reload.
    ///
    /// - Throws: why they cannot; the quarantine continues.
    package func release(catchingUp digest: String) async throws(ControlError) -> ReloadOutcome {
        guard let release else { throw .refused("nothing here is ever in quarantine") }
        try await beginReload()
        defer { endTurn() }
        let result = await work { [procedure, tell] in
            Result { () throws(Diagnostics) in
                let caughtUp = try procedure.catchUp(digest)
                tell(.begun)
                var outcome = procedure.perform(expecting: nil, releasing: caughtUp)
                outcome.triggers = [.control]
                // Until here a crash or a refusal leaves the quarantine, and what was missed.
                if outcome.isApplied { release(digest) }
                procedure.note(outcome)
                tell(.ended(outcome))
                return outcome
            }
        }
        let outcome = try Self.answered(result)
        adopt(outcome)
        return outcome
    }

    /// Runs a closure on a separate thread while no reload is in progress; those that are asked for meanwhile begin after it.
    ///
    /// - Parameter heir: returns, where the closure has let another process go on for the host, what takes the triggers of later requests;
    ///   all of these are refused then. Returns nil where this process goes on.
    package func exclusively<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result,
        leavingTo heir: (Result) -> (@Sendable (ReloadTrigger) -> Void)? = { _ in nil }
    ) async throws(ControlError) -> Result {
        try await takeTurn()
        defer { endTurn() }
        let result = await work(body)
        self.heir = heir(result)
        return result
    }

    /// Returns what a reload would do, without a rehearsal; changes nothing.
    func preview() async throws(ControlError) -> (diagnostics: Diagnostics, difference: PlanDifference?) {
        try await exclusively { [procedure] in procedure.preview() }
    }

    /// Starts reloading whenever the configuration file or a library in the plugin folder changes.
    ///
    /// - Parameters:
    ///   - file: the configuration file; nil if a folder of plugins replaces it.
    ///   - base: the folder that relative paths in it start from.
    ///   - known: the files before the running configuration was read.
    package func follow(file: String?, base: String, known: FileStamps) {
        self.base = base
        watch = ChangeWatch(
            file: file, folder: procedure.configuration.folder(from: base), known: known
        ) { [weak self] in self?.reload(.change) }
    }

    // MARK: - Implementation details

    /// Registers a request; requests with the same terms share a reload that has not begun.
    private func request(
        _ trigger: ReloadTrigger, expecting expected: Int?, trying trial: HistoryTrial?
    ) -> Task<Result<ReloadOutcome, ControlError>, Never> {
        let isCommon = expected == nil && trial == nil
        if isCommon, let next, let task = next.task {
            if !next.triggers.contains(trigger) { next.triggers.append(trigger) }
            return task
        }
        let pending = Pending()
        pending.triggers = [trigger]
        if isCommon { next = pending }
        let task = Task { @EventLoop in
            do throws(ControlError) {
                return Result<_, ControlError>.success(
                    try await perform(pending, expecting: expected, trying: trial))
            } catch {
                if next === pending { next = nil }
                for trigger in pending.triggers { heir?(trigger) }
                return .failure(error)
            }
        }
        pending.task = task
        return task
    }

    /// Reloads at its turn.
    private func perform(
        _ pending: Pending, expecting expected: Int?, trying trial: HistoryTrial?
    ) async throws(ControlError) -> ReloadOutcome {
        try await beginReload()
        defer { endTurn() }
        // Later requests may concern changes made after this look.
        if next === pending { next = nil }
        let outcome = await work { [procedure, tell, last, triggers = pending.triggers] in
            tell(.begun)
            var outcome = procedure.perform(expecting: expected, trying: trial)
            outcome.triggers = triggers
            // The previous outcome is more informative.
            let isIdle = outcome.isIdle(after: last)
            if !isIdle { procedure.note(outcome) }
            tell(isIdle ? .idle : .ended(outcome))
            return outcome
        }
        if !outcome.isIdle(after: last) { adopt(outcome) }
        return outcome
    }

    /// Waits for the turn of a reload, which looks at all that has changed until then.
    func beginReload() async throws(ControlError) {
        try await takeTurn()
        watch?.accept()
    }

    /// Takes the outcome of a reload for the last one, and watches the folder of the configuration that runs.
    func adopt(_ outcome: ReloadOutcome) {
        last = outcome
        if outcome.isApplied { watch?.follow(folder: procedure.configuration.folder(from: base)) }
    }

    /// Waits until no work is in progress, and begins; refused once another process goes on for the host.
    func takeTurn() async throws(ControlError) {
        while isBusy { await withCheckedContinuation { waiting.append($0) } }
        guard heir == nil else { throw .handedOver }
        isBusy = true
    }

    /// Lets the next reload begin.
    func endTurn() {
        isBusy = false
        let woken = waiting
        waiting = []
        for continuation in woken { continuation.resume() }
    }

    /// Runs a long closure on a separate thread.
    func work<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            // Without a thread the loop itself must do the work: no request could be answered otherwise.
            if !BackgroundThread.start({ continuation.resume(returning: body()) }) {
                continuation.resume(returning: body())
            }
        }
    }
}
