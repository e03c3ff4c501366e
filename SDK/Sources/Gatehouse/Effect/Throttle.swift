// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The intervals in which throttled effects of one middleware wait for their turn.
///
/// Callable from any thread. An interval that ends with nobody waiting is forgotten.
final class Throttle: Sendable {
    /// An interval that is going on.
    private struct Interval {
        /// Tells it from an earlier one with the same id.
        let number: UInt64
        /// The task that waits and then ends the interval; nil until it is made.
        var task: Task<Void, Never>?
        /// Starts the effect that came last, nil for none.
        var last: AnyActionHandler<Void>?
    }

    /// The intervals that are going on, by the id the author gave.
    private let intervals = Lock<[EffectToken: Interval]>([:])
    /// How many intervals there have been.
    private let begun = Atomic<UInt64>(0)

    /// Intervals of which none is going on.
    init() {}

    /// How many intervals are going on.
    var count: Int { intervals.withLock { $0.count } }

    /// Begins an interval, unless one with this id is going on; returns whether it did.
    ///
    /// - Parameter executor: what the task prefers that waits for the end; nil for the threads of the process.
    func open(
        _ id: EffectToken, _ end: Alarm, interval: Duration, _ executor: (any TaskExecutor)?
    ) -> Bool {
        intervals.withLock { intervals in
            guard intervals[id] == nil else { return false }
            let number = begun.wrappingAdd(1, ordering: .relaxed).newValue
            intervals[id] = Interval(
                number: number,
                task: Task(executorPreference: executor) { [weak self] in
                    var end = end
                    repeat {
                        do { try await end.wait() } catch { return }
                        end = end.next(interval)
                    } while self?.startLast(id, number) == true
                })
            return true
        }
    }

    /// Leaves an effect to be started at the end of the interval, in place of the one that was left before.
    ///
    /// If the interval has just ended, the effect is started at once.
    func await(_ id: EffectToken, _ start: AnyActionHandler<Void>) {
        // What is replaced goes after the lock: an effect ends when it is let go.
        let (dropped, late) = intervals.withLock { intervals -> (AnyActionHandler<Void>?, Bool) in
            guard let before = intervals[id] else { return (nil, true) }
            intervals[id]?.last = start
            return (before.last, false)
        }
        withExtendedLifetime(dropped) {}
        if late { start.dispatch(()) }
    }

    /// Starts the effect that waits; returns whether there was one, otherwise the interval is over.
    private func startLast(_ id: EffectToken, _ number: UInt64) -> Bool {
        let last = intervals.withLock { intervals in
            guard intervals[id]?.number == number else { return nil as AnyActionHandler<Void>? }
            let last = intervals[id]?.last
            intervals[id]?.last = nil
            if last == nil { intervals[id] = nil }
            return last
        }
        last?.dispatch(())
        return last != nil
    }

    /// Forgets all intervals; what waits is dropped.
    func cancelAll() {
        let ended = intervals.withLock { intervals in
            let ended = intervals
            intervals = [:]
            return ended
        }
        for interval in ended.values { interval.task?.cancel() }
    }

    deinit { cancelAll() }
}
