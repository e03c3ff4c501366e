// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The last hour of a host: a ring of samples, and marks of what happened between them.
///
/// An instance costs 10,440 bytes, and 1,440 more for each rule that it measures, also for the hour after it has gone.
struct Hour: Sendable {
    /// The most marks that are kept.
    static let mostMarks = 512
    /// The most instances that are kept after they have gone.
    static let mostGone = 256
    /// The most rules of all instances whose costs are kept; those that come later are in the stages of their instances alone.
    static let mostRules = 1_500
    /// Stands for unknown memory.
    private static let unknown = UInt32.max

    /// How many samples were taken, besides the first, with which the counters begin.
    private(set) var count = 0
    /// The sample before; nil before the first.
    private(set) var before: HourSample?
    /// When each sample was taken, in seconds since 1970.
    private var moments = HourColumn(absent: 0.0)
    /// The time since the sample before, in seconds.
    private var seconds = HourColumn(absent: Float.zero)
    /// Actions processed since the sample before.
    private var actions = HourColumn(absent: UInt32.zero)
    /// Actions waiting for their turn.
    private var waiting = HourColumn(absent: UInt32.zero)
    /// Running effects.
    private var effects = HourColumn(absent: UInt32.zero)
    /// Resident memory in KiB.
    private var memory = HourColumn(absent: unknown)
    /// The mean time of an action in an instance since the sample before, in nanoseconds.
    private var nanoseconds = HourColumn(absent: Float.nan)
    /// The instances, also those that have gone within the hour.
    private var instances: [String: HourInstance] = [:]
    /// The marks, the oldest first.
    private var marks: [HourMark] = []

    /// Adds a sample; ignores one that is not newer than the last.
    mutating func take(_ sample: HourSample) {
        guard let before else {
            marks.append(HourMark(moment: sample.moment, event: .start))
            self.before = sample
            return
        }
        guard before.instant < sample.instant else { return }
        moments[count] = sample.moment
        seconds[count] = Float(before.instant.duration(to: sample.instant) / .seconds(1))
        actions[count] = HourInstance.step(before.actions, sample.actions)
        waiting[count] = UInt32(clamping: sample.waiting)
        effects[count] = UInt32(clamping: sample.effects)
        memory[count] =
            sample.memory.map { min(UInt32(clamping: $0 / 1_024), Self.unknown - 1) } ?? Self.unknown
        if sample.generation != before.generation {
            marks.append(HourMark(moment: sample.moment, event: .reload(generation: sample.generation)))
        }
        takeInstances(sample, before)
        count += 1
        self.before = sample
        forget()
    }

    /// Adds the part of a sample that concerns instances.
    private mutating func takeInstances(_ sample: HourSample, _ before: HourSample) {
        let old = Dictionary(before.instances.map { ($0.id, $0) }) { first, _ in first }
        var (timed, time) = (0, 0)
        var room = Self.mostRules - instances.values.reduce(0) { $0 + $1.ruleCount }
        for now in sample.instances {
            let last = old[now.id]
            instances[now.id, default: HourInstance()].take(now, after: last, as: count, &room)
            marks += HourMark.all(from: last, to: now, at: sample.moment)
            timed += HourInstance.grown(last?.timed, now.timed)
            time += HourInstance.grown(last?.stages.all, now.stages.all)
        }
        nanoseconds[count] = timed == 0 ? .nan : Float(time) / Float(timed)
        for id in instances.keys where instances[id]?.last != count { instances[id]?.skip(count) }
    }

    /// Forgets what is older than an hour, and the oldest of what there is too much of.
    private mutating func forget() {
        let first = samples.lowerBound
        let gone = instances.filter { $0.value.last < count - 1 }.sorted { $0.value.last < $1.value.last }
        for (place, instance) in gone.enumerated()
        where instance.value.last < first || gone.count - place > Self.mostGone {
            instances[instance.key] = nil
        }
        let isFull = count > HourColumn<UInt32>.rows
        let start = moments[first] - Double(seconds[first])
        let old = isFull ? marks.prefix { $0.moment < start }.count : 0
        marks.removeFirst(max(old, marks.count - Self.mostMarks, 0))
    }

    /// The samples that are kept, by number.
    private var samples: Range<Int> { max(0, count - HourColumn<UInt32>.rows)..<count }

    /// The ids of the instances: those that are there in chain order, then those that have gone.
    var ids: [String] {
        let present = before?.instances.map(\.id) ?? []
        return present + Set(instances.keys).subtracting(present).sorted()
    }

    /// The memory of the columns and marks in bytes.
    var bytes: Int {
        moments.bytes + seconds.bytes + actions.bytes + waiting.bytes + effects.bytes + memory.bytes
            + nanoseconds.bytes + instances.values.reduce(0) { $0 + $1.bytes }
            + marks.capacity * MemoryLayout<HourMark>.stride
    }

    /// What the newest minutes cost, as the control socket writes it: the time of timed actions by instance, stage
    /// and rule.
    ///
    /// Chance decides which actions are timed, for all instances alike, so that the shares are those of all actions.
    func costs(ofMinutes minutes: Int) -> Value {
        guard let end = samples.last.map({ moments[$0] }) else { return ["seconds": 0.0, "instances": []] }
        let first = samples.first { moments[$0] > end - Double(minutes * 60) } ?? samples.upperBound
        let chosen = first..<samples.upperBound
        let time = chosen.reduce(0.0) { $0 + Double(seconds[$1]) }
        let found = ids.compactMap { id -> Value? in
            guard let cost = instances[id]?.cost(of: chosen) else { return nil }
            var members: Members = [
                "id": .string(id), "handle": Value(cost.stages.handle), "reduce": Value(cost.stages.reduce),
                "io": Value(cost.stages.io),
            ]
            if !cost.rules.isEmpty {
                var rules = Members()
                for (name, time) in cost.rules.sorted(by: { $0.key < $1.key }) { rules[name] = Value(time) }
                members["rules"] = .object(rules)
            }
            return .object(members)
        }
        return ["seconds": .double((time * 1_000).rounded() / 1_000), "instances": .array(found)]
    }

    /// The hour as the control socket writes it.
    ///
    /// - Parameter chosen: the ids of the instances to write; nil for all.
    func value(of chosen: [String]?) -> Value {
        let numbers = { (column: HourColumn<UInt32>) in Value.array(samples.map { Value(Int(column[$0])) }) }
        let thousandth = { (number: Double) in Value.double((number * 1_000).rounded() / 1_000) }
        return [
            "moments": .array(samples.map { thousandth(moments[$0]) }),
            "seconds": .array(samples.map { thousandth(Double(seconds[$0])) }),
            "actions": numbers(actions), "waiting": numbers(waiting), "effects": numbers(effects),
            "memory": .array(
                samples.map { memory[$0] == Self.unknown ? .null : Value(Int(memory[$0]) * 1_024) }),
            "nanoseconds": .array(samples.map { HourInstance.rounded(nanoseconds[$0]) }),
            "instances": .array(
                (chosen ?? ids).compactMap { id in instances[id]?.value(of: id, samples) }),
            "marks": .array(marks.map(\.value)),
        ]
    }
}
