// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import Gatehouse

/// A clock that stands still until a test moves it.
final class ManualClock: Clock, Sendable {
    /// A moment on this clock.
    struct Instant: InstantProtocol {
        /// Time since the clock was made.
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    /// Somebody who sleeps.
    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// What the lock guards.
    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
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

    private let state = Lock(State())

    /// A clock at zero.
    init() {}

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
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

    /// Moves the clock and wakes who is due, earliest first.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Returns once exactly this many sleep.
    func sleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.watchers.append((count, continuation))
                return state.takeWatchers()
            }
            for watcher in ready { watcher.resume() }
        }
    }
}
