// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

/// What came of a replay.
public struct ReplayOutcome: Sendable {
    /// Where the states of the two sides differ in the end.
    public struct StateDifference: Equatable, Sendable {
        /// The place.
        public let pointer: JSONPointer
        /// What is there by the record; nil for nothing.
        public let recorded: Value?
        /// What is there after the replay; nil for nothing.
        public let found: Value?
    }

    /// The first and the last action that were gone over; nil when there was none.
    public var range: ClosedRange<UInt64>?
    /// Actions that came in, or came from effects, and were dispatched again.
    public var dispatched = 0
    /// Actions that followed from them, as recorded.
    public var recorded = 0
    /// Actions that followed from them now.
    public var found = 0
    /// Effects whose work was not done.
    public var stubbedEffects = 0
    /// Where what follows differs, in order; of many only the first.
    public var differences: [ReplayDifference] = []
    /// How many there are of each kind.
    public var counts: [ReplayDifference.Kind: Int] = [:]
    /// Where the states differ in the end.
    public var state: [StateDifference] = []
    /// The action that came in after which the states differed for the first time; nil where they never did, or from the beginning.
    public var firstStateDifference: UInt64?
    /// What the host reported about data that does not fit, of much only the first.
    public var reports: [String] = []
    /// How many such reports there were.
    public var reportCount = 0
    /// What of the journal is missing; sentences.
    public var damage: [String] = []

    /// So many differences are kept.
    static let mostKept = 1_000

    /// An outcome of nothing.
    init() {}

    /// Whether all is as it was; reports say nothing of that, because the ones of then are not recorded.
    public var isSame: Bool { counts.isEmpty && state.isEmpty }

    /// Adds differences.
    mutating func add(_ found: [ReplayDifference]) {
        for difference in found { counts[difference.kind, default: 0] += 1 }
        differences += found.prefix(Self.mostKept - min(Self.mostKept, differences.count))
    }

    /// The outcome for programs.
    public var value: Value {
        var members: Members = [
            "same": .bool(isSame), "dispatched": Value(dispatched), "recorded": Value(recorded),
            "found": Value(found), "stubbedEffects": Value(stubbedEffects),
            "counts": .object(
                Members(
                    ReplayDifference.Kind.allCases.compactMap { kind in
                        counts[kind].map { (kind.rawValue, Value($0)) }
                    })),
            "differences": .array(differences.map(\.value)),
            "state": .array(
                state.map {
                    var members: Members = ["pointer": .string("\($0.pointer)")]
                    members["recorded"] = $0.recorded
                    members["found"] = $0.found
                    return .object(members)
                }),
            "reports": .array(reports.map { .string($0) }), "reportCount": Value(reportCount),
            "damage": .array(damage.map { .string($0) }),
        ]
        if let range {
            members["from"] = Value(Int(clamping: range.lowerBound))
            members["to"] = Value(Int(clamping: range.upperBound))
        }
        members["firstStateDifference"] = firstStateDifference.map { Value(Int(clamping: $0)) }
        return .object(members)
    }
}
