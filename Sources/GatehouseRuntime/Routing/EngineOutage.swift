// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
private import Synchronization

/// The times in which an engine fails the requests of a member, told once for all parts of the member that ask it.
///
/// The first failure is told at once. One that comes soon after another is told when it lasts: of those that do not, the operator
/// hears together. Callable from any thread; moments must not go back.
package final class EngineOutage: Sendable {
    /// A moment of the member's steady clock.
    package typealias Moment = ContinuousClock.Instant

    /// The state that the lock guards.
    private struct State {
        /// The last number given to a part.
        var lastPart = 0
        /// The parts whose last request failed.
        var failing: Set<Int> = []
        /// Since when there are any; nil while there are none.
        var since: Moment?
        /// The failure that was told; nil for none since then.
        var told: ClusterFailure?
        /// When the engine answered all of them again; nil before the first outage.
        var ended: Moment?
        /// The outages that were too short to be told, since the first of them.
        var short: (count: Int, since: Moment)?
    }

    /// How long after an outage the next one must last before it is told, and how long that holds.
    private static let (patience, calm) = (Duration.seconds(1), Duration.seconds(10))

    /// What is known of outages.
    private let state = Mutex(State())
    /// Reports to the operator; called under the lock, in order.
    private let report: @Sendable (ClusterNotice) -> Void

    /// Creates the outages of an engine that answers.
    package init(_ report: @escaping @Sendable (ClusterNotice) -> Void) { self.report = report }

    /// Returns a number for a part of the member that asks the engine.
    func part() -> Int {
        state.withLock { state in
            state.lastPart += 1
            return state.lastPart
        }
    }

    /// Records that a request of a part failed; to be called with each failure, because one is told that lasts.
    func fail(_ failure: ClusterFailure, _ part: Int, at now: Moment = .now) {
        state.withLock { state in
            state.failing.insert(part)
            let since = state.since ?? now
            state.since = since
            if let told = state.told {
                // A lost connection may turn out to be denied access, or no room.
                switch failure {
                case .denied, .full: guard failure != told else { return }
                default: return
                }
            } else if let ended = state.ended, since - ended < Self.calm, now - since < Self.patience {
                return
            }
            state.told = failure
            report(.held(failure))
        }
    }

    /// Records that a request of a part succeeded.
    func succeed(_ part: Int, at now: Moment = .now) {
        state.withLock { state in
            if state.failing.remove(part) != nil, state.failing.isEmpty, let since = state.since {
                if state.told != nil {
                    report(.goesOn(after: since.duration(to: now)))
                } else {
                    state.short = ((state.short?.count ?? 0) + 1, state.short?.since ?? now)
                }
                (state.since, state.told, state.ended) = (nil, nil, now)
            }
            if let short = state.short, now - short.since >= Self.calm {
                state.short = nil
                report(.faltered(short.count))
            }
        }
    }
}
