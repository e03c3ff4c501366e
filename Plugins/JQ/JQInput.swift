// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// An action as programs see it: its payload as their input, its type and its meta as variables.
struct JQInput {
    /// The members for all rules.
    private var members: Members

    /// Takes an action apart; one in which jq would round a number is refused.
    init(_ action: AnyAction) throws(JQFailure) {
        let payload = action.payload ?? .null
        let meta = action.meta ?? .null
        if let objection = JQValue.objection(to: payload, at: JSONPointer(tokens: ["payload"]))
            ?? JQValue.objection(to: meta, at: JSONPointer(tokens: ["meta"]))
        {
            throw objection
        }
        members = ["type": .string(action.type.name), "payload": payload, "meta": meta]
    }

    /// The input of the program of all rules, so that it goes on with one of them.
    func value(for rule: Int) -> Value {
        var members = members
        members["rule"] = .integer(Int64(rule))
        return .object(members)
    }
}
