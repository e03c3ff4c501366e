// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// The outcome of a replay.
package struct ReplayOutcome: Sendable {
    /// The first and the last action of the replay; nil when there was none.
    var range: ClosedRange<UInt64>?
    /// Actions dispatched again: those that came in, or came from effects.
    var dispatched = 0
    /// Their recorded consequences.
    var recorded = 0
    /// Their consequences now.
    var found = 0
    /// Effects that were not run.
    var stubbedEffects = 0
    /// The differences in consequences, in order; only the first of many.
    var differences: [ReplayDifference] = []
    /// The number of differences of each kind.
    var counts: [ReplayDifference.Kind: Int] = [:]
    /// The differences between the final states: what was recorded, and what the replay led to.
    var state: [ValueDifference] = []
    /// The incoming action after which the states first differed; nil where they never did, or did from the beginning.
    var firstStateDifference: UInt64?
    /// The host's reports about bad data, only the first of many.
    var reports: [String] = []
    /// The number of such reports.
    var reportCount = 0
    /// Sentences about missing parts of the journal.
    package var damage: [String] = []

    /// The most differences kept.
    static let mostKept = 1_000

    /// Whether nothing differs; reports do not count, because past ones are not recorded.
    package var isSame: Bool { counts.isEmpty && state.isEmpty }

    /// Adds differences.
    mutating func add(_ found: [ReplayDifference]) {
        for difference in found { counts[difference.kind, default: 0] += 1 }
        differences += found.prefix(Self.mostKept - min(Self.mostKept, differences.count))
    }

    /// The outcome for programs.
    package var value: Value {
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
                    members["recorded"] = $0.old
                    members["found"] = $0.new
                    return .object(members)
                }),
            "reports": .array(reports.map { .string($0) }), "reportCount": Value(reportCount),
            "damage": .array(damage.map { .string($0) }),
        ]
        if let range {
            members["from"] = Value(range.lowerBound)
            members["to"] = Value(range.upperBound)
        }
        members["firstStateDifference"] = firstStateDifference.map { Value($0) }
        return .object(members)
    }
}
