// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The intervals in which throttled effects of one middleware wait for their turn.
///
/// Callable from any thread. An interval that ends without a waiting effect is forgotten.
final class Throttle: Sendable {
    /// A current interval.
    private struct Interval {
        /// Distinguishes it from an earlier one with the same id.
        let number: UInt64
        /// The task that waits and then ends the interval; nil until it is made.
        var task: Task<Void, Never>?
        /// Starts the effect that came last; nil for none.
        var last: AnyActionHandler<Void>?
    }

    /// The current intervals, by the author's id.
    private let intervals = Lock<[EffectToken: Interval]>([:])
    /// The number of intervals begun so far.
    private let begun = Atomic<UInt64>(0)

    /// Creates an object without intervals.
    init() {}

    /// The number of current intervals.
    var count: Int { intervals.withLock { $0.count } }

    /// Begins an interval, unless there is a current one with this id; returns whether it did.
    ///
    /// - Parameter executor: preferred by the task that waits for the end; nil for the threads of the process.
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

    /// Leaves an effect to be started at the end of the interval, in place of the previous one.
    ///
    /// If the interval has just ended, the effect is started at once.
    func await(_ id: EffectToken, _ start: AnyActionHandler<Void>) {
        // Releases the replaced start outside the lock, because that ends its effect.
        let (dropped, late) = intervals.withLock { intervals -> (AnyActionHandler<Void>?, Bool) in
            guard let before = intervals[id] else { return (nil, true) }
            intervals[id]?.last = start
            return (before.last, false)
        }
        withExtendedLifetime(dropped) {}
        if late { start.dispatch(()) }
    }

    /// Starts the waiting effect and returns true; if there is none, ends the interval and returns false.
    private func startLast(_ id: EffectToken, _ number: UInt64) -> Bool {
        let last = intervals.withLock { intervals in
            guard intervals[id]?.number == number else { return nil as AnyActionHandler<Void>? }
            let last = intervals[id]?.last.take()
            if last == nil { intervals[id] = nil }
            return last
        }
        last?.dispatch(())
        return last != nil
    }

    /// Forgets all intervals; waiting effects are dropped.
    func cancelAll() {
        let ended = intervals.withLock { exchange(&$0, with: [:]) }
        for interval in ended.values { interval.task?.cancel() }
    }

    deinit { cancelAll() }
}
