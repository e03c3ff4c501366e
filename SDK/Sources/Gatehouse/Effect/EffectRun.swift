// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// One effect from its start to its end; ends once, by finishing or by being cancelled, whichever comes first.
///
/// Callable from any thread.
final class EffectRun: Sendable {
    /// The phase of an effect's life.
    private enum Phase {
        /// Started, and not over.
        case running(Work)
        /// The effect has ended by itself, without being cancelled.
        case finished
        /// Stopped from outside: its outputs are dropped.
        case cancelled

        /// The state of an effect that is not over; nil for one that is.
        var work: Work? {
            if case .running(let work) = self { work } else { nil }
        }
    }

    /// The state of a running effect.
    private struct Work {
        /// Stops it; nil until that is known.
        var stop: (@Sendable () -> Void)?
        /// Further closures that stop it, in order; a separate list, because most effects have one thing to stop.
        var furtherStops: [@Sendable () -> Void] = []
        /// Emits its last action when the run of the host ends; nil for none.
        var onStopping: (@Sendable () -> Void)?
        /// Called when it ends by itself, while it is still counted; nil for nothing to do.
        var onFinish: (@Sendable () -> Void)?
        /// How it affects the run of the host.
        var kind: Activity.Kind
        /// Whether it has emitted something, or will at the end.
        var hasSpoken = false

        /// Whether a run would end without it, and without a trace of it.
        var isSilent: Bool { kind == .background && !hasSpoken }

        /// Calls all the stop closures, in the order in which they were added.
        func stopAll() {
            stop?()
            for stop in furtherStops { stop() }
        }
    }

    /// The run's number in its registry.
    let id: UInt64
    /// The author's name for it.
    let token: EffectToken?
    /// The current phase; no closure is called or released under this lock.
    private let phase: Lock<Phase>
    /// Counts the run until everything that followed from its actions has been processed; nil if nothing counts it.
    private let activity: Activity?
    /// The drain that processes its actions; nil for none.
    private let drain: Drain?
    /// The drain's mark during an emission: the mark of the action that started the effect, and the bit for effects.
    private let mark: UInt64
    /// Its number in the log of the activity; nil if nothing is logged.
    let logged: UInt64?
    /// The registry that knows it until it ends; weak, because an effect may outlive its middleware.
    private weak let registry: EffectRegistry?

    /// Creates a run, counted from now on, that a registry knows until it ends.
    init(
        id: UInt64, token: EffectToken?, as kind: Activity.Kind, activity: Activity?, drain: Drain?,
        logged: UInt64?, in registry: EffectRegistry
    ) {
        self.id = id
        self.token = token
        phase = Lock(.running(Work(kind: kind)))
        self.activity = activity
        self.drain = drain
        self.registry = registry
        mark = (drain?.mark ?? 0) | Drain.effectMark
        self.logged = logged
        activity?.begin(kind)
        if kind == .background { activity?.countSilent(1) }
    }

    /// Whether it has neither finished nor been cancelled.
    var isRunning: Bool { phase.withLock { $0.work != nil } }

    /// Records that its work begins in the current task.
    func beginWork() {
        if let logged { activity?.log?.beginWork(logged) }
    }

    /// Records that it emits something; returns whether it may.
    func speak() -> Bool {
        let (isRunning, wasSilent) = phase.withLock { phase -> (Bool, Bool) in
            guard case .running(var work) = phase else { return (false, false) }
            // Nearly always it has spoken before, and nothing is written.
            guard !work.hasSpoken else { return (true, false) }
            let wasSilent = work.isSilent
            work.hasSpoken = true
            phase = .running(work)
            return (true, wasSilent)
        }
        if wasSilent { activity?.countSilent(-1) }
        return isRunning
    }

    /// Whether it was stopped from outside.
    var isCancelled: Bool {
        phase.withLock { phase in
            if case .cancelled = phase { true } else { false }
        }
    }

    /// Delivers an action that was sent, unless the run was cancelled by now; called in the drain.
    func deliver(_ emit: () -> Void) {
        guard !isCancelled else { return }
        guard let drain else { return emit() }
        let inHand = exchange(&drain.mark, with: mark)
        emit()
        drain.mark = inHand
    }

    /// Whether it continues when the run of the host is asked to end.
    var isFinishing: Bool { phase.withLock { $0.work?.kind == .finishing } }

    /// Adds a closure that stops the work, or a part of it; called at once if the run was cancelled before.
    func onCancel(_ stop: @escaping @Sendable () -> Void) {
        // Releases nothing; `work` becomes the only reference, so the list grows in place.
        let isCancelled = phase.withLock { phase in
            switch phase {
            case .running(var work):
                phase = .finished
                if work.stop == nil { work.stop = stop } else { work.furtherStops.append(stop) }
                phase = .running(work)
                return false
            case .finished: return false
            case .cancelled: return true
            }
        }
        if isCancelled { stop() }
    }

    /// Sets the closure that emits the last action when the run of the host ends first.
    func onStopping(_ body: @escaping @Sendable () -> Void) {
        let before = change {
            $0.onStopping = body
            $0.hasSpoken = true
        }
        if before?.isSilent == true { activity?.countSilent(-1) }
    }

    /// Sets the closure to call when the run ends by itself; called once, before the work begins.
    func onFinish(_ body: @escaping @Sendable () -> Void) { _ = change { $0.onFinish = body } }

    /// Lets the run of the host end while this continues, once its actions so far have been processed.
    func continueInBackground() {
        guard let work = change({ $0.kind = .background }), work.kind != .background else { return }
        registry?.moveToBackground()
        if !work.hasSpoken { activity?.countSilent(1) }
        activity?.begin(.background)
        if let logged, let log = activity?.log {
            if let drain {
                drain.enqueueAtRest { log.continueInBackground(logged) }
            } else {
                log.continueInBackground(logged)
            }
        }
        activity?.end(work.kind, atRestOf: drain)
    }

    /// Changes the state of a run that is not over; returns the previous one, to be released outside the lock.
    ///
    /// Objects in its closures may end this very run when released.
    private func change(_ body: (inout sending Work) -> Void) -> Work? {
        phase.withLock { phase in
            let before = phase.work
            if var work = before {
                body(&work)
                phase = .running(work)
            }
            return before
        }
    }

    /// Ends the run by itself; does nothing if it has ended.
    func finish() {
        guard let work = conclude(.finished) else { return }
        work.onFinish?()
        end(work, isCancelled: false)
    }

    /// Ends the run by itself and starts a successor, which calls at its end the closure that the run would have called; does
    /// nothing if the run has ended.
    ///
    /// The token is free by then; cancelling it does not affect the successor.
    func finish(before next: (_ onFinish: (@Sendable () -> Void)?) -> Void) {
        guard let work = conclude(.finished) else { return }
        end(work, isCancelled: false) { next(work.onFinish) }
    }

    /// Enters the last phase and takes the state; nil if the run has ended.
    ///
    /// Released outside the lock: objects in its closures may end this very run.
    private func conclude(_ last: Phase) -> Work? {
        phase.withLock { phase in
            let work = phase.work
            if work != nil { phase = last }
            return work
        }
    }

    /// Stops the run; does nothing if it has ended.
    ///
    /// - Parameter hasConcluded: whether it has emitted its last action, so that nothing is missing.
    func cancel(hasConcluded: Bool = false) {
        guard let work = conclude(.cancelled) else { return }
        work.stopAll()
        end(work, isCancelled: !hasConcluded)
    }

    /// Ends the run as if the host had cancelled it, if it will be begun again; otherwise returns false.
    func leave() -> Bool {
        guard let logged, activity?.log?.isKept(logged) == true else { return false }
        guard let work = conclude(.cancelled) else { return true }
        work.stopAll()
        end(work, isCancelled: false, isLeft: true)
        return true
    }

    /// Emits the last action and cancels the run; called in the drain.
    func stop() {
        guard let work = phase.withLock({ $0.work }) else { return }
        work.onStopping?()
        cancel(hasConcluded: work.onStopping != nil)
    }

    /// Reports the end of the run; it is counted until `next` has been called and all its actions have been processed.
    private func end(_ work: Work, isCancelled: Bool, isLeft: Bool = false, next: () -> Void = {}) {
        if work.isSilent { activity?.countSilent(-1) }
        registry?.forget(self, of: work.kind)
        next()
        if let logged { activity?.log?.end(logged, isCancelled: isCancelled) }
        activity?.end(work.kind, logged: logged, isLeft: isLeft, atRestOf: drain)
    }
}
