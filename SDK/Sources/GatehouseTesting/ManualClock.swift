// SPDX-License-Identifier: Apache-2.0

private import Gatehouse
private import Synchronization

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// let sleeper = Task { try await clock.sleep(for: .seconds(5)) }
/// await clock.sleepers(1)
/// clock.advance(by: .seconds(5))
/// try await sleeper.value
/// ```
///
/// Callable from any thread.
public final class ManualClock: Clock, Sendable {
    /// A moment on this clock.
    public struct Instant: InstantProtocol {
        /// Time since the clock was made.
        public var offset: Duration

        /// A moment some time after the clock was made.
        public init(offset: Duration) { self.offset = offset }

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    /// A task that sleeps.
    private struct Sleeper {
        /// The moment at which the task is to wake.
        let deadline: Instant
        /// The suspended task, which is resumed to wake it.
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// What the lock guards.
    private struct State {
        /// The moment that the clock shows.
        var now = Instant(offset: .zero)
        /// The number of who went to sleep last.
        var nextID = 0
        /// The tasks that sleep, by the number that each was given.
        var sleepers: [Int: Sleeper] = [:]
        /// Those cancelled before they slept.
        var cancelled: Set<Int> = []
        /// Tests that wait for a number of sleepers.
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Takes out the watchers that have what they wait for.
        mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
            let ready = watchers.filter { $0.count == sleepers.count }.map(\.continuation)
            watchers.removeAll { $0.count == sleepers.count }
            return ready
        }
    }

    /// The lock is not held while somebody is woken.
    private let state = Lock(State())

    /// A clock at zero.
    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Duration { .nanoseconds(1) }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let (watchers, answer) = state.withLock {
                    state -> ([CheckedContinuation<Void, Never>], Result<Void, any Error>?) in
                    if state.cancelled.remove(id) != nil { return ([], .failure(CancellationError())) }
                    if deadline <= state.now { return ([], .success(())) }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    return (state.takeWatchers(), nil)
                }
                if let answer { continuation.resume(with: answer) }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            let (sleeper, watchers) = state.withLock {
                state -> (Sleeper?, [CheckedContinuation<Void, Never>]) in
                guard let sleeper = state.sleepers.removeValue(forKey: id) else {
                    state.cancelled.insert(id)
                    return (nil, [])
                }
                return (sleeper, state.takeWatchers())
            }
            sleeper?.continuation.resume(throwing: CancellationError())
            for watcher in watchers { watcher.resume() }
        }
    }

    /// Moves the clock at once and wakes who is due, earliest first; in the order in which they went to sleep where that is equal.
    ///
    /// Who sleeps again before the new moment wakes at once. To have each moment seen on the way, as a timer does, advance
    /// from deadline to deadline, as the `TestStore` does.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// When the next one wakes; nil when nobody sleeps.
    public var nextDeadline: Instant? { state.withLock { $0.sleepers.values.map(\.deadline).min() } }

    /// The number of tasks that sleep at this moment.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Returns once exactly this many sleep.
    public func sleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.watchers.append((count, continuation))
                return state.takeWatchers()
            }
            for watcher in ready { watcher.resume() }
        }
    }
}
