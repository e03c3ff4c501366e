// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The running effects of one middleware; finished ones are forgotten at once, with or without token.
///
/// At most `limit` effects run at once, and as many in the background. Beyond that an effect waits, in order, until another
/// one ends; all that are not in the background do end. A further background effect is not started at all.
///
/// Callable from any thread. Deinitialization cancels all effects.
@usableFromInline
final class EffectRegistry: Sendable {
    /// The decision about an effect that is about to begin.
    enum Beginning {
        /// The effect was admitted, and this is its run.
        case started(EffectRun)
        /// It must be passed to `wait`; `isFirst` if none has waited before.
        case waits(EffectRun, isFirst: Bool)
        /// The effect is not started.
        case refused
    }

    /// The state that the lock guards.
    private struct Runs {
        /// The number of the run that began last.
        var nextID: UInt64 = 0
        /// All runs that have not ended.
        var byID: [UInt64: EffectRun] = [:]
        /// The latest run of each token.
        var byToken: [EffectToken: EffectRun] = [:]
        /// The number of foreground runs that do not wait.
        var foreground = 0
        /// The number of runs in the background.
        var background = 0
        /// Starts the waiting runs, by number; nil for one that is about to wait.
        var starts: [UInt64: AnyActionHandler<Void>?] = [:]
        /// The numbers of the waiting runs, in order, and of some that were cancelled meanwhile.
        let line = Ring<UInt64>()
        /// Whether any run has waited yet.
        var hasWaited = false

        /// Takes the run that has waited longest and counts it as running; nil if nothing waits or the limit is reached.
        mutating func next(_ limit: Int) -> AnyActionHandler<Void>? {
            while foreground < limit, let id = line.popFirst() {
                guard let start = starts.removeValue(forKey: id) ?? nil else { continue }
                foreground += 1
                return start
            }
            return nil
        }
    }

    /// The maximum number of effects that run at once, and of those in the background.
    let limit: Int

    /// The runs; the lock is never held while one is cancelled.
    private let runs = Lock(Runs())
    /// The intervals of throttled effects.
    let throttle = Throttle()

    /// Creates an empty registry; `limit` is 1 or more.
    @usableFromInline
    init(limit: Int) {
        if limit < 1 { trap("the limit of effects must be 1 or more, and is \(limit)") }
        self.limit = limit
    }

    deinit { cancelAll() }

    /// Registers a run, after cancelling one with the same token.
    ///
    /// A brief one, which is over once started, need not wait: others may be waiting for it.
    ///
    /// The run is counted in `activity` until everything that followed from its actions has been processed.
    ///
    /// - Parameter logged: its number in the log of `activity`; nil if nothing is logged.
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

    /// Makes an effect wait until another one ends, unless one has by now.
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
    func cancel(_ token: EffectToken) { runs.withLock { $0.byToken[token] }?.cancel() }

    /// Cancels the runs that have a token.
    func cancelNamed() {
        for run in runs.withLock({ Array($0.byToken.values) }) { run.cancel() }
    }

    /// Cancels all registered effects.
    @usableFromInline
    func cancelAll() {
        // Waiting runs first, so that none of them begins because others end.
        let all = runs.withLock { runs in
            let waiting = runs.byID.values.filter { runs.starts[$0.id] != nil }
            return waiting.isEmpty ? Array(runs.byID.values) : waiting + Array(runs.byID.values)
        }
        for run in all { run.cancel() }
        throttle.cancelAll()
    }

    /// Cancels all runs but `finishing` ones, each after its last action, in order of their start; called in the drain.
    ///
    /// Waiting runs go first, so that none begins because others end.
    func stop() {
        let (waiting, running) = runs.withLock { runs in
            let all = runs.byID.values.sorted { $0.id < $1.id }
            return (all.filter { runs.starts[$0.id] != nil }, all.filter { runs.starts[$0.id] == nil })
        }
        for run in waiting + running where !run.isFinishing { run.stop() }
        throttle.cancelAll()
    }

    /// The number of registered effects.
    var count: Int { runs.withLock { $0.byID.count } }

    /// The number of runs, and of intervals in which throttled effects wait.
    var effects: EffectCount { EffectCount(running: count, intervals: throttle.count) }

    /// Removes a run that has ended and begins the next waiting one; a successor under the same token stays.
    func forget(_ run: EffectRun, of kind: Activity.Kind) {
        // Releases the start of a run cancelled while it waited outside the lock.
        let (next, dropped) = runs.withLock { runs -> (AnyActionHandler<Void>?, AnyActionHandler<Void>?) in
            runs.byID[run.id] = nil
            if let token = run.token, runs.byToken[token] === run { runs.byToken[token] = nil }
            if kind == .background {
                runs.background -= 1
                return (nil, nil)
            }
            // Nearly always nothing waits.
            let mayWait = !runs.starts.isEmpty
            if mayWait, let start = runs.starts.removeValue(forKey: run.id) { return (nil, start) }
            runs.foreground -= 1
            return (mayWait ? runs.next(limit) : nil, nil)
        }
        withExtendedLifetime(dropped) {}
        next?.dispatch(())
    }

    /// Counts a run among those in the background; the next waiting one begins.
    func moveToBackground() {
        let next = runs.withLock { runs in
            runs.background += 1
            runs.foreground -= 1
            return runs.next(limit)
        }
        next?.dispatch(())
    }
}

/// The activity of a middleware.
@usableFromInline
struct EffectCount {
    /// Effects that run, or wait for others to end.
    @usableFromInline var running = 0
    /// Intervals in which throttled effects wait.
    var intervals = 0

    /// Whether both counts are zero.
    var isNothing: Bool { running == 0 && intervals == 0 }

    /// Returns the sum, counter by counter.
    static func + (lhs: EffectCount, rhs: EffectCount) -> EffectCount {
        EffectCount(running: lhs.running + rhs.running, intervals: lhs.intervals + rhs.intervals)
    }
}
