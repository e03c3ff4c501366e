// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One rule: the actions it answers, and the answers.
struct JQRule: Codable, Sendable {
    /// The types it answers to.
    let when: ActionTypePatterns
    /// Holds unless its first output is false or null, or it has none; nil for a rule that always holds.
    let condition: JQProgram?
    /// The type it emits; nil if a program gives it.
    let emit: EmittedType?
    /// Gives the type it emits.
    let type: JQProgram?
    /// Gives the payloads it emits, one for each output; nil for one action without payload.
    let payload: JQProgram?
    /// Whether the answers report an error.
    let isError: Bool

    /// The keys of the configuration.
    enum CodingKeys: String, CodingKey {
        case when
        case condition = "where"
        case emit, type, payload
        case isError = "error"
    }

    /// Reads a rule; only `when` and one of `emit` and `type` are required.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        when = try container.decode(ActionTypePatterns.self, forKey: .when)
        condition = try container.decodeIfPresent(JQProgram.self, forKey: .condition)
        emit = try container.decodeIfPresent(EmittedType.self, forKey: .emit)
        type = try container.decodeIfPresent(JQProgram.self, forKey: .type)
        guard (emit == nil) != (type == nil) else {
            throw CodingFailure(
                at: container.codingPath,
                expected: "a rule with one of \"emit\", a type, and \"type\", a program that gives it",
                found: emit == nil ? "neither" : "both")
        }
        payload = try container.decodeIfPresent(JQProgram.self, forKey: .payload)
        isError = try container.decodeIfPresent(Bool.self, forKey: .isError) ?? false
    }

    /// Its programs, each with its key.
    var programs: [(key: CodingKeys, program: JQProgram)] {
        [(.condition, condition), (.type, type), (.payload, payload)].compactMap { key, program in
            program.map { (key, $0) }
        }
    }

    /// Returns the function from the object that `JQRules` passes to an object for each action.
    func function(named name: String) -> String {
        var answer: [String] = []
        if let type { answer.append("type:\(type.part)") }
        if payload != nil { answer.append("payload:$payload") }
        var body = "{\(answer.joined(separator: ","))}"
        if let payload { body = "\(payload.part) as $payload|" + body }
        if let condition { body = "if first(\(condition.part),false) then \(body) else empty end" }
        return "def \(name):.type as $type|.meta as $meta|.payload|\(body);"
    }
}
