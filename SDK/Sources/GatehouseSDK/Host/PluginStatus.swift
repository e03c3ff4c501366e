// SPDX-License-Identifier: Apache-2.0

private import Gatehouse
private import Synchronization

/// The health of an instance, and numbers under names of its own.
///
/// Written by the plugin through its context, read by the host; callable from any thread. Its size is bounded: excess names
/// and wrong values are refused, and reported once per name.
///
/// ```swift
/// context.gauge("degrees", degrees)
/// ```
public final class PluginStatus: Sendable {
    /// An event that the host receives at once.
    public enum Notice: Equatable, Sendable {
        /// The health has changed.
        case health(PluginHealth)
        /// An action, by its local name and with its payload, was not done; the reason is one sentence for the operator.
        case failed(action: String, payload: Value?, reason: String)
        /// A number is not kept; a long `name` is cut.
        case refused(name: String, reason: String)
    }

    /// A number with a name.
    public enum Number: Equatable, Sendable {
        /// Only grows: the number of times something has happened.
        case count(Int)
        /// Goes up and down: the current amount.
        case gauge(Double)
        /// The number of measurements, and their total time.
        case time(count: Int, total: Duration)

        /// The kind with its article, for messages.
        fileprivate var kind: String {
            switch self {
            case .count: "a count"
            case .gauge: "a gauge"
            case .time: "a time"
            }
        }

        /// The number that this one makes of an earlier one of its kind: a gauge replaces it, the others add to it.
        fileprivate func added(to before: Number?) -> Number {
            switch (before, self) {
            case (.count(let before), .count(let amount)):
                let (sum, isTooLarge) = before.addingReportingOverflow(amount)
                return .count(isTooLarge ? .max : sum)
            case (.time(let count, let total), .time(let more, let duration)):
                return .time(count: count + more, total: total + duration)
            default: return self
            }
        }
    }

    /// The most names of an instance.
    public static let mostNames = 64
    /// The longest name, in characters.
    public static let longestName = 64
    /// The most rules of an instance whose time is kept apart.
    public static let mostRules = 32
    /// The longest reason of a failing health that is kept, in characters.
    private static let longestReason = 500

    /// The contents of the lock.
    private struct Content {
        /// The latest health.
        var health = PluginHealth.ok
        /// The number of actions that were not done.
        var failures = 0
        /// Counts and measurements.
        var numbers: [String: Number] = [:]
        /// The measured time of rules.
        var rules: [String: Number] = [:]
        /// The names already refused, cut where they are long.
        var refused: Set<String> = []
    }

    /// Everything; the lock is not held during calls of the host.
    private let content = Lock(Content())
    /// Whether the host times the action in hand.
    private let timing = Atomic(false)
    /// The host's function that takes notices.
    private let tell: @Sendable (Notice) -> Void

    /// Creates a healthy instance without numbers; `tell` must be callable from any thread.
    public init(_ tell: @escaping @Sendable (Notice) -> Void = { _ in }) { self.tell = tell }

    /// The latest health.
    public var health: PluginHealth { content.withLock { $0.health } }

    /// Counts and measurements, by name.
    public var numbers: [String: Number] { content.withLock { $0.numbers } }

    /// The measured times of the rules, by name; those of a rule too many are with `others`.
    public var rules: [String: Number] { content.withLock { $0.rules } }

    /// Whether the host times the action in hand, which it does for one in many; the host alone sets it.
    public var isTiming: Bool {
        get { timing.load(ordering: .relaxed) }
        set { timing.store(newValue, ordering: .relaxed) }
    }

    /// Adds the time of a rule.
    fileprivate func add(_ duration: Duration, to rule: String) {
        content.withLock { content in
            let name = String(rule.prefix(Self.longestName))
            let isKept = content.rules[name] != nil || content.rules.count < Self.mostRules - 1
            let key = isKept ? name : "others"
            content.rules[key] = Number.time(count: 1, total: duration).added(to: content.rules[key])
        }
    }

    /// The number of actions reported as not done.
    public var failures: Int { content.withLock { $0.failures } }

    /// Sets a number, or adds to the one before, unless there is an objection to it, which is reported.
    fileprivate func update(_ name: String, _ number: Number, unless objection: String?) {
        let notice = content.withLock { content -> Notice? in
            let reason: String
            let before = content.numbers[name]
            if before == nil, let objection = Self.objection(to: name, in: content.numbers) {
                reason = objection
            } else if let objection {
                reason = objection
            } else if let before, before.kind != number.kind {
                reason = "expected \(before.kind), as before, found \(number.kind); give it another name"
            } else {
                content.numbers[name] = number.added(to: before)
                return nil
            }
            let cut = String(name.prefix(Self.longestName))
            guard content.refused.count < Self.mostNames, content.refused.insert(cut).inserted else {
                return nil
            }
            return .refused(name: cut, reason: reason)
        }
        if let notice { tell(notice) }
    }

    /// Returns why a name cannot be a new one; nil when it can.
    private static func objection(to name: String, in numbers: [String: Number]) -> String? {
        let isGood = name.unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
        }
        guard isGood, (1...longestName).contains(name.utf8.count) else {
            return "expected a name of 1 to \(longestName) letters, digits and _; rename it"
        }
        guard numbers.count < mostNames else {
            return "expected at most \(mostNames) names, found one more; use fewer"
        }
        return nil
    }
}

// MARK: - What a plugin calls

extension PluginStatus {
    /// Sets the health of the instance; callable from any thread.
    public struct Health: Sendable {
        /// The status in which the health is kept.
        let status: PluginStatus

        /// Sets the health from here on.
        public func callAsFunction(_ health: PluginHealth) {
            var health = health
            if case .failing(let reason) = health { health = .failing(String(reason.prefix(longestReason))) }
            if status.content.withLock({ exchange(&$0.health, with: health) }) != health {
                status.tell(.health(health))
            }
        }
    }

    /// Counts events; callable from any thread.
    public struct Count: Sendable {
        /// The status in which it is counted.
        let status: PluginStatus

        /// Adds to a count.
        ///
        /// - Parameters:
        ///   - name: up to 64 letters, digits and `_`; an instance has at most 64 names, gauges included.
        ///   - amount: how often it has happened, 0 or more.
        public func callAsFunction(_ name: String, by amount: Int = 1) {
            status.update(
                name, .count(amount),
                unless: amount < 0 ? "expected a count that grows, found \(amount); make it a gauge" : nil)
        }
    }

    /// Sets the current amount of something; callable from any thread.
    public struct Gauge: Sendable {
        /// The status with the gauge.
        let status: PluginStatus

        /// Sets a gauge.
        ///
        /// - Parameters:
        ///   - name: formed like that of a count, and not used by one.
        ///   - value: a finite number.
        public func callAsFunction(_ name: String, _ value: Double) {
            status.update(
                name, .gauge(value),
                unless: value.isFinite ? nil : "expected a number that JSON can hold, found \(value)")
        }
    }

    /// Records how long something took; callable from any thread.
    public struct Time: Sendable {
        /// The status with the time.
        let status: PluginStatus

        /// Adds one duration, 0 or more, under a name formed like that of a count, and used by no count or gauge.
        public func callAsFunction(_ name: String, _ duration: Duration) {
            status.update(
                name, .time(count: 1, total: duration),
                unless: duration < .zero ? "expected a time of 0 or more, found \(duration)" : nil)
        }

        /// Runs a function and adds its duration, even if it throws.
        public func callAsFunction<Result, Failure: Error>(
            _ name: String, _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            let start = ContinuousClock.now
            defer { self(name, start.duration(to: .now)) }
            return try body()
        }

        /// Runs a function and adds its duration, including suspensions.
        public func callAsFunction<Result, Failure: Error>(
            _ name: String, isolation: isolated (any Actor)? = #isolation,
            _ body: () async throws(Failure) -> Result
        ) async throws(Failure) -> Result {
            let start = ContinuousClock.now
            defer { self(name, start.duration(to: .now)) }
            return try await body()
        }
    }

    /// Measures the rules of an instance; callable from any thread.
    public struct Rule: Sendable {
        /// The status with their times.
        @usableFromInline let status: PluginStatus

        /// Runs a function as one rule of several, and measures it where the host times the action in hand.
        ///
        /// - Parameter name: the rule's place in the settings, such as `/rules/0`, in up to 64 characters; not asked for otherwise.
        @inlinable
        @inline(__always)
        public func callAsFunction<Result, Failure: Error>(
            _ name: @autoclosure () -> String, _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            guard status.isTiming else { return try body() }
            let start = ContinuousClock.now
            defer { add(start.duration(to: .now), to: name()) }
            return try body()
        }

        /// Adds a duration to the time of a rule.
        @usableFromInline
        func add(_ duration: Duration, to rule: String) { status.add(duration, to: rule) }
    }

    /// Reports actions that were not done; callable from any thread.
    public struct Failed: Sendable {
        /// The status that counts them.
        let status: PluginStatus

        /// Reports that an action was not done, with the reason in one sentence for the operator.
        ///
        /// The host reports the action, counts it as a failure of the instance, and keeps it as a dead letter that an operator
        /// can dispatch again; the run does not end with 0. An error action that the plugin emits does none of this, so that
        /// an action answered by one counts once.
        public func callAsFunction(_ action: some PluginAction, _ reason: String) {
            let encoded = try? action.encoded()
            status.content.withLock { $0.failures += 1 }
            status.tell(
                .failed(
                    action: encoded?.name ?? "an action", payload: encoded?.payload,
                    reason: String(reason.prefix(longestReason))))
        }
    }
}
