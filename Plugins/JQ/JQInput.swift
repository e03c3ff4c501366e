// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// An action for programs: its payload as their input, its type and its meta as variables.
struct JQInput {
    /// The members for all rules.
    private var members: Members

    /// Takes an action apart.
    init(_ action: AnyAction) {
        members = [
            "type": .string(action.type.name), "payload": action.payload ?? .null,
            "meta": action.meta ?? .null,
        ]
    }

    /// Returns the input that makes the program of all rules continue with one of them.
    func value(for rule: Int) -> Value {
        var members = members
        members["rule"] = .integer(Int64(rule))
        return .object(members)
    }
}
