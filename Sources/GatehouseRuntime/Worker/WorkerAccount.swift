// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// What an instance counts, measures and says about itself where its code runs: in its worker.
struct WorkerAccount: Equatable, Sendable {
    /// The instance's health.
    var health = PluginHealth.ok
    /// Actions that it reported as not done.
    var failures = 0
    /// Payloads that its action type does not take, and outputs without a wire form.
    var misfits = 0
    /// Its own counts and measurements, by name, and the times of its rules under a prefix that no name of a plugin has.
    var numbers: [String: PluginStatus.Number] = [:]
    /// Time in its stages.
    var (handling, reducing, answering) = (StageTime(), StageTime(), StageTime())

    /// Stands before the name of a rule.
    private static let rulePrefix = "rule:"

    /// The plugin's own numbers, and the times of its rules.
    var split: (numbers: [String: PluginStatus.Number], rules: [String: PluginStatus.Number]) {
        var parts = (numbers: numbers, rules: [String: PluginStatus.Number]())
        for (name, number) in numbers where name.hasPrefix(Self.rulePrefix) {
            parts.numbers[name] = nil
            parts.rules[String(name.dropFirst(Self.rulePrefix.count))] = number
        }
        return parts
    }

    /// An account of nothing.
    init() {}

    /// Reads the account of an instance; called in the drain of the worker's store.
    init(_ instance: GatehouseRuntime.Instance) {
        health = instance.status.health
        failures = instance.failures
        misfits = instance.outlet.misfits
        numbers = instance.status.numbers
        for (rule, time) in instance.status.rules where numbers.count < PluginStatus.mostNames {
            numbers[Self.rulePrefix + rule.prefix(PluginStatus.longestName - Self.rulePrefix.utf8.count)] =
                time
        }
        handling = instance.account.handling
        reducing = instance.account.reducing
        answering = instance.account.answering
    }

    /// The account of a worker that goes on after others, which have left this one.
    func following(_ before: WorkerAccount) -> WorkerAccount {
        var sum = self
        sum.failures += before.failures
        sum.misfits += before.misfits
        for (name, number) in before.numbers {
            if case .gauge = number {
                // The latest amount is the one that holds.
                sum.numbers[name] = sum.numbers[name] ?? number
            } else {
                sum.numbers[name] = sum.numbers[name].map { number.adding($0) } ?? number
            }
        }
        sum.handling.add(before.handling)
        sum.reducing.add(before.reducing)
        sum.answering.add(before.answering)
        return sum
    }

    // MARK: - In messages

    /// Takes an account from a message.
    ///
    /// - Throws: what no honest worker counts.
    init(_ frame: inout Frame) throws(FrameFailure) {
        health = try frame.optionalText().map { .failing($0) } ?? .ok
        failures = try frame.count()
        misfits = try frame.count()
        handling = try frame.stageTime()
        reducing = try frame.stageTime()
        answering = try frame.stageTime()
        for _ in 0..<(try frame.number(UInt32.self)) {
            guard numbers.count < PluginStatus.mostNames else { throw .badNumber("a number of names") }
            let name = try frame.text()
            guard (1...PluginStatus.longestName).contains(name.utf8.count) else {
                throw .badNumber("a name")
            }
            numbers[name] = try frame.statusNumber()
        }
    }

    /// Writes the account to a message.
    func write(to frame: inout FrameWriter) {
        if case .failing(let reason) = health {
            frame.put(optional: reason)
        } else {
            frame.put(optional: nil)
        }
        frame.put(UInt64(clamping: failures))
        frame.put(UInt64(clamping: misfits))
        for time in [handling, reducing, answering] {
            frame.put(UInt64(clamping: time.samples))
            frame.put(UInt64(clamping: time.nanoseconds))
        }
        frame.put(UInt32(numbers.count))
        for (name, number) in numbers {
            frame.put(name)
            switch number {
            case .count(let count):
                frame.put(0 as UInt8)
                frame.put(UInt64(clamping: count))
            case .gauge(let amount):
                frame.put(1 as UInt8)
                frame.put(amount)
            case .time(let count, let total):
                frame.put(2 as UInt8)
                frame.put(UInt64(clamping: count))
                frame.put(total / .seconds(1))
            }
        }
    }
}

extension Frame {
    /// Takes a count that can be added to others without an overflow.
    fileprivate mutating func count() throws(FrameFailure) -> Int {
        let count = try number(UInt64.self)
        guard count <= 1 << 53 else { throw .badNumber("a count") }
        return Int(count)
    }

    /// Takes the time of a stage.
    fileprivate mutating func stageTime() throws(FrameFailure) -> StageTime {
        StageTime(samples: try count(), nanoseconds: try count())
    }

    /// Takes a number of an instance's own.
    fileprivate mutating func statusNumber() throws(FrameFailure) -> PluginStatus.Number {
        switch try number(UInt8.self) {
        case 0: return .count(try count())
        case 1:
            let amount = try fraction()
            guard amount.isFinite else { throw .badNumber("a gauge") }
            return .gauge(amount)
        case 2:
            let (count, seconds) = (try count(), try fraction())
            guard (0...1e12).contains(seconds) else { throw .badNumber("a time") }
            return .time(count: count, total: .seconds(seconds))
        default: throw .badNumber("a kind of number")
        }
    }
}
