// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Glibc

/// What is counted where an instance hears actions; touched in the drain only.
package struct InstanceAccount {
    /// Actions that it was shown.
    package var heard = 0
    /// Time in its middlewares.
    var handling = StageTime()
    /// Time in its reducer.
    var reducing = StageTime()
    /// Time in what its middlewares want done when the reducers are through.
    var answering = StageTime()
}

/// Time in one stage of an instance, over those actions whose way is timed.
package struct StageTime: Equatable, Sendable {
    /// How often it was measured.
    package private(set) var samples = 0
    /// All of it together, in nanoseconds.
    package private(set) var nanoseconds = 0

    /// The time of one action in nanoseconds, on average; nil before the first is measured.
    package var average: Double? { samples == 0 ? nil : Double(nanoseconds) / Double(samples) }

    /// Adds what has passed since a moment.
    package mutating func add(since start: Moment) {
        samples &+= 1
        nanoseconds &+= max(0, Moment.now.nanoseconds &- start.nanoseconds)
    }

    /// Adds what was measured in another store.
    package mutating func add(_ other: StageTime) {
        samples += other.samples
        nanoseconds += other.nanoseconds
    }

    /// A moment on the clock that measures.
    package struct Moment {
        /// Since the machine was started.
        let nanoseconds: Int

        /// The moment at which it is asked for.
        static var now: Moment {
            var time = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &time)
            return Moment(nanoseconds: time.tv_sec &* 1_000_000_000 &+ time.tv_nsec)
        }
    }
}

// MARK: - Timed

/// The stages with a clock beside them; apart from those without, so that an action that is not timed pays a comparison.
extension Instance {
    /// Shows an action to the plugin, like `handle`.
    @inline(never)
    func handleTimed(_ action: AnyAction, from dispatcher: ActionSource) -> IO<AnyAction> {
        let start = StageTime.Moment.now
        defer { account.handling.add(since: start) }
        return handle(action, from: dispatcher)
    }

    /// Applies the reducer, like `reduce`.
    @inline(never)
    func reduceTimed(_ action: AnyAction) -> StateChange {
        let start = StageTime.Moment.now
        defer { if reduces { account.reducing.add(since: start) } }
        return reduce(action)
    }

    /// Runs what a middleware has answered.
    @inline(never)
    func runTimed(_ answer: IO<AnyAction>) {
        let start = StageTime.Moment.now
        defer { account.answering.add(since: start) }
        answer.run(output)
    }
}
