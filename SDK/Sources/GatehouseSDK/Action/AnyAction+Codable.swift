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

    public func encode(to encoder: any Encoder) throws {
        try wireForm().encode(to: encoder)
    }
}

/// A plugin whose action type is `AnyAction` hears everything its manifest consumes, and decodes nothing.
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
