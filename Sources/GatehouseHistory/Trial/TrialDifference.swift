// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// A difference between the consequences that an action has with a candidate, and those that it has, or had, without.
struct TrialDifference: Equatable, Sendable {
    /// The kinds of difference; the raw values are the words for programs.
    enum Kind: String, CaseIterable, Sendable {
        /// The action follows from the reference, and not from the candidate.
        case missing
        /// The action follows from the candidate, and not from the reference.
        case added
        /// The action follows with different content.
        case changed
        /// The same actions follow in another order.
        case reordered
    }

    /// The kind of difference.
    let kind: Kind
    /// The number of the recorded action from which it follows.
    let cause: UInt64
    /// The number of the recorded consequence; nil for an added one.
    let sequence: UInt64?
    /// The type.
    let type: String
    /// The emitting instance; nil where there is none.
    let instance: String?
    /// The wire form from the reference; nil for an added action.
    let recorded: Value?
    /// The wire form from the candidate; nil for a missing action.
    let found: Value?

    /// What emitted it.
    var place: TrialPlace { TrialPlace(type: type, instance: instance) }

    /// The difference for programs.
    var value: Value {
        var members: Members = [
            "kind": .string(kind.rawValue), "cause": Value(cause), "type": .string(type),
        ]
        members["sequence"] = sequence.map { Value($0) }
        members["instance"] = instance.map { .string($0) }
        members["recorded"] = recorded
        members["found"] = found
        return .object(members)
    }
}

/// An action type as one instance emits it: what differences are counted by.
struct TrialPlace: Hashable, Comparable, Sendable {
    /// The type.
    let type: String
    /// The emitting instance; nil where there is none.
    let instance: String?

    static func < (one: TrialPlace, other: TrialPlace) -> Bool {
        (one.type, one.instance ?? "") < (other.type, other.instance ?? "")
    }
}

extension TrialDifference {
    /// Compares the consequences of an action from the reference with those from the candidate.
    static func between(
        _ recorded: [FollowingAction], _ found: [FollowingAction], after cause: UInt64
    ) -> [TrialDifference] {
        TrialMismatch.between(
            recorded.indices, found.indices, typeBefore: { recorded[$0].type }, typeNow: { found[$0].type },
            areSame: { recorded[$0].action == found[$1].action }
        ).map { mismatch in
            TrialDifference(
                mismatch.kind, cause, mismatch.before.map { recorded[$0] }, mismatch.now.map { found[$0] })
        }
    }

    /// Creates a difference between two actions, of which one may be missing.
    init(_ kind: Kind, _ cause: UInt64, _ before: FollowingAction?, _ now: FollowingAction?) {
        self.init(
            kind: kind, cause: cause, sequence: before?.sequence, type: (before ?? now)?.type ?? "",
            instance: (now ?? before)?.instance, recorded: before?.action, found: now?.action)
    }
}
