// SPDX-License-Identifier: Apache-2.0

internal import GatehouseReload
internal import GatehouseRuntime
private import Glibc

/// Checks that a supervised host lives: reports when a call of a plugin or a sign of life is late, and ends the host when it is too
/// late.
struct HostWatch {
    /// The host to watch.
    private let host: SupervisedHost
    /// The time after which a late host is ended; reported at half of it.
    private let limit: Duration
    /// The time that the host has had, without work that was announced to take long.
    private var clock: PatientClock
    /// Calls that are late.
    private var slow: Watchdog
    /// Calls that are too late.
    private var stuck: Watchdog
    /// Signs that are late.
    private var late: SignWatch
    /// Signs that are too late.
    private var missing: SignWatch
    /// Whether the host was stopped at the last look.
    private var isStopped = false
    /// Until when a host that was asked to end may do nothing; nil before, and for ever.
    private var end: (deadline: ContinuousClock.Instant, actions: Int)?

    /// Since when the host is dying; nil while it lives.
    private var dying: ContinuousClock.Instant?
    /// How long dying may take.
    private static let lastWords = Duration.seconds(60)

    /// The time between two looks.
    let pause: Duration

    /// Creates a watch over a host; nil for a limit of zero, which disables it.
    init?(_ host: SupervisedHost, limit: Duration) {
        guard limit > .zero else { return nil }
        self.host = host
        self.limit = limit
        pause = min(max(limit / 6, .milliseconds(100)), .seconds(5))
        clock = PatientClock(lookingEvery: pause)
        slow = Watchdog(limit: limit / 2)
        stuck = Watchdog(limit: limit)
        late = SignWatch(limit: limit / 2)
        missing = SignWatch(limit: limit)
    }

    /// Looks once; ends a host that does not live.
    ///
    /// - Parameters:
    ///   - grace: how long the host may take to end after it was asked to; nil before that.
    ///   - tell: reports a sentence.
    mutating func look(grace: Duration?, _ tell: (String) -> Void) {
        let wasStopped = isStopped
        isStopped = host.isStopped
        let now = clock.look(isStopped: isStopped || wasStopped || host.flightRecorder.hasLongWork)
        if isStopped != wasStopped {
            tell(
                isStopped
                    ? "the host (process \(host.process)) is stopped; waiting until it is continued with SIGCONT"
                    : "the host (process \(host.process)) continues")
        }
        guard !isStopped, host.hang == nil else { return }
        if host.flightRecorder.death != nil { return lookAtDeath(now) }
        if lookAtCalls(now, tell) || lookAtSigns(now, tell) { return }
        if let grace { lookAtEnd(grace, now, tell) }
    }

    /// Lets a dying host report what it died of, such as a backtrace, and kills it when that takes too long.
    private mutating func lookAtDeath(_ now: ContinuousClock.Instant) {
        guard let dying else { return self.dying = now }
        if dying.duration(to: now) >= Self.lastWords { kill(host.process, SIGKILL) }
    }

    /// Looks for calls that do not return; returns whether the host is ended for one.
    private mutating func lookAtCalls(_ now: ContinuousClock.Instant, _ tell: (String) -> Void) -> Bool {
        for case .stuck(_, let account, let time) in slow.look(at: host.flightRecorder, now: now)
        where time < limit {
            tell(
                "\(account.sentence), and has not returned for \(time.inWholeSeconds); the host is ended after \(limit.inWholeSeconds)"
            )
        }
        for case .stuck(let call, let account, let time) in stuck.look(at: host.flightRecorder, now: now) {
            tell("\(account.sentence), and has not returned for \(time.inWholeSeconds); the host is ended")
            host.endHung(in: call, account)
            return true
        }
        return false
    }

    /// Looks for missing signs of life; returns whether the host is ended for one.
    private mutating func lookAtSigns(_ now: ContinuousClock.Instant, _ tell: (String) -> Void) -> Bool {
        let signs = host.flightRecorder.signs
        let isBlocked = Self.isErrorBlocked
        for notice in late.look(at: signs, now: now) {
            switch notice {
            case .still(let part, let time) where time < limit && !isBlocked:
                tell(
                    "\(part.words(host.flightRecorder)) for \(time.inWholeSeconds); the host is ended after \(limit.inWholeSeconds)"
                )
            case .moves(let part, let time): tell("\(part.name) again after \(time.inWholeSeconds)")
            default: break
            }
        }
        for case .still(let part, let time) in missing.look(at: signs, now: now) {
            // The host may be waiting for a reader of its output.
            if isBlocked {
                missing = SignWatch(limit: limit)
                return false
            }
            tell("\(part.words(host.flightRecorder)) for \(time.inWholeSeconds); the host is ended")
            host.endHung(by: host.flightRecorder.suspect)
            return true
        }
        return false
    }

    /// Ends a host that was asked to end, and in the time allowed has neither ended nor done anything.
    private mutating func lookAtEnd(
        _ grace: Duration, _ now: ContinuousClock.Instant, _ tell: (String) -> Void
    ) {
        let (actions, patience) = (host.flightRecorder.actions, grace + limit)
        guard let end, end.actions == actions else { return self.end = (now + patience, actions) }
        guard now >= end.deadline, !Self.isErrorBlocked else { return }
        tell(
            "the host (process \(host.process)) was asked to end, and has made no progress for \(patience.inWholeSeconds); it is ended"
        )
        host.endHung(by: host.flightRecorder.suspect)
    }

    /// Whether nobody reads standard error, which the host shares with its supervisor.
    private static var isErrorBlocked: Bool {
        var watched = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&watched, 1, 0) == 0
    }
}
