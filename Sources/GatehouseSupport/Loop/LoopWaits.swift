// SPDX-License-Identifier: Apache-2.0

/// All descriptors and moments that the event loop waits for.
@EventLoop
final class LoopWaits {
    /// A moment at which something is done.
    private struct Alarm {
        /// The moment at which the body is due.
        let moment: ContinuousClock.Instant
        /// What it is known by.
        let token: UInt64
        /// The body that runs on the loop when it is due.
        let body: @EventLoop () -> Void
    }

    /// What is done when a descriptor is ready, by its token.
    private var watches: [UInt64: @EventLoop (EventLoop.Readiness) -> Void] = [:]
    /// In the order of their moments.
    private var alarms: [Alarm] = []
    /// The last token that was given; tokens are not used again, so that an event that comes late finds nobody.
    private var lastToken: UInt64 = 0

    /// A table in which there is nothing to wait for.
    init() {}

    /// Waits once, and does what is to be done.
    func turn(on thread: LoopThread) {
        for (token, readiness) in thread.waitForReady(atMost: timeLeft) {
            watches[token]?(EventLoop.Readiness(rawValue: readiness))
        }
        while let alarm = alarms.first, alarm.moment <= .now {
            alarms.removeFirst()
            alarm.body()
        }
    }

    /// Until the next moment, in milliseconds, rounded up; -1 when there is none.
    private var timeLeft: Int32 {
        guard let alarm = alarms.first else { return -1 }
        let left = ContinuousClock.now.duration(to: alarm.moment)
        return left <= .zero ? 0 : Int32(clamping: Int((left / .milliseconds(1)).rounded(.up)))
    }

    /// Enters what is done when a descriptor is ready; returns its token.
    func add(_ body: @escaping @EventLoop (EventLoop.Readiness) -> Void) -> UInt64 {
        lastToken += 1
        watches[lastToken] = body
        return lastToken
    }

    /// Enters what is done after a while; returns its token.
    func add(after delay: Duration, _ body: @escaping @EventLoop () -> Void) -> UInt64 {
        lastToken += 1
        let alarm = Alarm(moment: .now + delay, token: lastToken, body: body)
        let place = alarms.firstIndex { $0.moment > alarm.moment } ?? alarms.endIndex
        alarms.insert(alarm, at: place)
        return lastToken
    }

    /// Forgets what has a token; nothing of it is done from here on.
    func remove(_ token: UInt64) {
        if watches.removeValue(forKey: token) == nil { alarms.removeAll { $0.token == token } }
    }
}
