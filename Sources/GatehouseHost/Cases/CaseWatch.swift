// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// Notices a step that does not come back, because a plugin's code runs or waits without an end on the thread that does the steps.
///
/// Callable from any thread.
final class CaseWatch<Outcome>: Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// When the step is given up, and what has come of it then; nil between steps.
        var step: (end: ContinuousClock.Instant, outcome: @Sendable () -> Outcome)?
        /// Whether the event loop is going to look.
        var isWatched = false
    }

    /// The step in hand.
    private let state = Mutex(State())
    /// How long a step may take.
    private let limit: Duration
    /// Told on the event loop what came of a step that does not come back.
    private let onStuck: @Sendable (Outcome) -> Void

    /// What effects that end in time may take longer than they should: one second.
    private static var patience: Duration { .seconds(1) }

    /// A watch over steps that may take so long.
    init(limit: Duration, onStuck: @escaping @Sendable (Outcome) -> Void) {
        self.limit = limit + Self.patience
        self.onStuck = onStuck
    }

    /// A step begins; `outcome` says what came of it when it does not come back.
    func begin(_ outcome: @escaping @Sendable () -> Outcome) {
        let isWatched = state.withLock { state in
            state.step = (.now + limit, outcome)
            defer { state.isWatched = true }
            return state.isWatched
        }
        if !isWatched { EventLoop.perform { [self] in look() } }
    }

    /// The step has come back.
    func end() { state.withLock { $0.step = nil } }

    /// Looks whether the step in hand has taken too long, and again when it will have.
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
