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
        /// The time since the clock was created.
        public var offset: Duration

        /// Creates a moment some time after the clock was created.
        public init(offset: Duration) { self.offset = offset }

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    /// A sleeping task.
    private struct Sleeper {
        /// The moment at which the task wakes.
        let deadline: Instant
        /// Resumes the suspended task.
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// The state that the lock guards.
    private struct State {
        /// The current moment.
        var now = Instant(offset: .zero)
        /// The number of the latest sleeper.
        var nextID = 0
        /// The sleeping tasks by number.
        var sleepers: [Int: Sleeper] = [:]
        /// The numbers of tasks cancelled before they slept.
        var cancelled: Set<Int> = []
        /// Tests that wait for a number of sleepers.
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        /// Called whenever a task has fallen asleep.
        var listeners: [@Sendable () -> Void] = []

        /// Removes and returns the watchers whose number is reached.
        mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
            let ready = watchers.filter { $0.count == sleepers.count }.map(\.continuation)
            watchers.removeAll { $0.count == sleepers.count }
            return ready
        }
    }

    /// The state; the lock is not held while a task is resumed.
    private let state = Lock(State())

    /// Creates a clock at zero.
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
                if let answer { return continuation.resume(with: answer) }
                for watcher in watchers { watcher.resume() }
                for listener in state.withLock({ $0.listeners }) { listener() }
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

    /// Moves the clock at once and wakes the due sleepers, earliest first; at equal deadlines in the order in which they fell
    /// asleep.
    ///
    /// A task that sleeps again until before the new moment wakes at once. If each moment on the way must be seen, as by a
    /// timer, advance from deadline to deadline, as the `TestStore` does.
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

    /// The earliest deadline; nil if no task sleeps.
    public var nextDeadline: Instant? { state.withLock { $0.sleepers.values.map(\.deadline).min() } }

    /// Calls a function whenever a task has fallen asleep, on the thread of that task.
    func onSleep(_ listener: @escaping @Sendable () -> Void) {
        state.withLock { $0.listeners.append(listener) }
    }

    /// The number of sleeping tasks.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Returns once exactly this many tasks sleep.
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
