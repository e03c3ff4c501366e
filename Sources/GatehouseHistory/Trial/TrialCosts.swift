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
        /// What was counted of a step; the raw values are the words for programs.
        enum Part: String, Sendable {
            /// The answers of instances to its action, and nothing that follows.
            case answers
            /// All of it.
            case whole
        }

        /// What was counted of each step.
        let part: Part
        /// The number of counted steps.
        private(set) var steps = 0
        /// Their instructions with the reference.
        private(set) var before: UInt64 = 0
        /// Their instructions with the candidate, of each step only as many as decide.
        private(set) var now: UInt64 = 0

        /// No steps yet.
        init(_ part: Part = .whole) { self.part = part }

        /// The most instructions of a step that are counted with the candidate, by those with the reference: of a short one twice as many, so
        /// that few of them make up for others, of a long one those that decide.
        static func most(over before: UInt64) -> UInt64 {
            if before < TrialCosts.short { return 2 * (before + TrialCosts.slowerBy) }
            return UInt64((TrialCosts.slower * Double(before)).rounded(.up))
        }

        /// Adds a step; what is done once would count too much otherwise.
        mutating func add(before: UInt64, now: UInt64) {
            steps += 1
            self.before += before
            self.now += min(now, Self.most(over: before))
        }

        /// The instructions of a step with the reference, on average.
        var average: UInt64 { before / UInt64(max(1, steps)) }

        /// Whether the candidate takes so many more in all that it is told.
        var areMore: Bool {
            Double(now) >= TrialCosts.slower * Double(before)
                && now >= before + UInt64(steps) * TrialCosts.slowerBy
        }

        /// Whether no further step is needed to tell it: one alone may be a chance, and so may more be that are very short.
        var isDecided: Bool { areMore && steps > 1 && before >= TrialCosts.short }
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
    /// Fewer instructions of the reference are short: of all steps together they do not decide.
    static let short: UInt64 = 4_000
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
                "part": .string(found.part.rawValue), "steps": Value(found.steps),
                "before": Value(found.before), "now": Value(found.now),
            ]
        }
        return [
            "instructions": .object(counted),
            "keptBytes": ["before": Value(before.kept), "now": Value(now.kept)],
            "processorSeconds": ["before": .double(before.seconds), "now": .double(now.seconds)],
        ]
    }
}
