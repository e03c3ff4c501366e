// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// What one instance has done so far, and how it is.
package struct InstanceCounts: Equatable, Sendable {
    /// The id of the instance.
    package let instance: String
    /// Actions that it was shown.
    package private(set) var heard: Int
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
    /// Time in its middlewares.
    package private(set) var handling: StageTime
    /// Time in its reducer.
    package private(set) var reducing: StageTime
    /// Time in what its middlewares want done when the reducers are through.
    package private(set) var answering: StageTime
    /// How it is, as it says itself.
    package private(set) var health: PluginHealth
    /// What it counts and measures itself, by name.
    package private(set) var numbers: [String: PluginStatus.Number]

    /// Reads the counts of an instance; called in the drain.
    package init(_ instance: Instance) {
        self.instance = instance.id
        // What comes to an instance in quarantine is missed.
        heard = instance.standing == nil ? instance.account.heard : 0
        emitted = instance.outlet.emitted
        stopped = instance.stoppedActions
        dropped = instance.droppedOutputs
        refused = instance.refusedOutputs
        misfits = instance.outlet.misfits
        failures = instance.failures
        effects = instance.activity.running
        handling = instance.account.handling
        reducing = instance.account.reducing
        answering = instance.account.answering
        health = instance.status.health
        numbers = instance.status.numbers
    }

    /// Adds up what the instance has done in another store; it is failing as soon as it is so in one of them.
    package mutating func add(_ other: InstanceCounts) {
        heard += other.heard
        emitted += other.emitted
        stopped += other.stopped
        dropped += other.dropped
        refused += other.refused
        misfits += other.misfits
        failures += other.failures
        effects += other.effects
        handling.add(other.handling)
        reducing.add(other.reducing)
        answering.add(other.answering)
        if health == .ok { health = other.health }
        numbers.merge(other.numbers) { $0.adding($1) }
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
            "heard": Value(heard), "emitted": Value(emitted), "stopped": Value(stopped),
            "dropped": Value(dropped), "refused": Value(refused), "misfits": Value(misfits),
            "failures": Value(failures), "effects": Value(effects),
            "time": [
                "handle": handling.value, "reduce": reducing.value, "io": answering.value,
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
    fileprivate func adding(_ other: PluginStatus.Number) -> PluginStatus.Number {
        switch (self, other) {
        case (.count(let one), .count(let two)): .count(one + two)
        case (.gauge(let one), .gauge(let two)): .gauge(one + two)
        case (.time(let count, let total), .time(let further, let more)):
            .time(count: count + further, total: total + more)
        default: self
        }
    }
}
