// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The last hour of one instance.
struct HourInstance: Sendable {
    /// Stands for a number in samples without the instance.
    private static let absent = UInt32.max

    /// Actions that it heard since the sample before.
    private var heard = HourColumn(absent: absent)
    /// Actions that it emitted since then.
    private var emitted = HourColumn(absent: absent)
    /// What failed since then.
    private var failed = HourColumn(absent: absent)
    /// The mean time of an action in it since then, in nanoseconds; not a number where none was timed.
    private var nanoseconds = HourColumn(absent: Float.nan)
    /// The time of the timed actions since then in each stage, in nanoseconds: what the mean is made of.
    private var handle = HourColumn(absent: Float.zero)
    private var reduce = HourColumn(absent: Float.zero)
    private var io = HourColumn(absent: Float.zero)
    /// The same in each rule of the instance, by name, from the first sample on in which it took any.
    private var rules: [String: HourColumn<Float>] = [:]
    /// The position of its gate as a raw value.
    private var gate = HourColumn(absent: UInt8.max)
    /// The last sample with the instance.
    private(set) var last = 0

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - before: the counters at the sample before; nil if it did not have the instance, whose counters began at 0 since.
    ///   - room: for how many more rules there is room, in all instances.
    mutating func take(
        _ now: HourSample.Instance, after before: HourSample.Instance?, as sample: Int, _ room: inout Int
    ) {
        heard[sample] = Self.step(before?.heard, now.heard)
        emitted[sample] = Self.step(before?.emitted, now.emitted)
        failed[sample] = Self.step(before?.failed, now.failed)
        let timed = Self.step(before?.timed, now.timed)
        nanoseconds[sample] =
            timed == 0 ? .nan : Float(Self.grown(before?.stages.all, now.stages.all)) / Float(timed)
        handle[sample] = Float(Self.grown(before?.stages.handle, now.stages.handle))
        reduce[sample] = Float(Self.grown(before?.stages.reduce, now.stages.reduce))
        io[sample] = Float(Self.grown(before?.stages.io, now.stages.io))
        takeRules(now.rules, after: before?.rules ?? [:], as: sample, &room)
        gate[sample] = now.gate.rawValue
        last = sample
    }

    /// Adds a sample without the instance.
    mutating func skip(_ sample: Int) {
        heard[sample] = Self.absent
        emitted[sample] = Self.absent
        failed[sample] = Self.absent
        nanoseconds[sample] = .nan
        (handle[sample], reduce[sample], io[sample]) = (0, 0, 0)
        for rule in rules.keys { rules[rule]?[sample] = 0 }
        gate[sample] = .max
    }

    /// The number of rules whose costs are kept.
    var ruleCount: Int { rules.count }

    /// Adds the times of its rules.
    private mutating func takeRules(
        _ now: [String: Int], after before: [String: Int], as sample: Int, _ room: inout Int
    ) {
        for rule in rules.keys where now[rule] == nil { rules[rule]?[sample] = 0 }
        for (rule, time) in now {
            let grown = Self.grown(before[rule], time)
            if rules[rule] == nil {
                guard grown > 0, room > 0 else { continue }
                room -= 1
                rules[rule] = HourColumn(absent: 0)
            }
            rules[rule]?[sample] = Float(grown)
        }
    }

    /// How much a counter has grown between two samples; one that has become smaller began again.
    static func grown(_ before: Int?, _ now: Int) -> Int {
        guard let before, before <= now else { return max(0, now) }
        return now - before
    }

    /// The same where it fits in a cell, or else the most that does.
    static func step(_ before: Int?, _ now: Int) -> UInt32 {
        min(UInt32(clamping: grown(before, now)), absent - 1)
    }

    /// The memory of the columns in bytes.
    var bytes: Int {
        heard.bytes + emitted.bytes + failed.bytes + nanoseconds.bytes + handle.bytes + reduce.bytes
            + io.bytes
            + gate.bytes + rules.values.reduce(0) { $0 + $1.bytes }
    }

    /// The time of the timed actions in its stages and in its rules, over some samples; nil for none at all.
    func cost(of samples: Range<Int>) -> (stages: HourSample.Stages, rules: [String: Int])? {
        let sum = { (column: HourColumn<Float>) in Int(samples.reduce(0.0) { $0 + Double(column[$1]) }) }
        let cost = HourSample.Stages(handle: sum(handle), reduce: sum(reduce), io: sum(io))
        return cost.all == 0 ? nil : (cost, rules.mapValues(sum).filter { $0.value > 0 })
    }

    /// The columns as the control socket writes them; null in samples without the instance.
    func value(of id: String, _ samples: Range<Int>) -> Value {
        let numbers = { (column: HourColumn<UInt32>) in
            Value.array(samples.map { column[$0] == Self.absent ? .null : Value(Int(column[$0])) })
        }
        return [
            "id": .string(id), "heard": numbers(heard), "emitted": numbers(emitted),
            "failed": numbers(failed),
            "nanoseconds": .array(samples.map { Self.rounded(nanoseconds[$0]) }),
            "gate": .array(
                samples.map { HourSample.Gate(rawValue: gate[$0]).map { .string($0.word) } ?? .null }),
        ]
    }

    /// A time in whole nanoseconds; null where there is none.
    static func rounded(_ time: Float) -> Value { time.isNaN ? .null : Value(Int(time.rounded())) }
}
