// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseSDK

/// The outcome of dispatching a dead letter again, or of discarding it.
enum Redispatch: Sendable {
    /// No letter has the number.
    case unknown
    /// The letter is kept without its action.
    case actionless
    /// The action was processed with its immediate consequences, and the letter is gone.
    case processed
    /// The action was appended to the cluster for a partition to take, and the letter is gone.
    case appended
    /// The letter was discarded.
    case discarded
    /// The action is a dead letter again, which has replaced the earlier one.
    case dead(DeadLetter)

    /// Returns the outcome as the control socket writes it.
    func value(of id: Int64) -> Value {
        var members: Members = ["id": Value(Int(id))]
        switch self {
        case .unknown:
            members["became"] = "unknown"
            members["reason"] = "there is no dead letter with this number"
        case .actionless:
            members["became"] = "kept"
            members["reason"] = "its action was not stored with it"
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
