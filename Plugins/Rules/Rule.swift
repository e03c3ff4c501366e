// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One rule: the actions it answers, and the answer.
struct Rule: Codable, Sendable {
    /// The types it answers to.
    let when: ActionTypePatterns
    /// The conditions on the payload; all must hold.
    let conditions: Conditions
    /// The type it emits.
    let emit: ActionType
    /// The payload it emits, nil for none.
    let payload: Template?
    /// Whether the answer reports an error.
    let isError: Bool

    /// The keys of the configuration.
    private enum CodingKeys: String, CodingKey {
        case when
        case conditions = "where"
        case emit, payload
        case isError = "error"
    }

    /// Reads a rule; only `when` and `emit` are required.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        when = try container.decode(ActionTypePatterns.self, forKey: .when)
        conditions = try container.decodeIfPresent(Conditions.self, forKey: .conditions) ?? Conditions()
        let name = try container.decode(String.self, forKey: .emit)
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "*")), !name.utf8.contains(UInt8(ascii: "$"))
        else {
            throw CodingFailure(
                at: container.codingPath + [CodingKeys.emit],
                expected:
                    "one action type without * and $, because nothing is put into it: write a rule for each type",
                found: Value.string(name).json())
        }
        emit = ActionType(name)
        // An explicit null is a payload, so check for the key.
        payload = container.contains(.payload) ? try container.decode(Template.self, forKey: .payload) : nil
        isError = try container.decodeIfPresent(Bool.self, forKey: .isError) ?? false
    }

    /// Writes a rule with everything but an absent payload.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(when, forKey: .when)
        try container.encode(conditions, forKey: .conditions)
        try container.encode(emit.name, forKey: .emit)
        try container.encodeIfPresent(payload, forKey: .payload)
        try container.encode(isError, forKey: .isError)
    }

    /// Returns whether the rule answers an action; reads the payload only when the type matches.
    func matches(_ action: AnyAction) -> Bool { when.contains(action.type) && conditions.hold(for: action) }

    /// Returns the answer to an action that matches.
    func answer(to action: AnyAction) -> AnyAction {
        AnyAction(emit, payload: payload?.filled(from: action), error: isError)
    }
}
