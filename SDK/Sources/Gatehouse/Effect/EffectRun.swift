// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// One effect from its start to its end; ends once, by finishing or by being cancelled, whichever comes first.
///
/// Callable from any thread.
final class EffectRun: Sendable {
    /// Where the effect is in its life.
    private enum Phase {
        /// Started, and not over.
        case running(Work)
        /// The effect has ended by itself, without being cancelled.
        case finished
        /// Stopped from outside: its outputs are dropped.
        case cancelled
    }

    /// What is known of an effect that is running.
    private struct Work {
        /// Stops it; nil until that is known.
        var stop: (@Sendable () -> Void)?
        /// What else stops it, in order; a list of its own, because most effects have one thing to stop.
        var furtherStops: [@Sendable () -> Void] = []
        /// Emits its last action when the run of the host ends; nil for none.
        var onStopping: (@Sendable () -> Void)?
        /// Called when it ends by itself, while it is still counted; nil for nothing to do.
        var onFinish: (@Sendable () -> Void)?
        /// What it means to the run of the host.
        var kind: Activity.Kind
        /// Whether it has emitted something, or will at the end.
        var hasSpoken = false

        /// Whether a run would end without it, and without a trace of it.
        var isSilent: Bool { kind == .background && !hasSpoken }

        /// Stops all of it, in the order in which that became known.
        func stopAll() {
            stop?()
            for stop in furtherStops { stop() }
        }
    }

    /// Names the run in its registry.
    let id: UInt64
    /// The author's name for it.
    let token: EffectToken?
    /// Where the run is in its life; no closure is called or let go under this lock.
    private let phase: Lock<Phase>
    /// Counts the run until everything that followed from what it sent has been processed; nil where nobody counts.
    private let activity: Activity?
    /// Where what it sends is processed; nil where there is no drain.
    private let drain: Drain?
    /// What the drain shows while something is emitted: the mark of the action that has started it, and that it is an effect.
    private let mark: UInt64
    /// Its number in the log of the activity; nil where nothing is logged.
    let logged: UInt64?
    /// Where it is known until it ends; not held, because an effect may go on when its middleware has gone.
    private weak let registry: EffectRegistry?

    /// A run, counted from here on, that a registry knows until it ends.
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
    var isRunning: Bool {
        phase.withLock { phase in
            if case .running = phase { true } else { false }
        }
    }

    /// Takes note that its work begins in the current task.
    func beginWork() {
        if let logged { activity?.log?.beginWork(logged) }
    }

    /// Takes note that something is emitted; tells whether it may be.
    func speak() -> Bool {
        let (isRunning, wasSilent) = phase.withLock { phase -> (Bool, Bool) in
            guard case .running(var work) = phase else { return (false, false) }
            // Nearly always it has before, and nothing is written.
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

    /// Lets something out that was sent, unless it was cancelled by now; called in the drain.
    func deliver(_ emit: () -> Void) {
        guard !isCancelled else { return }
        guard let drain else { return emit() }
        let inHand = drain.show(mark)
        emit()
        _ = drain.show(inHand)
    }

    /// Whether it goes on when the run of the host is asked to end.
    var isFinishing: Bool {
        phase.withLock { phase in
            if case .running(let work) = phase { work.kind == .finishing } else { false }
        }
    }

    /// Adds what stops the work, or a part of it; called at once when the run was cancelled before.
    func onCancel(_ stop: @escaping @Sendable () -> Void) {
        // Nothing is let go here, so that the list grows in place.
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

    /// Sets what emits the last action when the run of the host ends first.
    func onStopping(_ body: @escaping @Sendable () -> Void) {
        guard
            case .running(let before) = change({
                $0.onStopping = body
                $0.hasSpoken = true
            })
        else { return }
        if before.isSilent { activity?.countSilent(-1) }
    }

    /// Sets what is done when the run ends by itself; called once, before the work begins.
    func onFinish(_ body: @escaping @Sendable () -> Void) {
        _ = change { $0.onFinish = body }
    }

    /// Lets the run of the host end while this goes on, once what it sent so far has been processed.
    func continueInBackground() {
        guard case .running(let work) = change({ $0.kind = .background }), work.kind != .background else {
            return
        }
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

    /// Changes what is known of a run that is not over; returns the phase before, whose closures are let go after the lock:
    /// what they hold may end this very run when it goes.
    private func change(_ body: (inout sending Work) -> Void) -> Phase {
        phase.withLock { phase in
            let before = phase
            if case .running(var work) = phase {
                body(&work)
                phase = .running(work)
            }
            return before
        }
    }

    /// Ends the run by itself; nothing happens if it has ended.
    func finish() {
        guard let work = takeWork() else { return }
        work.onFinish?()
        end(work, isCancelled: false)
    }

    /// Ends the run by itself and lets something go on in its place, which does at its end what the run would have done; nothing happens
    /// if the run has ended.
    ///
    /// The token is free by then, and who cancels it cancels nothing of this.
    func finish(before next: (_ onFinish: (@Sendable () -> Void)?) -> Void) {
        guard let work = takeWork() else { return }
        end(work, isCancelled: false) { next(work.onFinish) }
    }

    /// Takes what is known of a run that ends by itself; nil for one that has ended.
    ///
    /// Let go after the lock: what closures hold may end this very run when it goes.
    private func takeWork() -> Work? {
        let before = phase.withLock { phase in
            let before = phase
            if case .running = phase { phase = .finished }
            return before
        }
        guard case .running(let work) = before else { return nil }
        return work
    }

    /// Stops the run; nothing happens if it has ended.
    ///
    /// - Parameter hasConcluded: whether it has said its last, so that nothing is missing.
    func cancel(hasConcluded: Bool = false) {
        let before = phase.withLock { phase in
            let before = phase
            if case .running = phase { phase = .cancelled }
            return before
        }
        guard case .running(let work) = before else { return }
        work.stopAll()
        end(work, isCancelled: !hasConcluded)
    }

    /// Ends the run as if the host had cancelled it, if somebody begins then what has not ended; false where nobody does.
    func leave() -> Bool {
        guard let logged, activity?.log?.isKept(logged) == true else { return false }
        let before = phase.withLock { phase in
            let before = phase
            if case .running = phase { phase = .cancelled }
            return before
        }
        guard case .running(let work) = before else { return true }
        work.stopAll()
        end(work, isCancelled: false, isLeft: true)
        return true
    }

    /// Lets the last action out and cancels the run; called in the drain.
    func stop() {
        guard case .running(let work) = phase.withLock({ $0 }) else { return }
        work.onStopping?()
        cancel(hasConcluded: work.onStopping != nil)
    }

    /// Tells that the run is over; it is counted until `next` has been called and everything that was sent has been processed.
    private func end(_ work: Work, isCancelled: Bool, isLeft: Bool = false, next: () -> Void = {}) {
        if work.isSilent { activity?.countSilent(-1) }
        registry?.forget(self, of: work.kind)
        next()
        if let logged { activity?.log?.end(logged, isCancelled: isCancelled) }
        activity?.end(work.kind, logged: logged, isLeft: isLeft, atRestOf: drain)
    }
}
