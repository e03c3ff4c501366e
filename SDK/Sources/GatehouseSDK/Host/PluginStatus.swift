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
    }

    /// The most names of an instance.
    public static let mostNames = 64
    /// The longest name, in characters.
    public static let longestName = 64
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
        /// The names already refused, cut where they are long.
        var refused: Set<String> = []
    }

    /// Everything; the lock is not held during calls of the host.
    private let content = Lock(Content())
    /// The host's function that takes notices.
    private let tell: @Sendable (Notice) -> Void

    /// Creates a healthy instance without numbers; `tell` must be callable from any thread.
    public init(_ tell: @escaping @Sendable (Notice) -> Void = { _ in }) { self.tell = tell }

    /// The latest health.
    public var health: PluginHealth { content.withLock { $0.health } }

    /// Counts and measurements, by name.
    public var numbers: [String: Number] { content.withLock { $0.numbers } }

    /// The number of actions reported as not done.
    public var failures: Int { content.withLock { $0.failures } }

    /// Reports an action that was not done.
    func fail(_ action: String, _ payload: Value?, _ reason: String) {
        content.withLock { $0.failures += 1 }
        tell(
            .failed(action: action, payload: payload, reason: String(reason.prefix(Self.longestReason))))
    }

    /// Sets the health; notifies the host of a change.
    func set(_ health: PluginHealth) {
        let health: PluginHealth =
            switch health {
            case .ok: .ok
            case .failing(let reason): .failing(String(reason.prefix(Self.longestReason)))
            }
        let isChanged = content.withLock { content in
            defer { content.health = health }
            return content.health != health
        }
        if isChanged { tell(.health(health)) }
    }

    /// Adds to a count.
    func count(_ name: String, by amount: Int) {
        update(name) { number in
            guard amount >= 0 else { return "expected a count that grows, found \(amount); make it a gauge" }
            switch number {
            case nil: number = .count(amount)
            case .count(let before):
                let (sum, isTooLarge) = before.addingReportingOverflow(amount)
                number = .count(isTooLarge ? .max : sum)
            case let other?: return Self.objection(to: .count(amount), after: other)
            }
            return nil
        }
    }

    /// Sets the gauge of this name to a value.
    func measure(_ name: String, _ value: Double) {
        update(name) { number in
            guard value.isFinite else { return "expected a number that JSON can hold, found \(value)" }
            switch number {
            case nil, .gauge: number = .gauge(value)
            case let other?: return Self.objection(to: .gauge(value), after: other)
            }
            return nil
        }
    }

    /// Adds to a time.
    func time(_ name: String, _ duration: Duration) {
        update(name) { number in
            guard duration >= .zero else { return "expected a time of 0 or more, found \(duration)" }
            switch number {
            case nil: number = .time(count: 1, total: duration)
            case .time(let count, let total): number = .time(count: count + 1, total: total + duration)
            case let other?: return Self.objection(to: .time(count: 1, total: duration), after: other)
            }
            return nil
        }
    }

    /// Returns why a number cannot follow one of another kind.
    private static func objection(to number: Number, after other: Number) -> String {
        "expected \(other.kind), as before, found \(number.kind); give it another name"
    }

    /// Changes a number, or reports the reason that `change` returns.
    private func update(_ name: String, _ change: (inout Number?) -> String?) {
        let notice = content.withLock { content -> Notice? in
            let reason: String?
            if content.numbers[name] == nil, let objection = Self.objection(to: name, in: content.numbers) {
                reason = objection
            } else {
                reason = change(&content.numbers[name])
            }
            guard let reason else { return nil }
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
        let isGood =
            (1...longestName).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
        guard isGood else { return "expected a name of 1 to \(longestName) letters, digits and _; rename it" }
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
        public func callAsFunction(_ health: PluginHealth) { status.set(health) }
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
            status.count(name, by: amount)
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
        public func callAsFunction(_ name: String, _ value: Double) { status.measure(name, value) }
    }

    /// Records how long something took; callable from any thread.
    public struct Time: Sendable {
        /// The status with the time.
        let status: PluginStatus

        /// Adds one duration, 0 or more, under a name formed like that of a count, and used by no count or gauge.
        public func callAsFunction(_ name: String, _ duration: Duration) { status.time(name, duration) }

        /// Runs a function and adds its duration, even if it throws.
        public func callAsFunction<Result, Failure: Error>(
            _ name: String, _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            let start = ContinuousClock.now
            defer { status.time(name, start.duration(to: .now)) }
            return try body()
        }

        /// Runs a function and adds its duration, including suspensions.
        public func callAsFunction<Result, Failure: Error>(
            _ name: String, isolation: isolated (any Actor)? = #isolation,
            _ body: () async throws(Failure) -> Result
        ) async throws(Failure) -> Result {
            let start = ContinuousClock.now
            defer { status.time(name, start.duration(to: .now)) }
            return try await body()
        }
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
            status.fail(encoded?.name ?? "an action", encoded?.payload, reason)
        }
    }
}
