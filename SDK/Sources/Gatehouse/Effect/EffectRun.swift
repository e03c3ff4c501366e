// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// One effect from its start to its end; ends once, by finishing or by being cancelled, whichever comes first.
///
/// Callable from any thread.
final class EffectRun: Sendable {
    /// Where the effect is in its life.
    private enum Phase {
        /// Started; the closure stops the work, nil until it is known.
        case running(stop: (@Sendable () -> Void)?)
        /// Over by itself.
        case finished
        /// Stopped from outside: its outputs are dropped.
        case cancelled
    }

    /// Names the run in its registry.
    let id: UInt64
    /// The author's name for it.
    let token: EffectToken?
    private let phase = Lock(Phase.running(stop: nil))
    private let onEnd: @Sendable (EffectRun) -> Void

    /// A run that calls `onEnd` once, on the thread that ends it.
    init(id: UInt64, token: EffectToken?, onEnd: @escaping @Sendable (EffectRun) -> Void) {
        self.id = id
        self.token = token
        self.onEnd = onEnd
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
            if case .running = phase { phase = .running(stop: stop) }
            return before
        }
        if case .cancelled = before { stop() }
    }

    /// Ends the run by itself; nothing happens if it has ended.
    func finish() {
        // The closure is let go after the lock: what it holds may end this very run when it goes.
        let before = phase.withLock { phase in
            let before = phase
            if case .running = phase { phase = .finished }
            return before
        }
        if case .running = before { onEnd(self) }
    }

    /// Stops the run; nothing happens if it has ended.
    func cancel() {
        let stop = phase.withLock { phase -> (ended: Bool, stop: (@Sendable () -> Void)?) in
            guard case .running(let stop) = phase else { return (false, nil) }
            phase = .cancelled
            return (true, stop)
        }
        stop.stop?()
        if stop.ended { onEnd(self) }
    }
}
