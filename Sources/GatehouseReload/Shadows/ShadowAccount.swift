// SPDX-License-Identifier: Apache-2.0

private import GatehouseManifest
package import GatehouseSDK
internal import GatehouseSupport

/// What has come of comparing a shadow with its instance, from the first action that it heard.
package struct ShadowAccount: Equatable, Sendable, ChildMessage {
    /// One minute of the comparison.
    package struct Minute: Equatable, Sendable, Codable {
        /// When it began, in seconds since 1970.
        package let start: Double
        /// Actions that both heard in it.
        package var heard: UInt64 = 0
        /// Those of them at which something differed.
        package var differing: UInt64 = 0

        /// A minute in which nothing has happened.
        package init(start: Double) { self.start = start }
    }

    /// What differed at one action.
    package struct Difference: Equatable, Sendable, Codable {
        /// The number of the action in the journal.
        package let sequence: UInt64
        /// What differed, in one line.
        package let text: String
        /// The differing actions for programs; null for effects and state.
        package let value: Value

        /// Takes note of a difference.
        package init(after sequence: UInt64, _ text: String, _ value: Value = .null) {
            (self.sequence, self.text, self.value) = (sequence, text, value)
        }
    }

    /// The numbers of both sides.
    package struct Sides: Equatable, Sendable, Codable {
        /// That of the instance.
        package var instance: Double
        /// That of the shadow.
        package var shadow: Double

        /// Two numbers.
        package init(_ instance: Double, _ shadow: Double) {
            (self.instance, self.shadow) = (instance, shadow)
        }
    }

    /// When the comparison began, in seconds since 1970.
    package let since: Double
    /// The last action that both have seen; before the first the one after which they began.
    package var last: UInt64
    /// Actions that both heard, besides those that only others hear.
    package var heard: UInt64 = 0
    /// Those of them at which outputs or effects differed.
    package var differing: UInt64 = 0
    /// How many outputs differed, by kind of difference and type; of at most 256 kinds and types.
    package private(set) var outputs: [String: UInt64] = [:]
    /// How many effects began with actions at which the numbers differ, by their types; of at most 256.
    package private(set) var effects: [String: Sides] = [:]
    /// The first differences in outputs and effects, at most 20.
    package private(set) var first: [Difference] = []
    /// Where the states were first seen to differ; nil while they agree.
    package var state: Difference?
    /// Reports about bad data.
    package var errors = Sides(0, 0)
    /// Processor time, in seconds.
    package var seconds = Sides(0, 0)
    /// The last hour, the oldest minute first; minutes without actions are left out.
    package private(set) var minutes: [Minute] = []
    /// Sentences about what was not heard, at most 8.
    package private(set) var missed: [String] = []

    /// The most types of each kind that are counted.
    private static let mostTypes = 256
    /// The most differences and sentences that are kept.
    private static let (mostFirst, mostMissed) = (20, 8)
    /// The most differences that are shown to people.
    private static let mostShown = 5
    /// The most minutes that are kept.
    private static let mostMinutes = 60

    /// A comparison in which nothing was heard.
    ///
    /// - Parameters:
    ///   - sequence: the last action before it.
    ///   - time: when it begins, in seconds since 1970.
    package init(behind sequence: UInt64, at time: Double) { (last, since) = (sequence, time) }

    /// Counts an action.
    ///
    /// - Parameter time: when it was recorded, in seconds since 1970.
    package mutating func count(at time: Double, isDifferent: Bool) {
        heard += 1
        let start = (time / 60).rounded(.down) * 60
        if minutes.last.map({ $0.start < start }) ?? true { minutes.append(Minute(start: start)) }
        if minutes.count > Self.mostMinutes { minutes.removeFirst() }
        minutes[minutes.count - 1].heard += 1
        guard isDifferent else { return }
        differing += 1
        minutes[minutes.count - 1].differing += 1
    }

    /// Takes note of an output that differs.
    ///
    /// - Parameter kind: the kind of difference and the type.
    package mutating func note(output kind: String, _ difference: Difference) {
        if outputs[kind] != nil || outputs.count < Self.mostTypes { outputs[kind, default: 0] += 1 }
        if first.count < Self.mostFirst { first.append(difference) }
    }

    /// Takes note of other numbers of effects after an action of a type.
    package mutating func note(effectsOf type: String, _ numbers: Sides, after sequence: UInt64) {
        if effects[type] != nil || effects.count < Self.mostTypes {
            effects[type, default: Sides(0, 0)].instance += numbers.instance
            effects[type, default: Sides(0, 0)].shadow += numbers.shadow
        }
        guard first.count < Self.mostFirst else { return }
        first.append(
            Difference(
                after: sequence,
                "effects of \(Quotation.bare(type)) after \(sequence)  \(Int(numbers.instance)) → \(Int(numbers.shadow))"
            ))
    }

    /// Takes note of what was not heard.
    package mutating func note(missed sentence: String) {
        if missed.count < Self.mostMissed { missed.append(sentence) }
    }

    // MARK: - For people

    /// How much of what was heard agreed, in one clause.
    package var agreement: String {
        guard heard > 0 else { return "nothing heard yet" }
        guard differing > 0 else { return "\(Counted.text(Int(heard), "action")) heard, all answered alike" }
        let share = Double(differing) / Double(heard) * 100
        let words = share < 0.01 ? "less than 0.01" : "\((share * 100).rounded() / 100)"
        return
            "\(Counted.text(Int(heard), "action")) heard, \(differing) answered otherwise (\(words) %)"
    }

    /// The differences, line by line; empty where nothing differs.
    package var lines: [String] {
        var lines = missed
        if !outputs.isEmpty {
            lines.append("outputs that differ:")
            lines += outputs.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
        }
        if !effects.isEmpty {
            lines.append("other numbers of effects begin with:")
            lines += effects.sorted { $0.key < $1.key }.map {
                "  \(Quotation.bare($0.key))  \(Int($0.value.instance)) → \(Int($0.value.shadow))"
            }
        }
        if !first.isEmpty {
            lines.append("the first of them:")
            lines += first.prefix(Self.mostShown).map { "  \($0.text)" }
        }
        if let state { lines.append(state.text) }
        if errors.instance != errors.shadow {
            lines.append("reports about bad data: \(Int(errors.instance)) → \(Int(errors.shadow))")
        }
        return lines
    }
}
