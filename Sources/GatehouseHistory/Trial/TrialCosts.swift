// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// What the steps of a trial cost on both sides.
struct TrialCosts: Equatable, Sendable {
    /// The costs of one side.
    struct Side: Equatable, Sendable {
        /// The processor time, in seconds; shown, and decides nothing.
        var seconds = 0.0
        /// The bytes of memory that were allocated and stayed so.
        var kept = 0
    }

    /// The instructions of steps of one type that were counted on both sides.
    struct Instructions: Equatable, Sendable {
        /// The number of counted steps.
        private(set) var steps = 0
        /// Their instructions with the reference.
        private(set) var before: UInt64 = 0
        /// Their instructions with the candidate; of very long steps a part.
        private(set) var now: UInt64 = 0

        /// Adds a step.
        mutating func add(before: UInt64, now: UInt64) {
            steps += 1
            self.before += before
            self.now += now
        }

        /// Whether the candidate takes twice as many, or more, which needs no further step.
        var areTwice: Bool { areMore && now >= 2 * before }

        /// Whether the candidate takes so many more that it is told.
        var areMore: Bool {
            Double(now) >= TrialCosts.slower * Double(before)
                && now >= before + UInt64(steps) * TrialCosts.slowerBy
        }
    }

    /// The costs of the reference.
    var before = Side()
    /// The costs of the candidate.
    var now = Side()
    /// The number of steps in which memory was measured.
    var steps = 0
    /// The instructions by the type of the dispatched action; empty where none could be counted.
    var instructions: [String: Instructions] = [:]

    /// How many times the instructions of the reference are told as slower.
    static let slower = 1.25
    /// How many more instructions of a step they must be at least.
    static let slowerBy: UInt64 = 500
    /// How many times the memory of the reference is told as a leak.
    static let larger = 1.5
    /// How many more bytes it must be at least, besides `largerByStep` for each step.
    static let largerBy = 1 << 16
    /// How many more bytes of each step.
    static let largerByStep = 16
    /// How many steps it takes to tell.
    static let fewest = 256

    /// The types whose actions take so many more instructions in two steps or more that it is told, in order.
    var slowTypes: [String] { instructions.filter { $0.value.steps > 1 && $0.value.areMore }.keys.sorted() }

    /// Whether the candidate keeps so much more memory that it is told.
    var isLeaking: Bool {
        steps >= Self.fewest && now.kept - before.kept >= Self.largerBy + Self.largerByStep * steps
            && Double(now.kept) >= Self.larger * Double(before.kept)
    }

    /// The costs for programs.
    var value: Value {
        var counted = Members()
        for (type, found) in instructions.sorted(by: { $0.key < $1.key }) {
            counted[type] = [
                "steps": Value(found.steps), "before": Value(found.before), "now": Value(found.now),
            ]
        }
        return [
            "instructions": .object(counted),
            "keptBytes": ["before": Value(before.kept), "now": Value(now.kept)],
            "processorSeconds": ["before": .double(before.seconds), "now": .double(now.seconds)],
        ]
    }
}
