// SPDX-License-Identifier: Apache-2.0

/// The actions of one plugin: a plain Codable enum.
///
/// A case is an action type: its name is the local type name, its associated values are the payload.
///
/// ```swift
/// enum Action: PluginAction {
///     case placed(id: Int, total: Double)  // {"type":"…placed","payload":{"id":1,"total":9.5}}
///     case renamed(String)  // {"type":"…renamed","payload":"the value itself"}
///     case cancelled  // {"type":"…cancelled"}
/// }
/// ```
///
/// A plugin that takes every action uses `AnyAction` instead.
///
/// An action that reports a failure is an error, which only the plugin knows:
///
/// ```swift
/// enum Action: PluginAction {
///     case send(text: String), sent, failed(reason: String)
///
///     var isError: Bool { if case .failed = self { true } else { false } }
/// }
/// ```
///
/// ## Implementing this protocol
/// Nothing is required. For an enum that it understands, the plugin's build tool writes `init(type:payload:)`,
/// `encodedType()`, `encodedName()` and `encoded()`, which bypass the containers of `Codable`; everything else goes
/// through `Codable`, with the same values and errors. `gatehouse inspect` shows which of the two a library does.
public protocol PluginAction: Codable, Sendable {
    /// Whether the action reports an error: the member `error` of its wire form; false unless implemented.
    ///
    /// Listeners for errors receive the action. This does not affect the instance: report an action that the instance
    /// itself has not done with ``PluginContext/failed``.
    var isError: Bool { get }

    /// Decodes the action with this local type; `payload` is nil when the action has none.
    ///
    /// - Throws: any error; it is reported with the action, and the plugin does not see the action.
    init(type: ActionType, payload: TapeView?) throws

    /// Decodes the action with this local name; `payload` is nil when the action has none.
    ///
    /// - Throws: any error; it is reported with the action, and the plugin does not see the action.
    init(name: String, payload: TapeView?) throws

    /// Returns the local type, without encoding the payload.
    func encodedType() throws -> ActionType

    /// Returns the local name, without encoding the payload.
    func encodedName() throws -> String

    /// Returns the local name and the payload, nil for a case without associated values.
    func encoded() throws -> (name: String, payload: Value?)
}

extension PluginAction {
    @inlinable public var isError: Bool { false }

    public init(type: ActionType, payload: TapeView?) throws {
        try self.init(name: type.name, payload: payload)
    }

    public init(name: String, payload: TapeView?) throws {
        if let payload {
            self = try payload.decode(Self.self, asCase: name)
        } else {
            self = try Tape.decode(Self.self, asCase: name)
        }
    }

    public func encodedType() throws -> ActionType { ActionType(try encodedName()) }

    public func encodedName() throws -> String { try KeyRecorder.caseName(of: self) }

    public func encoded() throws -> (name: String, payload: Value?) { try Value.encodeCase(self) }
}
