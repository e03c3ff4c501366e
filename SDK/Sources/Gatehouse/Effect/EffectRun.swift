// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// One effect from its start to its end; ends once, by finishing or by being cancelled, whichever comes first.
///
/// Callable from any thread.
final class EffectRun: Sendable {
    /// Where the effect is in its life.
    private enum Phase {
        /// Started; the closure stops the work, nil until it is known.
        case running(stop: (@Sendable () -> Void)?, background: Bool)
        /// Over by itself.
        case finished
        /// Stopped from outside: its outputs are dropped.
        case cancelled
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
    /// Where it is known until it ends; not held, because an effect may go on when its middleware has gone.
    private weak let registry: EffectRegistry?

    /// A run, counted from here on, that a registry knows until it ends.
    init(
        id: UInt64, token: EffectToken?, background: Bool, activity: Activity?, drain: Drain?,
        in registry: EffectRegistry
    ) {
        self.id = id
        self.token = token
        phase = Lock(.running(stop: nil, background: background))
        self.activity = activity
        self.drain = drain
        self.registry = registry
        activity?.begin(background: background)
    }

    /// Whether it has neither finished nor been cancelled.
    var isRunning: Bool {
        phase.withLock { phase in
            if case .running = phase { true } else { false }
        }
    }

    /// Whether it was stopped from outside.
    var isCancelled: Bool {
        phase.withLock { phase in
            if case .cancelled = phase { true } else { false }
        }
    }

    /// Sets what stops the work; called at once when the run was cancelled while it started.
    func onCancel(_ stop: @escaping @Sendable () -> Void) {
        // A closure set earlier is let go after the lock: what it holds may end this very run when it goes.
        let before = phase.withLock { phase in
            let before = phase
            if case .running(_, let background) = phase {
                phase = .running(stop: stop, background: background)
            }
            return before
        }
        if case .cancelled = before { stop() }
    }

    /// Lets the run of the host end while this goes on, once what it sent so far has been processed.
    func continueInBackground() {
        let moves = phase.withLock { phase in
            guard case .running(let stop, false) = phase else { return false }
            phase = .running(stop: stop, background: true)
            return true
        }
        guard moves else { return }
        registry?.moveToBackground()
        activity?.begin(background: true)
        endActivity(background: false)
    }

    /// Ends the run by itself; nothing happens if it has ended.
    func finish() {
        // The closure is let go after the lock: what it holds may end this very run when it goes.
        let before = phase.withLock { phase in
            let before = phase
            if case .running = phase { phase = .finished }
            return before
        }
        if case .running(_, let background) = before { end(background: background) }
    }

    /// Stops the run; nothing happens if it has ended.
    func cancel() {
        let before = phase.withLock { phase in
            let before = phase
            if case .running = phase { phase = .cancelled }
            return before
        }
        guard case .running(let stop, let background) = before else { return }
        stop?()
        end(background: background)
    }

    /// Tells that the run is over.
    private func end(background: Bool) {
        registry?.forget(self, background: background)
        endActivity(background: background)
    }

    /// Counts one less, once everything that was sent has been processed.
    private func endActivity(background: Bool) {
        activity?.end(background: background, atRestOf: drain)
    }
}
