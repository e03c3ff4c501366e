// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// Detects a step that does not return, because a plugin's code runs or waits forever on the thread that performs the steps.
///
/// Callable from any thread.
final class CaseWatch<Outcome>: Sendable {
    /// The state guarded by the lock.
    private struct State {
        /// The deadline of the step, and its outcome if it is missed; nil between steps.
        var step: (end: ContinuousClock.Instant, outcome: @Sendable () -> Outcome)?
        /// Whether the event loop is scheduled to check.
        var isWatched = false
    }

    /// The current step.
    private let state = Mutex(State())
    /// How long a step may take.
    private let limit: Duration
    /// Called on the event loop with the outcome of a step that does not return.
    private let onStuck: @Sendable (Outcome) -> Void

    /// How much longer than allowed effects that end in time may take: one second.
    private static var patience: Duration { .seconds(1) }

    /// Creates a watch over steps with a time limit.
    init(limit: Duration, onStuck: @escaping @Sendable (Outcome) -> Void) {
        self.limit = limit + Self.patience
        self.onStuck = onStuck
    }

    /// Starts watching a step; `outcome` returns its outcome if it does not return.
    func begin(_ outcome: @escaping @Sendable () -> Outcome) {
        let isWatched = state.withLock { state in
            state.step = (.now + limit, outcome)
            defer { state.isWatched = true }
            return state.isWatched
        }
        if !isWatched { EventLoop.perform { [self] in look() } }
    }

    /// Ends the watch of the step.
    func end() { state.withLock { $0.step = nil } }

    /// Checks whether the current step has exceeded its time, and checks again when it will have.
    @EventLoop private func look() {
        let (left, outcome) = state.withLock {
            state -> (Duration?, (@Sendable () -> Outcome)?) in
            guard let (end, outcome) = state.step else {
                state.isWatched = false
                return (nil, nil)
            }
            return (ContinuousClock.now.duration(to: end), outcome)
        }
        guard let left, let outcome else { return }
        if left > .zero { _ = LoopTimer(after: left) { [self] in look() } } else { onStuck(outcome()) }
    }
}
