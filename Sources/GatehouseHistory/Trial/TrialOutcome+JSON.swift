// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehouseSDK

/// The outcome of a trial, for programs.
extension TrialOutcome {
    /// The outcome, with the text for people.
    package var value: Value {
        var members: Members = [
            "same": .bool(isSame), "reference": isAgainstRecord ? "record" : "plan",
            "dispatched": Value(dispatched), "recorded": Value(recorded),
            "found": Value(found), "stubbedEffects": Value(stubbedEffects),
            "counts": Self.members(of: kinds),
            "places": .array(
                places.map { place in
                    var members: Members = [
                        "type": .string(place.type), "counts": Self.members(of: counts[place] ?? [:]),
                    ]
                    members["instance"] = place.instance.map(Value.string)
                    return .object(members)
                }),
            "differences": .array(differences.map(\.value)),
            "state": .array(
                zip(state, owners).map { difference, owner in
                    var members: Members = ["pointer": .string("\(difference.pointer)")]
                    members["instance"] = owner.map(Value.string)
                    members["recorded"] = difference.old
                    members["found"] = difference.new
                    return .object(members)
                }),
            "reports": .array(reports.sentences.map { .string($0) }), "reportCount": Value(reports.count),
            "damage": .array(damage.map { .string($0) }),
            "causes": .array(causes.map(\.value)),
            "findings": .array(findings.map(\.value)),
        ]
        if !isAgainstRecord {
            members["costs"] = costs.value
            members["effects"] = .array(
                effects.sorted { $0.key < $1.key }.map {
                    [
                        "type": .string($0.key), "before": Value($0.value.before), "now": Value($0.value.now),
                        "after": Value($0.value.first),
                    ]
                })
        }
        if let range {
            members["from"] = Value(range.lowerBound)
            members["to"] = Value(range.upperBound)
        }
        members["firstStateDifference"] = firstStateDifference.map { Value($0) }
        members["text"] = .string(lines.joined(separator: "\n"))
        return .object(members)
    }

    /// What emitted the actions that differ, in order.
    var places: [TrialPlace] { counts.keys.sorted() }

    /// The numbers of differences, by the words for the kinds.
    private static func members(of counts: [TrialDifference.Kind: Int]) -> Value {
        .object(
            Members(
                TrialDifference.Kind.allCases.compactMap { kind in
                    counts[kind].map { (kind.rawValue, Value($0)) }
                }))
    }
}
