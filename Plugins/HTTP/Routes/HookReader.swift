// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Turns a request of proven origin into an action, by the rules of its hook's form.
struct HookReader: Sendable {
    /// The hook.
    let hook: Hook
    /// Its name.
    let name: String

    /// The longest name of an event or a delivery.
    private static let longestName = 128
    /// The media type of forms.
    private static let form = "application/x-www-form-urlencoded"

    /// Reads a request.
    ///
    /// - Throws: the answer, where there is nothing for the host: to a question, or to a senseless request.
    func read(_ request: HTTPRequest, _ body: [UInt8]) throws(HTTPResponse) -> Delivery {
        if hook.form == .slack, request.mediaType == Self.form { return try readForm(body) }
        if let type = request.mediaType, type != "application/json", !type.hasSuffix("+json") {
            let expected = hook.form == .slack ? "application/json or \(Self.form)" : "application/json"
            throw .refusal(415, "expected \(expected), found \(type); let the sender send JSON")
        }
        switch hook.form {
        case .github, .generic:
            return try delivery(
                event: header(hook.eventHeader, request), id: header(hook.idHeader, request), body)
        case .gitlab:
            let event = request["x-gitlab-event"].map { Value.string(Self.gitLabEvent($0)) }
            // Older versions send no key, and each delivery is new.
            let id = request["idempotency-key"].map { Name("Idempotency-Key", .string($0)) }
            return try delivery(event: Name("X-Gitlab-Event", event), id: id, body)
        case .stripe:
            let value = try value(of: body)
            return try delivery(
                event: Name("/type of the body", value["type"]), id: Name("/id of the body", value["id"]),
                body)
        case .slack: return try readSlack(try value(of: body), body)
        }
    }

    // MARK: - Slack

    /// Reads an event, or Slack's verification of this address.
    private func readSlack(_ value: Value, _ body: [UInt8]) throws(HTTPResponse) -> Delivery {
        switch value["type"] {
        case "url_verification":
            guard case .string(let challenge)? = value["challenge"] else {
                throw .refusal(400, "expected a text as /challenge of the body, found none")
            }
            throw HTTPResponse(200, type: "text/plain; charset=utf-8", Array(challenge.utf8))
        case "event_callback":
            return try delivery(
                event: Name("/event/type of the body", value["event"]?["type"]),
                id: Name("/event_id of the body", value["event_id"]), body)
        default:
            return try delivery(event: Name("/type of the body", value["type"]), id: nil, body)
        }
    }

    /// Reads a command, or an interaction with a message, which is in the field `payload`.
    private func readForm(_ body: [UInt8]) throws(HTTPResponse) -> Delivery {
        guard let fields = FormBody(body)?.fields else {
            throw .refusal(
                422, "expected a form of names and values in UTF-8 with percent escapes, found another body")
        }
        // Slack checks the address's certificate from time to time.
        if fields["ssl_check"] == "1" { throw HTTPResponse(200, fields: [], []) }
        if case .string(let payload)? = fields["payload"] {
            let text = Array(payload.utf8)
            let value = try value(of: text, "the field payload")
            return try delivery(
                event: Name("/type of the field payload", value["type"]),
                id: value["trigger_id"].map { Name("/trigger_id of the field payload", $0) }, text)
        }
        guard fields["command"] != nil else {
            throw .refusal(422, "expected a form with the field payload or command, found neither")
        }
        return try delivery(
            event: Name("the event", "slash_command"),
            id: fields["trigger_id"].map { Name("the field trigger_id", $0) },
            Array(Value.object(fields).json().utf8))
    }

    // MARK: - Parts

    /// The name of an event or a delivery, with its place.
    private struct Name {
        /// The place, for messages.
        let place: String
        /// The value there; nil for none.
        let found: Value?

        /// Takes what is found at a place.
        init(_ place: String, _ found: Value?) { (self.place, self.found) = (place, found) }

        /// The text, if it can be part of a type, or name a delivery.
        var text: String? {
            guard case .string(let text)? = found, (1...longestName).contains(text.utf8.count),
                text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "_.:-".contains($0)) })
            else { return nil }
            return text
        }
    }

    /// Returns the value of a header field of the hook; nil where the hook has no such field.
    private func header(_ field: String, _ request: HTTPRequest) -> Name? {
        field.isEmpty ? nil : Name(field, request[field.lowercased()].map(Value.string))
    }

    /// Makes an action of an event; each given name must have a text.
    private func delivery(event: Name?, id: Name?, _ body: [UInt8]) throws(HTTPResponse) -> Delivery {
        for name in [event, id].compactMap(\.self) where name.text == nil {
            throw .refusal(
                400,
                "expected a name of letters, digits, _, ., : and - as \(name.place), found \(name.found?.json() ?? "none")"
            )
        }
        return Delivery(
            type: hook.actionType(event: event?.text, hook: name), hook: name, id: id?.text, body: body)
    }

    /// Parses a text, which `what` names.
    private func value(of text: [UInt8], _ what: String = "the body") throws(HTTPResponse) -> Value {
        do {
            return try JSONText.parse(text)
        } catch {
            throw .refusal(
                422,
                "line \(error.position.line), column \(error.position.column) of \(what): \(error.reason)")
        }
    }

    /// Converts a header to an event, such as `merge_request` for `Merge Request Hook`.
    private static func gitLabEvent(_ text: String) -> String {
        let words = text.hasSuffix(" Hook") ? String(text.dropLast(5)) : text
        return String(words.lowercased().map { $0 == " " ? "_" : $0 })
    }
}
