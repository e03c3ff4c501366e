// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The effects that one middleware has running; finished ones are forgotten at once, with or without token.
///
/// At most `limit` effects run beside each other, and as many in the background. Beyond that an effect waits, in order, until
/// another one ends, which each does that is not in the background; one in the background is not started at all.
///
/// Callable from any thread. When it goes, everything in it is cancelled.
@usableFromInline
final class EffectRegistry: Sendable {
    /// What becomes of an effect that is to begin.
    enum Beginning {
        /// The effect was admitted, and this is its run.
        case started(EffectRun)
        /// It is to be given to `wait`; whether it is the first that waits.
        case waits(EffectRun, isFirst: Bool)
        /// The effect is not started.
        case refused
    }

    /// What is guarded by the lock.
    private struct Runs {
        /// The number of the run that began last.
        var nextID: UInt64 = 0
        /// All runs that have not ended.
        var byID: [UInt64: EffectRun] = [:]
        /// Those of them that have a token, the last to begin for each.
        var byToken: [EffectToken: EffectRun] = [:]
        /// How many of them run that are not in the background.
        var foreground = 0
        /// How many of them are in the background.
        var background = 0
        /// What starts those that wait, by the number of the run; nil for one that is about to wait.
        var starts: [UInt64: AnyActionHandler<Void>?] = [:]
        /// The numbers of those that wait, in order, and of some that were cancelled meanwhile.
        let line = Ring<UInt64>()
        /// Whether anything has waited yet.
        var hasWaited = false

        /// Takes what waits longest, which runs from here on; nil when nothing waits or nothing more may run.
        mutating func next(_ limit: Int) -> AnyActionHandler<Void>? {
            while foreground < limit, let id = line.popFirst() {
                guard let start = starts.removeValue(forKey: id) ?? nil else { continue }
                foreground += 1
                return start
            }
            return nil
        }
    }

    /// How many effects may run beside each other, and how many in the background.
    let limit: Int

    /// The runs, under a lock that is never held while one is cancelled.
    private let runs = Lock(Runs())
    /// What throttled effects wait for.
    let throttle = Throttle()

    /// Nothing running; `limit` is 1 or more.
    @usableFromInline
    init(limit: Int) {
        if limit < 1 { trap("the limit of effects must be 1 or more, and is \(limit)") }
        self.limit = limit
    }

    deinit { cancelAll() }

    /// Registers a run; one with the same token is cancelled first.
    ///
    /// One that is over when it has been started need not wait: it may be what others wait for.
    ///
    /// The run is counted in `activity` until everything that followed from what it sent has been processed.
    ///
    /// - Parameter logged: its number in the log of `activity`; nil where nothing is logged.
    func begin(
        token: EffectToken?, as kind: Activity.Kind, isBrief: Bool = false, activity: Activity?,
        drain: Drain?, logged: UInt64?
    ) -> Beginning {
        if let token { cancel(token) }
        return runs.withLock { runs in
            if kind == .background, runs.background >= limit { return .refused }
            runs.nextID += 1
            let run = EffectRun(
                id: runs.nextID, token: token, as: kind, activity: activity, drain: drain, logged: logged,
                in: self)
            runs.byID[run.id] = run
            if let token { runs.byToken[token] = run }
            if kind == .background {
                runs.background += 1
            } else if !isBrief, runs.foreground >= limit {
                runs.starts.updateValue(nil, forKey: run.id)
                defer { runs.hasWaited = true }
                return .waits(run, isFirst: !runs.hasWaited)
            } else {
                runs.foreground += 1
            }
            return .started(run)
        }
    }

    /// Lets an effect wait until another one ends, unless one has by now.
    func wait(_ run: EffectRun, _ start: AnyActionHandler<Void>) {
        let next = runs.withLock { runs -> AnyActionHandler<Void>? in
            guard runs.byID[run.id] != nil else { return nil }
            runs.line.append(run.id)
            runs.starts[run.id] = start
            return runs.next(limit)
        }
        next?.dispatch(())
    }

    /// Cancels the run with this token, if there is one.
    func cancel(_ token: EffectToken) {
        runs.withLock { $0.byToken[token] }?.cancel()
    }

    /// Cancels the runs that have a token.
    func cancelNamed() {
        for run in runs.withLock({ Array($0.byToken.values) }) { run.cancel() }
    }

    /// Cancels all effects that are registered.
    @usableFromInline
    func cancelAll() {
        // Those that wait go first, so that none of them begins because others end.
        let all = runs.withLock { runs in
            let waiting = runs.byID.values.filter { runs.starts[$0.id] != nil }
            return waiting.isEmpty ? Array(runs.byID.values) : waiting + Array(runs.byID.values)
        }
        for run in all { run.cancel() }
        throttle.cancelAll()
    }

    /// Cancels what is not finishing, after its last action, in the order in which it began; called in the drain.
    ///
    /// What waits goes first, so that it does not begin because others end.
    func stop() {
        let (waiting, running) = runs.withLock { runs in
            let all = runs.byID.values.sorted { $0.id < $1.id }
            return (all.filter { runs.starts[$0.id] != nil }, all.filter { runs.starts[$0.id] == nil })
        }
        for run in waiting + running where !run.isFinishing { run.stop() }
        throttle.cancelAll()
    }

    /// How many effects are running.
    var count: Int { runs.withLock { $0.byID.count } }

    /// The same, with the intervals in which throttled effects wait.
    var effects: EffectCount { EffectCount(running: count, intervals: throttle.count) }

    /// Drops a run that has ended; a successor under the same token stays. The next that waits begins.
    func forget(_ run: EffectRun, of kind: Activity.Kind) {
        // What starts a run that was cancelled while it waited goes after the lock.
        let (next, dropped) = runs.withLock { runs -> (AnyActionHandler<Void>?, AnyActionHandler<Void>?) in
            runs.byID[run.id] = nil
            if let token = run.token, runs.byToken[token] === run { runs.byToken[token] = nil }
            if kind == .background {
                runs.background -= 1
                return (nil, nil)
            }
            // Nearly always nothing waits.
            if !runs.starts.isEmpty {
                if let start = runs.starts.removeValue(forKey: run.id) { return (nil, start) }
                runs.foreground -= 1
                return (runs.next(limit), nil)
            }
            runs.foreground -= 1
            return (nil, nil)
        }
        withExtendedLifetime(dropped) {}
        next?.dispatch(())
    }

    /// Counts a run among those in the background; the next that waits begins.
    func moveToBackground() {
        let next = runs.withLock { runs in
            runs.background += 1
            runs.foreground -= 1
            return runs.next(limit)
        }
        next?.dispatch(())
    }
}

/// What a middleware has going on.
@usableFromInline
struct EffectCount {
    /// Effects that run, or wait for others to end.
    @usableFromInline var running = 0
    /// Intervals in which throttled effects wait.
    var intervals = 0

    /// A count, by default of nothing.
    @usableFromInline
    init(running: Int = 0, intervals: Int = 0) {
        self.running = running
        self.intervals = intervals
    }

    /// Whether nothing goes on.
    var isNothing: Bool { running == 0 && intervals == 0 }

    /// The sum, counter by counter.
    @usableFromInline
    static func + (lhs: EffectCount, rhs: EffectCount) -> EffectCount {
        EffectCount(running: lhs.running + rhs.running, intervals: lhs.intervals + rhs.intervals)
    }
}
