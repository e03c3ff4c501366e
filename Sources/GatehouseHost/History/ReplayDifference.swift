// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

/// One action that follows from a recorded one in a replay and did not then, or the other way round.
public struct ReplayDifference: Equatable, Sendable {
    /// How the two differ; the raw values are the words for programs.
    public enum Kind: String, CaseIterable, Sendable {
        /// It followed then, and does not any more.
        case missing
        /// It follows now, and did not then.
        case added
        /// It follows with something else in it.
        case changed
        /// What follows is the same, in another order.
        case reordered
    }

    /// The way in which they differ.
    public let kind: Kind
    /// The number of the recorded action that came in, from which it follows.
    public let cause: UInt64
    /// The number of the recorded action that followed; nil for one that did not.
    public let sequence: UInt64?
    /// The type.
    public let type: String
    /// The instance that has emitted it; nil where none has.
    public let instance: String?
    /// The wire form as recorded; nil for what was not.
    public let recorded: Value?
    /// The wire form now; nil for what is not there.
    public let found: Value?

    /// The difference for programs.
    public var value: Value {
        var members: Members = [
            "kind": .string(kind.rawValue), "cause": Value(Int(clamping: cause)), "type": .string(type),
        ]
        members["sequence"] = sequence.map { Value(Int(clamping: $0)) }
        members["instance"] = instance.map { .string($0) }
        members["recorded"] = recorded
        members["found"] = found
        return .object(members)
    }
}

/// An action that follows from another one.
struct FollowingAction: Equatable {
    /// Its number, where it is recorded.
    var sequence: UInt64?
    /// Its type.
    let type: String
    /// The instance that has emitted it.
    let instance: String?
    /// Its wire form.
    let action: Value
}

extension ReplayDifference {
    /// Compares what followed from an action with what follows now.
    ///
    /// Of what is not the same in the same place, actions of one type belong together in their order. Linear but for a sort.
    static func between(
        _ recorded: [FollowingAction], _ found: [FollowingAction], after cause: UInt64
    ) -> [ReplayDifference] {
        let same = zip(recorded, found).prefix { $0.action == $1.action }.count
        var found = Array(found[same...])
        var recorded = Array(recorded[same...])
        while let one = recorded.last, let other = found.last, one.action == other.action {
            recorded.removeLast()
            found.removeLast()
        }
        guard !recorded.isEmpty || !found.isEmpty else { return [] }
        var waiting: [String: [FollowingAction]] = [:]
        for action in found.reversed() { waiting[action.type, default: []].append(action) }
        var differences: [(place: Int, difference: ReplayDifference)] = []
        for (place, before) in recorded.enumerated() {
            if let now = waiting[before.type]?.popLast() {
                if before.action != now.action {
                    differences.append((place, ReplayDifference(.changed, cause, before, now)))
                }
            } else {
                differences.append((place, ReplayDifference(.missing, cause, before, nil)))
            }
        }
        let added = waiting.values.flatMap { $0.reversed() }
        for action in added {
            let place = found.firstIndex(of: action) ?? found.count
            differences.append((place, ReplayDifference(.added, cause, nil, action)))
        }
        if differences.isEmpty, let first = recorded.first {
            return [ReplayDifference(.reordered, cause, first, found.first)]
        }
        return differences.sorted { $0.place < $1.place }.map(\.difference)
    }

    /// A difference of two actions, of which one may not be there.
    private init(_ kind: Kind, _ cause: UInt64, _ before: FollowingAction?, _ now: FollowingAction?) {
        self.init(
            kind: kind, cause: cause, sequence: before?.sequence, type: (before ?? now)?.type ?? "",
            instance: (now ?? before)?.instance, recorded: before?.action, found: now?.action)
    }
}
