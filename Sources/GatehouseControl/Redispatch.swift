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
        let (became, reason): (Value, Value?) =
            switch self {
            case .unknown: ("unknown", "there is no dead letter with this number")
            case .actionless: ("kept", "its action was not stored with it")
            case .processed: ("processed", nil)
            case .appended: ("appended", nil)
            case .discarded: ("discarded", nil)
            case .dead(let letter): ("dead", .string(letter.reason))
            }
        var members: Members = ["id": Value(id), "became": became]
        if case .dead(let letter) = self { members["as"] = Value(letter.id) }
        members["reason"] = reason
        return .object(members)
    }
}
