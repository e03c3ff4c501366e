// SPDX-License-Identifier: Apache-2.0

private import Gatehouse
private import Synchronization

/// What an instance tells about itself besides log lines: its health, and numbers with names of its own.
///
/// Written by the plugin through its context, read by the host; callable from any thread. Its size is bounded: what does not
/// fit is refused, and told once.
public final class PluginStatus: Sendable {
    /// What the host is told at once.
    public enum Notice: Equatable, Sendable {
        /// The health has changed.
        case health(PluginHealth)
        /// An action, by its local name and with its payload, was not done; why, in one sentence for the operator.
        case failed(action: String, payload: Value?, reason: String)
        /// A number is not kept; `name` is cut where it is long.
        case refused(name: String, reason: String)
    }

    /// A number with a name.
    public enum Number: Equatable, Sendable {
        /// Only grows: how often something has happened.
        case count(Int)
        /// Goes up and down: how much there is now.
        case gauge(Double)
        /// How often something has been timed, and how long it took altogether.
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

    /// How many names an instance may use.
    public static let mostNames = 64
    /// How long a name may be, in characters.
    public static let longestName = 64
    /// How much of the reason of a failing health is kept, in characters.
    private static let longestReason = 500

    /// What is guarded by the lock.
    private struct Content {
        /// The health that the instance told last.
        var health = PluginHealth.ok
        /// Actions that were not done.
        var failures = 0
        /// What it counts and measures.
        var numbers: [String: Number] = [:]
        /// The names, cut where they are long, about which a refusal was told.
        var refused: Set<String> = []
    }

    /// Everything; the lock is not held while the host is told.
    private let content = Lock(Content())
    /// The host's function that takes what the plugin tells.
    private let tell: @Sendable (Notice) -> Void

    /// A healthy instance without numbers; `tell` must be callable from any thread.
    public init(_ tell: @escaping @Sendable (Notice) -> Void = { _ in }) { self.tell = tell }

    /// The health that the instance told last.
    public var health: PluginHealth { content.withLock { $0.health } }

    /// What it counts and measures, by name.
    public var numbers: [String: Number] { content.withLock { $0.numbers } }

    /// How many actions it says were not done.
    public var failures: Int { content.withLock { $0.failures } }

    /// Says that an action was not done.
    func fail(_ action: String, _ payload: Value?, _ reason: String) {
        content.withLock { $0.failures += 1 }
        tell(
            .failed(action: action, payload: payload, reason: String(reason.prefix(Self.longestReason))))
    }

    /// Says how the instance is.
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

    /// Why a number cannot follow one of another kind.
    private static func objection(to number: Number, after other: Number) -> String {
        "expected \(other.kind), as before, found \(number.kind); give it another name"
    }

    /// Changes a number, or tells why it cannot be; `change` gives the reason.
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

    /// Why a name cannot be a new one; nil when it can.
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
    /// Says how the instance is; callable from any thread.
    public struct Health: Sendable {
        /// The status in which the health is kept.
        let status: PluginStatus

        /// Says how it is from here on.
        public func callAsFunction(_ health: PluginHealth) { status.set(health) }
    }

    /// Counts what happens; callable from any thread.
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

    /// Says how much there is of something; callable from any thread.
    public struct Gauge: Sendable {
        /// Where it is said.
        let status: PluginStatus

        /// Sets a gauge.
        ///
        /// - Parameters:
        ///   - name: like that of a count, and of no count.
        ///   - value: a finite number.
        public func callAsFunction(_ name: String, _ value: Double) { status.measure(name, value) }
    }

    /// Says how long something took; callable from any thread.
    public struct Time: Sendable {
        /// Where it is said.
        let status: PluginStatus

        /// Adds one duration, 0 or more, to those of a name, which is like that of a count, and of neither count nor gauge.
        public func callAsFunction(_ name: String, _ duration: Duration) { status.time(name, duration) }

        /// Does something and adds how long it took, also where it throws.
        public func callAsFunction<Result, Failure: Error>(
            _ name: String, _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            let start = ContinuousClock.now
            defer { status.time(name, start.duration(to: .now)) }
            return try body()
        }

        /// Does something and adds how long it took, with the time in which it was suspended.
        public func callAsFunction<Result, Failure: Error>(
            _ name: String, isolation: isolated (any Actor)? = #isolation,
            _ body: () async throws(Failure) -> Result
        ) async throws(Failure) -> Result {
            let start = ContinuousClock.now
            defer { status.time(name, start.duration(to: .now)) }
            return try await body()
        }
    }

    /// Says that an action was not done; callable from any thread.
    public struct Failed: Sendable {
        /// Where it is said.
        let status: PluginStatus

        /// Says that an action was not done, and why in one sentence for the operator.
        ///
        /// The host reports it, counts it as a failure of the instance, keeps the action as a dead letter that an operator can
        /// dispatch again, and does not end the run with 0. An error that the plugin emits is none of this, so that an action
        /// that is answered by one counts once.
        public func callAsFunction(_ action: some PluginAction, _ reason: String) {
            let encoded = try? action.encoded()
            status.fail(encoded?.name ?? "an action", encoded?.payload, reason)
        }
    }
}
