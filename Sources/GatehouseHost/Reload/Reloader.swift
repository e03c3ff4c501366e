// SPDX-License-Identifier: Apache-2.0

public import GatehouseSupport

/// Sees to it that reloads come one after the other: whoever asks while one is under way gets the outcome of one more.
///
/// So a thousand signals lead to two looks at the configuration, the second of which began after the last signal.
@EventLoop
public final class Reloader {
    /// The procedure that does the work, on a thread of its own.
    private let procedure: ReloadProcedure
    /// Told when a reload begins, and of its outcome, in order; on the thread that does the work.
    private let tell: @Sendable (Event) -> Void
    /// Forgets that a library is in quarantine, by its digest; nil where none ever is.
    private let release: (@Sendable (String) -> Void)?
    /// The reload that has not begun yet; nil when nobody has asked for one since the last began.
    private var next: Pending?
    /// Whether work is under way.
    private var isBusy = false
    /// Go on when it is done.
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Notices changes; nil where nobody wants to know of them.
    private var watch: ChangeWatch?
    /// The folder that relative paths of the configuration start from.
    private var base = "."
    /// The last outcome; nil before the first.
    public private(set) var last: ReloadOutcome?

    /// What is told about reloads while the host runs.
    public enum Event: Sendable {
        /// A reload has begun.
        case begun
        /// A reload has ended in this way.
        case ended(ReloadOutcome)
        /// It has ended without anything to tell.
        case idle
    }

    /// A reload that has not begun yet.
    private final class Pending {
        /// Who has asked for it.
        var triggers: [ReloadTrigger] = []
        /// Ends with its outcome.
        var task: Task<ReloadOutcome, Never>?
    }

    /// A reloader that nobody has asked.
    ///
    /// - Parameters:
    ///   - release: forgets that a library is in quarantine, by its digest; nil where none ever is.
    ///   - tell: told of each reload.
    public nonisolated init(
        _ procedure: ReloadProcedure, release: (@Sendable (String) -> Void)? = nil,
        tell: @escaping @Sendable (Event) -> Void
    ) {
        self.procedure = procedure
        self.release = release
        self.tell = tell
    }

    /// Reloads, and gives what became of it.
    ///
    /// - Parameters:
    ///   - expected: the number of the generation that the caller knows; when another one runs, the reload is refused. Nil for
    ///     whichever runs.
    ///   - trial: how it is tried on the past before; nil for not at all.
    public func reload(
        _ trigger: ReloadTrigger, expecting expected: Int? = nil, trying trial: HistoryTrial? = nil
    ) async -> ReloadOutcome {
        await request(trigger, expecting: expected, trying: trial).value
    }

    /// Reloads, for somebody who does not wait.
    public func reload(_ trigger: ReloadTrigger) { _ = request(trigger, expecting: nil, trying: nil) }

    /// Lets a library out of quarantine whose instances reduce before what they have missed, and gives what became of the reload.
    ///
    /// - Throws: why they cannot; the quarantine goes on.
    func release(catchingUp digest: String) async throws(Findings) -> ReloadOutcome {
        guard let release else {
            throw Findings([Finding(.error, "nothing here is ever in quarantine")])
        }
        await takeTurn()
        defer { endTurn() }
        watch?.accept()
        let result = await work { [procedure, tell] in
            Result { () throws(Findings) in
                try procedure.catchUp(digest)
                tell(.begun)
                var outcome = procedure.perform(expecting: nil, releasing: digest)
                outcome.triggers = [.control]
                // Until here a crash or a refusal leaves the quarantine, and what was missed.
                if outcome.isApplied { release(digest) }
                procedure.note(outcome)
                tell(.ended(outcome))
                return outcome
            }
        }
        let outcome = try result.get()
        last = outcome
        if outcome.isApplied { watch?.follow(folder: procedure.configuration.folder(from: base)) }
        return outcome
    }

    /// What a reload would do, without a rehearsal; changes nothing.
    public func preview() async -> (findings: Findings, difference: PlanDifference?) {
        await takeTurn()
        defer { endTurn() }
        return await work { [procedure] in procedure.preview() }
    }

    /// Reloads from here on each time that the configuration file or a library in the plugin folder has changed.
    ///
    /// - Parameters:
    ///   - file: the configuration file; nil where a folder of plugins stands for it.
    ///   - base: the folder that relative paths in it start from.
    ///   - known: the files as they were before the configuration was read that runs.
    public func follow(file: String?, base: String, known: FileStamps) {
        self.base = base
        watch = ChangeWatch(
            file: file, folder: procedure.configuration.folder(from: base), known: known
        ) { [weak self] in self?.reload(.change) }
    }

    // MARK: - Implementation details

    /// Enters a request; those that expect the same of a reload that has not begun are answered by one.
    private func request(
        _ trigger: ReloadTrigger, expecting expected: Int?, trying trial: HistoryTrial?
    ) -> Task<ReloadOutcome, Never> {
        let isCommon = expected == nil && trial == nil
        if isCommon, let next, let task = next.task {
            if !next.triggers.contains(trigger) { next.triggers.append(trigger) }
            return task
        }
        let pending = Pending()
        pending.triggers = [trigger]
        if isCommon { next = pending }
        let task = Task { @EventLoop in await perform(pending, expecting: expected, trying: trial) }
        pending.task = task
        return task
    }

    /// Reloads when it is its turn.
    private func perform(
        _ pending: Pending, expecting expected: Int?, trying trial: HistoryTrial?
    ) async -> ReloadOutcome {
        await takeTurn()
        defer { endTurn() }
        // Whoever asks from here on may have changed what is being looked at.
        if next === pending { next = nil }
        watch?.accept()
        let outcome = await work { [procedure, tell, last, triggers = pending.triggers] in
            tell(.begun)
            var outcome = procedure.perform(expecting: expected, trying: trial)
            outcome.triggers = triggers
            // The outcome before is worth more.
            let isIdle = outcome.isIdle(after: last)
            if !isIdle { procedure.note(outcome) }
            tell(isIdle ? .idle : .ended(outcome))
            return outcome
        }
        if !outcome.isIdle(after: last) { last = outcome }
        if outcome.isApplied { watch?.follow(folder: procedure.configuration.folder(from: base)) }
        return outcome
    }

    /// Waits until nothing is under way, and begins.
    private func takeTurn() async {
        while isBusy { await withCheckedContinuation { waiting.append($0) } }
        isBusy = true
    }

    /// Lets the next one begin.
    private func endTurn() {
        isBusy = false
        let woken = waiting
        waiting = []
        for continuation in woken { continuation.resume() }
    }

    /// Does something that takes long on a thread of its own.
    private func work<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            // Without a thread, the loop itself must do: nobody can be told anything otherwise.
            if !BackgroundThread.start({ continuation.resume(returning: body()) }) {
                continuation.resume(returning: body())
            }
        }
    }
}
