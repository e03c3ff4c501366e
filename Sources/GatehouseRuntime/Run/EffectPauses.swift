// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
private import Synchronization

/// The pauses in which instances wait by the clock that they are granted, such as that before another attempt; each can be ended before its
/// time.
///
/// Callable from any thread.
package final class EffectPauses: Sendable {
    /// A pause that goes on.
    private struct Pause {
        /// The id of the instance.
        let instance: String
        /// What waits.
        let sleep: Task<Void, any Error>
        /// Whether somebody has ended it, so that its end is no error.
        var isEnded = false
    }

    /// What the lock guards.
    private struct Content {
        /// The number of the next pause.
        var next: UInt64 = 0
        /// The pauses, by number.
        var pauses: [UInt64: Pause] = [:]
    }

    /// The pauses.
    private let content = Mutex(Content())

    /// No pauses.
    package init() {}

    /// Returns a clock with the time of another one, whose pauses are an instance's.
    package func clock(of instance: String, like clock: HostClock) -> HostClock {
        HostClock(clock: pausing(clock.clock, instance), unixTime: clock.unixTime)
    }

    /// The number of pauses of an instance.
    package func count(of instance: String) -> Int {
        content.withLock { $0.pauses.values.count { $0.instance == instance } }
    }

    /// Ends the pauses of an instance, as if their time had come; returns how many.
    package func end(of instance: String) -> Int {
        let sleeps = content.withLock { content in
            var sleeps: [Task<Void, any Error>] = []
            for (number, pause) in content.pauses where pause.instance == instance && !pause.isEnded {
                content.pauses[number]?.isEnded = true
                sleeps.append(pause.sleep)
            }
            return sleeps
        }
        for sleep in sleeps { sleep.cancel() }
        return sleeps.count
    }

    // MARK: - One pause

    /// Returns a clock with the time of another one, whose pauses are an instance's.
    private func pausing<Base: Clock<Duration>>(_ base: Base, _ instance: String) -> any Clock<Duration> {
        PausingClock(base: base, instance: instance, pauses: self)
    }

    /// Waits as a closure does, or until somebody ends the pause.
    ///
    /// - Throws: what the closure throws; `CancellationError` when the task is cancelled.
    fileprivate func wait(_ instance: String, _ body: @escaping @Sendable () async throws -> Void)
        async throws
    {
        let sleep = Task(operation: body)
        let number = content.withLock { content in
            content.next += 1
            content.pauses[content.next] = Pause(instance: instance, sleep: sleep)
            return content.next
        }
        let result = await withTaskCancellationHandler {
            await sleep.result
        } onCancel: {
            sleep.cancel()
        }
        let isEnded = content.withLock { $0.pauses.removeValue(forKey: number)?.isEnded ?? false }
        if isEnded, !Task.isCancelled { return }
        try result.get()
    }
}

/// A clock whose sleepers can be woken before their time.
private struct PausingClock<Base: Clock<Duration>>: Clock {
    /// Tells the time, and waits.
    let base: Base
    /// The id of the instance that waits by it.
    let instance: String
    /// Knows who waits.
    let pauses: EffectPauses

    var now: Base.Instant { base.now }

    var minimumResolution: Duration { base.minimumResolution }

    func sleep(until deadline: Base.Instant, tolerance: Duration?) async throws {
        try await pauses.wait(instance) { [base] in
            try await base.sleep(until: deadline, tolerance: tolerance)
        }
    }
}
