// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
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
            throw .parameter(at: place, expected: "an action, which is an object", found: value.kindName)
        }
        for member in object where !Self.members.contains(member.key) {
            throw .parameter(
                at: place.appending(member.key),
                expected: "only the members type, payload, error and meta", found: Quotation.of(member.key),
                advice: NearMiss.suggestion(for: member.key, among: Self.members)
                    .map { "did you mean \(Quotation.of($0))?" })
        }
        guard case .string(let type)? = object["type"], !type.isEmpty else {
            throw .parameter(
                at: place.appending("type"), expected: "a string that is not empty",
                found: object["type"].map { $0 == "" ? "an empty string" : $0.kindName } ?? "none")
        }
        self.type = type
        payload = object["payload"]
        switch object["error"] {
        case nil: isError = false
        case .bool(let mark)?: isError = mark
        case let other?:
            throw .parameter(at: place.appending("error"), expected: "a boolean", found: other.kindName)
        }
        meta = object["meta"]
        if let meta, meta.objectValue == nil {
            throw .parameter(at: place.appending("meta"), expected: "an object", found: meta.kindName)
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
