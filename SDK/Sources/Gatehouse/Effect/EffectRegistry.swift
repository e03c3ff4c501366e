// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The effects that one middleware has running; finished ones are forgotten at once, with or without token.
///
/// Callable from any thread. When it goes, everything in it is cancelled.
@usableFromInline
final class EffectRegistry: Sendable {
    /// What is guarded by the lock.
    private struct Runs {
        /// The number of the run that began last.
        var nextID: UInt64 = 0
        /// All runs that have not ended.
        var byID: [UInt64: EffectRun] = [:]
        /// Those of them that have a token, the last to begin for each.
        var byToken: [EffectToken: EffectRun] = [:]
    }

    /// The runs, under a lock that is never held while one is cancelled.
    private let runs = Lock(Runs())
    /// What throttled effects wait for.
    let throttle = Throttle()

    /// Nothing running.
    @usableFromInline
    init() {}

    deinit { cancelAll() }

    /// Registers a run; one with the same token is cancelled first.
    ///
    /// The run is counted in `activity` until everything that followed from what it sent has been processed.
    func begin(
        token: EffectToken?, background: Bool, finishing: Bool, activity: Activity?, drain: Drain?
    ) -> EffectRun {
        if let token { cancel(token) }
        return runs.withLock { runs in
            runs.nextID += 1
            let run = EffectRun(
                id: runs.nextID, token: token, background: background, finishing: finishing,
                activity: activity, drain: drain
            ) { [weak self] run in self?.forget(run) }
            runs.byID[run.id] = run
            if let token { runs.byToken[token] = run }
            return run
        }
    }

    /// Cancels the run with this token, if there is one.
    func cancel(_ token: EffectToken) {
        runs.withLock { $0.byToken[token] }?.cancel()
    }

    /// Cancels the runs that have a token.
    func cancelNamed() {
        for run in runs.withLock({ Array($0.byToken.values) }) { run.cancel() }
    }

    /// Cancels everything.
    @usableFromInline
    func cancelAll() {
        for run in runs.withLock({ Array($0.byID.values) }) { run.cancel() }
        throttle.cancelAll()
    }

    /// Cancels what is not finishing, after its last action, in the order in which it began; called in the drain.
    func stop() {
        let all = runs.withLock { $0.byID.values.sorted { $0.id < $1.id } }
        for run in all where !run.isFinishing { run.stop() }
        throttle.cancelAll()
    }

    /// How many effects are running.
    var count: Int { runs.withLock { $0.byID.count } }

    /// Drops a run that has ended; a successor under the same token stays.
    private func forget(_ run: EffectRun) {
        runs.withLock { runs in
            runs.byID[run.id] = nil
            if let token = run.token, runs.byToken[token] === run { runs.byToken[token] = nil }
        }
    }
}
