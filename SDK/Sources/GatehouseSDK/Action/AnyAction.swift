// SPDX-License-Identifier: Apache-2.0

/// An action of any plugin: an interned type and a payload that is decoded only when somebody reads it.
///
/// Its wire form is a Flux Standard Action: `{"type":…,"payload":…,"error":…,"meta":…}`.
///
/// ```swift
/// let action = AnyAction(paid, payload: ["order": 7], meta: ["by": "till-2"])
/// #expect(action.renamed("till/paid").payload?["order"] == 7)
/// ```
public struct AnyAction: Sendable {
    /// The number of the type; the highest bit, which no type uses, marks an error.
    ///
    /// One word, so that an action travels in two registers.
    @usableFromInline let mark: UInt64
    /// Payload, meta and a name that may be forgotten; nil when there is none of them.
    @usableFromInline let content: ActionContent?

    /// Creates an action from its parts; the content must keep the name of a type that may be forgotten.
    @usableFromInline
    init(type: ActionType, isError: Bool, content: ActionContent?) {
        mark = isError ? type.id | AnyAction.errorMark : type.id
        self.content = content
    }

    /// Creates an action with another mark and the same content.
    @inlinable
    init(mark: UInt64, content: ActionContent?) {
        self.mark = mark
        self.content = content
    }

    /// The bit of `mark` for an action that reports an error.
    @inlinable static var errorMark: UInt64 { 1 << 63 }

    /// The type: inside a plugin the local name, in the host the global one.
    @inlinable public var type: ActionType { ActionType(id: mark & ~AnyAction.errorMark) }

    /// Whether the action reports an error.
    @inlinable public var isError: Bool { mark & AnyAction.errorMark != 0 }

    /// Creates an action from values.
    public init(_ type: ActionType, payload: Value? = nil, error: Bool = false, meta: Value? = nil) {
        let name = type.heldName
        let content =
            payload == nil && meta == nil && name == nil
            ? nil : ActionContent(payload.map { .value($0) }, meta: meta.map { .value($0) }, name: name)
        self.init(type: type, isError: error, content: content)
    }

    /// Creates an action without content under a UTF-8 name from outside, which is known as long as an action has it.
    ///
    /// Nil for a new name while the table of names is full: with 65,536 names or 16 MiB in use.
    public init?(arriving name: UnsafeRawBufferPointer) {
        let table = ActionTypeTable.shared
        guard let name = unsafe table.passing(name, hash: table.hash(name)) else { return nil }
        self.init(name.type, tape: nil, error: false, meta: nil, name: name.type.isPassing ? name : nil)
    }

    /// Creates an action whose payload and meta stay on the tape they arrived on.
    public init(_ type: ActionType, tape payload: TapeView?, error: Bool, meta: TapeView?) {
        self.init(type, tape: payload, error: error, meta: meta, name: type.heldName)
    }

    /// Creates an action whose parts stay on the tape they arrived on, with the name that keeps its type known.
    init(_ type: ActionType, tape payload: TapeView?, error: Bool, meta: TapeView?, name: ActionName?) {
        let content =
            payload == nil && meta == nil && name == nil
            ? nil : ActionContent(arrived: payload, meta: meta.map { .apart($0) }, name: name)
        self.init(type: type, isError: error, content: content)
    }

    /// Wraps an action as a plugin emitted it, under its local name.
    @usableFromInline
    init(type: ActionType, typed action: consuming any PluginAction, isError: Bool) {
        self.init(
            type: type, isError: isError,
            content: ActionContent(.typed(action, name: type), name: type.heldName))
    }

    /// Returns the same action under another name; shares the payload.
    @inlinable
    public func renamed(_ type: ActionType) -> AnyAction {
        if type.isPassing { return renamed(passing: type) }
        return AnyAction(mark: mark & AnyAction.errorMark | type.id, content: content)
    }

    /// Gives the action another name; for an action shown under several names, one after the other.
    @inlinable
    public mutating func rename(to type: ActionType) {
        if type != self.type { self = renamed(type) }
    }

    /// Returns the action under a forgettable name, which it keeps known.
    @usableFromInline
    func renamed(passing type: ActionType) -> AnyAction {
        guard type != self.type, let name = type.heldName else {
            return AnyAction(type: type, isError: isError, content: content)
        }
        guard let content else { return AnyAction(type, tape: nil, error: isError, meta: nil, name: name) }
        guard let held = content.name else {
            return AnyAction(type: type, isError: isError, content: ActionContent(content, name: name))
        }
        ActionTypeTable.shared.follow(name, held)
        return AnyAction(type: type, isError: isError, content: content)
    }

    /// A number that only copies of this action share; 0 for an action without payload and meta.
    ///
    /// Compare it to recognize a payload seen before without holding the action.
    @inlinable public var payloadSerial: UInt64 { content?.serial ?? 0 }

    /// The payload as a value, nil when there is none; made at the first read and kept.
    ///
    /// A typed payload that cannot be encoded gives nil; see `wireForm` for the reason.
    public var payload: Value? { try? content?.value.get() }

    /// Returns about how many bytes payload and meta would take as JSON; stops counting at a limit.
    ///
    /// A value within another counts as often as it would be written. A part that lies where it arrived counts
    /// everything that arrived there, since it keeps all of it in memory. A typed payload counts nothing before it is
    /// encoded.
    ///
    /// - Complexity: O(1) for what arrived, O(size) otherwise, and never more than O(limit).
    public func size(upTo limit: Int) -> Int { content?.size(upTo: limit) ?? 0 }

    /// Returns the part of the payload at a pointer; if the payload arrived, without decoding the rest.
    public func payload(at pointer: JSONPointer) -> Value? {
        if let view = content?.readPayload { return view[pointer]?.value }
        return payload?[pointer]
    }

    /// Whether there is any `meta`; does not make it.
    public var hasMeta: Bool { content?.hasMeta ?? false }

    /// Free information beside the payload; made from the arrived form at each call.
    public var meta: Value? { content?.meta }

    /// Returns the action as a Flux Standard Action.
    ///
    /// - Throws: `CodingFailure` when a typed payload cannot be encoded.
    public func wireForm() throws(CodingFailure) -> Value {
        var members = Members()
        members["type"] = .string(type.name)
        if let content { members["payload"] = try content.value.get() }
        if isError { members["error"] = true }
        if let content { members["meta"] = content.meta }
        return .object(members)
    }
}
