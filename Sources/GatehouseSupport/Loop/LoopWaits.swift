// SPDX-License-Identifier: Apache-2.0

/// All descriptors and moments that the event loop waits for.
@EventLoop
final class LoopWaits {
    /// A moment with a closure.
    private struct Alarm {
        /// The moment at which the body is due.
        let moment: ContinuousClock.Instant
        /// Identifies the alarm.
        let token: UInt64
        /// The body that runs on the loop when it is due.
        let body: @EventLoop () -> Void
    }

    /// The closures for ready descriptors, by their tokens.
    private var watches: [UInt64: @EventLoop (EventLoop.Readiness) -> Void] = [:]
    /// The alarms, ordered by their moments.
    private var alarms: [Alarm] = []
    /// The last assigned token. Tokens are not reused, so a late event finds no closure.
    private var lastToken: UInt64 = 0

    /// Creates an empty table.
    init() {}

    /// Waits once, and calls the closures that are due.
    func turn(on thread: LoopThread) {
        for (token, readiness) in thread.waitForReady(atMost: timeLeft) {
            watches[token]?(EventLoop.Readiness(rawValue: readiness))
        }
        while let alarm = alarms.first, alarm.moment <= .now {
            alarms.removeFirst()
            alarm.body()
        }
    }

    /// The time until the next moment, in milliseconds, rounded up; -1 when there is none.
    private var timeLeft: Int32 {
        guard let alarm = alarms.first else { return -1 }
        let left = ContinuousClock.now.duration(to: alarm.moment)
        return left <= .zero ? 0 : Int32(clamping: Int((left / .milliseconds(1)).rounded(.up)))
    }

    /// Adds a closure for a ready descriptor; returns its token.
    func add(_ body: @escaping @EventLoop (EventLoop.Readiness) -> Void) -> UInt64 {
        lastToken += 1
        watches[lastToken] = body
        return lastToken
    }

    /// Adds a closure to call after a delay; returns its token.
    func add(after delay: Duration, _ body: @escaping @EventLoop () -> Void) -> UInt64 {
        lastToken += 1
        let alarm = Alarm(moment: .now + delay, token: lastToken, body: body)
        let place = alarms.firstIndex { $0.moment > alarm.moment } ?? alarms.endIndex
        alarms.insert(alarm, at: place)
        return lastToken
    }

    /// Removes the closure with a token; it is not called from here on.
    func remove(_ token: UInt64) {
        if watches.removeValue(forKey: token) == nil { alarms.removeAll { $0.token == token } }
    }
}
