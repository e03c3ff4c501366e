// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What became of a dead letter that was to be dispatched again, or thrown away.
enum Redispatch: Sendable {
    /// There is no letter with the number.
    case unknown
    /// It is kept without its action.
    case actionless
    /// The action was processed, with all that it led to at once, and the letter is gone.
    case processed
    /// The action was put into the cluster, where a partition takes it, and the letter is gone.
    case appended
    /// It was thrown away.
    case discarded
    /// The action is a dead letter again, which has taken the place of the one before.
    case dead(DeadLetter)

    /// The same as the control socket tells it.
    func value(of id: Int64) -> Value {
        var members: Members = ["id": Value(Int(id))]
        switch self {
        case .unknown:
            members["became"] = "unknown"
            members["reason"] = "there is no dead letter with this number"
        case .actionless:
            members["became"] = "kept"
            members["reason"] = "its action was not kept with it"
        case .processed:
            members["became"] = "processed"
        case .appended:
            members["became"] = "appended"
        case .discarded:
            members["became"] = "discarded"
        case .dead(let letter):
            members["became"] = "dead"
            members["as"] = Value(Int(letter.id))
            members["reason"] = .string(letter.reason)
        }
        return .object(members)
    }
}
