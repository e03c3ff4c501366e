// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
private import Glibc

/// What one instance has done so far, and how it is.
package struct InstanceCounts: Equatable, Sendable {
    /// The id of the instance.
    package let instance: String
    /// What was counted where it hears actions.
    package private(set) var account: InstanceAccount
    /// Actions that it emitted and that went out.
    package private(set) var emitted: Int
    /// Actions that its interceptor stopped, or has not let pass yet.
    package private(set) var stopped: Int
    /// Outputs that its closed gate dropped.
    package private(set) var dropped: Int
    /// Outputs that it may not emit, and actions that may not become what its interceptor changed them to.
    package private(set) var refused: Int
    /// Payloads that its action type does not take, and outputs without a wire form.
    package private(set) var misfits: Int
    /// Actions that it says it has not done.
    package private(set) var failures: Int
    /// Effects that are running, those in the background included.
    package private(set) var effects: Int
    /// How it is, as it says itself.
    package private(set) var health: PluginHealth
    /// What it counts and measures itself, by name.
    package private(set) var numbers: [String: PluginStatus.Number]
    /// The time of its rules within its stages, as far as actions are timed.
    package private(set) var rules: [String: PluginStatus.Number]

    /// Reads the counts of an instance; called in the drain.
    package init(_ instance: Instance) {
        self.instance = instance.id
        account = instance.account
        // What comes to an instance in quarantine is missed.
        if instance.standing != nil { account.heard = 0 }
        emitted = instance.outlet.emitted
        stopped = instance.stoppedActions
        dropped = instance.droppedOutputs
        refused = instance.refusedOutputs
        misfits = instance.outlet.misfits
        failures = instance.failures
        effects = instance.activity.running
        health = instance.status.health
        numbers = instance.status.numbers
        rules = instance.status.rules
        if let worker = instance.worker?.standing { take(worker) }
    }

    /// Takes over what an instance has counted in its worker, where its code runs.
    private mutating func take(_ worker: WorkerStanding) {
        let there = worker.account
        (account.handling, account.reducing, account.answering) = (
            there.handling, there.reducing, there.answering
        )
        misfits += there.misfits
        effects = worker.effects
        health = worker.isGivenUp.map { .failing($0) } ?? there.health
        (numbers, rules) = there.split
    }

    /// Adds up what the instance has done in another store; it is failing as soon as it is so in one of them.
    package mutating func add(_ other: InstanceCounts) {
        account.add(other.account)
        emitted += other.emitted
        stopped += other.stopped
        dropped += other.dropped
        refused += other.refused
        misfits += other.misfits
        failures += other.failures
        effects += other.effects
        if health == .ok { health = other.health }
        numbers.merge(other.numbers) { $0.adding($1) }
        rules.merge(other.rules) { $0.adding($1) }
    }

    /// What stays of it when its store has gone: what it has counted, and not how it was.
    package var past: InstanceCounts {
        var past = self
        past.effects = 0
        past.health = .ok
        past.numbers = numbers.filter { if case .gauge = $0.value { false } else { true } }
        return past
    }

    /// The same as JSON, without the id: `"counts"`, `"gauges"` and `"times"` only where there are any, `"reason"` only when it is failing.
    package var value: Value {
        var members: Members = [
            "heard": Value(account.heard), "emitted": Value(emitted), "stopped": Value(stopped),
            "dropped": Value(dropped), "refused": Value(refused), "misfits": Value(misfits),
            "failures": Value(failures), "effects": Value(effects),
            "time": [
                "handle": account.handling.value, "reduce": account.reducing.value,
                "io": account.answering.value,
            ],
        ]
        switch health {
        case .ok: members["health"] = "ok"
        case .failing(let reason):
            members["health"] = "failing"
            members["reason"] = .string(reason)
        }
        var (counts, gauges, times) = (Members(), Members(), Members())
        for (name, number) in numbers.sorted(by: { $0.key < $1.key }) {
            switch number {
            case .count(let count): counts[name] = Value(count)
            case .gauge(let gauge): gauges[name] = .double(gauge)
            case .time(let count, let total):
                times[name] = ["count": Value(count), "seconds": .double(total / .seconds(1))]
            }
        }
        if !counts.isEmpty { members["counts"] = .object(counts) }
        if !gauges.isEmpty { members["gauges"] = .object(gauges) }
        if !times.isEmpty { members["times"] = .object(times) }
        return .object(members)
    }
}

extension StageTime {
    /// The time as JSON.
    fileprivate var value: Value { ["samples": Value(samples), "nanoseconds": Value(nanoseconds)] }
}

extension PluginStatus.Number {
    /// The sum of two numbers of a kind; of two kinds the first.
    func adding(_ other: PluginStatus.Number) -> PluginStatus.Number {
        switch (self, other) {
        case (.count(let one), .count(let two)): .count(one + two)
        case (.gauge(let one), .gauge(let two)): .gauge(one + two)
        case (.time(let count, let total), .time(let further, let more)):
            .time(count: count + further, total: total + more)
        default: self
        }
    }
}

/// What is counted where an instance hears actions; touched in the drain only.
package struct InstanceAccount: Equatable, Sendable {
    /// Actions that it was shown.
    package var heard = 0
    /// Time in its middlewares.
    package internal(set) var handling = StageTime()
    /// Time in its reducer.
    package internal(set) var reducing = StageTime()
    /// Time in what its middlewares want done when the reducers are through.
    package internal(set) var answering = StageTime()

    /// Adds what was counted in another store.
    mutating func add(_ other: InstanceAccount) {
        heard += other.heard
        handling.add(other.handling)
        reducing.add(other.reducing)
        answering.add(other.answering)
    }
}

/// Time in one stage of an instance, over those actions whose way is timed.
package struct StageTime: Equatable, Sendable {
    /// How often it was measured.
    package private(set) var samples: Int
    /// All of it together, in nanoseconds.
    package private(set) var nanoseconds: Int

    /// Creates a time from what was measured elsewhere.
    init(samples: Int = 0, nanoseconds: Int = 0) { (self.samples, self.nanoseconds) = (samples, nanoseconds) }

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
        status.isTiming = true
        defer {
            status.isTiming = false
            account.handling.add(since: start)
        }
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
        if let watch = pass.watch { return run(answer, watchedBy: watch) }
        let start = StageTime.Moment.now
        status.isTiming = true
        defer {
            status.isTiming = false
            account.answering.add(since: start)
        }
        answer.run(output)
    }

    /// Runs what a middleware has answered, and tells before and after each part of it that is the plugin's own: what the host does with
    /// an output is not.
    private func run(_ answer: IO<AnyAction>, watchedBy watch: @escaping (Bool) -> Void) {
        let parent = output.sink
        let sink = ActionSink<AnyAction>(before: parent) { emitted in
            watch(false)
            parent.emit(emitted)
            watch(true)
        }
        watch(true)
        answer.run(AnyActionHandler(sink))
        watch(false)
    }
}
