// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// An action that a client sent in wire form, validated.
struct ControlAction: Sendable {
    /// The action's type; never empty.
    let type: String
    /// The payload; nil when there is none.
    let payload: Value?
    /// Whether the action reports an error.
    let isError: Bool
    /// The metadata beside the payload; nil when there is none.
    let meta: Value?

    /// The members an action may have.
    private static let members = ["type", "payload", "error", "meta"]

    /// Reads the action at a place of the request.
    init(_ value: Value, at place: JSONPointer) throws(ControlError) {
        guard case .object(let object) = value else {
            throw .kind(at: place, expected: "an action, which is an object", found: value)
        }
        for member in object where !Self.members.contains(member.key) {
            throw .parameter(
                at: place.appending(member.key),
                expected: "only the members type, payload, error and meta", found: Quotation.of(member.key),
                advice: ControlError.advice(for: member.key, among: Self.members))
        }
        guard case .string(let type)? = object["type"], !type.isEmpty else {
            throw .parameter(
                at: place.appending("type"), expected: "a string that is not empty",
                found: object["type"].map { $0 == "" ? "an empty string" : $0.kindName } ?? "none")
        }
        self.type = type
        payload = object["payload"]
        guard case .bool(let mark) = object["error"] ?? false else {
            throw .kind(at: place.appending("error"), expected: "a boolean", found: object["error"])
        }
        isError = mark
        meta = object["meta"]
        guard meta == nil || meta?.objectValue != nil else {
            throw .kind(at: place.appending("meta"), expected: "an object", found: meta)
        }
    }

    /// Makes the action; nil when there is no room for a new type.
    ///
    /// The type is dropped when nothing uses it any more: names that clients invent must not fill the memory.
    func made(by intake: inout ActionIntake) -> AnyAction? {
        var name = type
        let payload = payload.map { Tape.make($0).root }
        let meta = meta.map { Tape.make($0).root }
        return name.withUTF8 {
            unsafe intake.action(
                named: UnsafeRawBufferPointer($0), error: isError, payload: payload, meta: meta)
        }
    }
}
