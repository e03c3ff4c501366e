// SPDX-License-Identifier: Apache-2.0

extension AnyAction: Codable {
    /// The members of a Flux Standard Action.
    private enum CodingKeys: String, CodingKey {
        case type, payload, error, meta
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            ActionType(try container.decode(String.self, forKey: .type)),
            payload: try container.decodeIfPresent(Value.self, forKey: .payload),
            error: try container.decodeIfPresent(Bool.self, forKey: .error) ?? false,
            meta: try container.decodeIfPresent(Value.self, forKey: .meta))
    }

    public func encode(to encoder: any Encoder) throws { try wireForm().encode(to: encoder) }

    /// Appends the action as a Flux Standard Action in JSON text, the same text as that of `wireForm`.
    ///
    /// Text that arrived is written from its tape, without a value in between.
    ///
    /// - Throws: `CodingFailure` when a typed payload cannot be encoded; nothing is appended then.
    public func writeWireForm(to bytes: inout [UInt8]) throws(CodingFailure) {
        let arrived = content?.readPayload
        let made = arrived == nil ? try content?.value.get() : nil
        JSONWriter.write(#"{"type":"#, to: &bytes)
        JSONWriter.writeString(type.name, to: &bytes)
        if arrived != nil || made != nil { JSONWriter.write(#","payload":"#, to: &bytes) }
        arrived?.writeJSON(to: &bytes)
        made?.writeJSON(to: &bytes)
        if isError { JSONWriter.write(#","error":true"#, to: &bytes) }
        if let content, content.hasMeta {
            JSONWriter.write(#","meta":"#, to: &bytes)
            if let meta = content.metaTape {
                meta.writeJSON(to: &bytes)
            } else {
                content.meta?.writeJSON(to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends the payload as JSON text, the same text as that of `payload`; appends nothing for none.
    ///
    /// - Throws: `CodingFailure` when a typed payload cannot be encoded; nothing is appended then.
    public func writePayload(to bytes: inout [UInt8]) throws(CodingFailure) {
        if let arrived = content?.readPayload { return arrived.writeJSON(to: &bytes) }
        try content?.value.get()?.writeJSON(to: &bytes)
    }

    /// Returns the payload as JSON text, the same as that of `payload`; nil for none, and if it cannot be encoded.
    public func payloadJSON() -> String? { content?.readPayload?.json() ?? payload?.json() }
}

/// A plugin whose action type is `AnyAction` receives everything its manifest consumes, and decodes nothing.
extension AnyAction: PluginAction {
    public init(type: ActionType, payload: TapeView?) throws {
        self.init(type, tape: payload, error: false, meta: nil)
    }

    public init(name: String, payload: TapeView?) throws {
        self.init(ActionType(name), tape: payload, error: false, meta: nil)
    }

    public func encodedType() throws -> ActionType { type }

    public func encodedName() throws -> String { type.name }

    public func encoded() throws -> (name: String, payload: Value?) { (type.name, payload) }
}
