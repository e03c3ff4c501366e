// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// The expectation of one action.
struct ActionExpectation: Sendable, CustomStringConvertible {
    /// The expectation of a payload.
    enum Payload: Sendable {
        /// Any payload, or none.
        case any
        /// This whole payload; nil where there must be none.
        case whole(Value?)
        /// These values at these places.
        case parts([(pointer: JSONPointer, value: Value)])
    }

    /// The type, or a pattern that covers it.
    let type: TypePattern
    /// The expected payload.
    let payload: Payload
    /// Whether the action reports an error; nil where that does not matter.
    let isError: Bool?
    /// The meta object; nil where it does not matter.
    let meta: Value?

    /// The keys of an expected action.
    enum Key: String, CaseIterable {
        case type, payload, `where`, error, meta
    }

    /// Reads a type, which matches any action of it, or an action with its payload.
    static func read(_ node: LocatedNode) -> ActionExpectation? {
        if case .string = node.value.content {
            return node.pattern().map {
                ActionExpectation(type: $0, payload: .any, isError: nil, meta: nil)
            }
        }
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let type = reader.required(.type) { $0.pattern() }
        var payload = Payload.whole(reader[.payload]?.anything())
        if let parts = reader[.where] {
            if reader[.payload] != nil {
                parts.reportKey("\"payload\" and \"where\" are both given; keep one of them")
            }
            payload = .parts(parts.membersOnce()?.members.compactMap { $0.pointedValue() } ?? [])
        }
        let isError = reader.value(.error, default: false) { $0.bool() }
        let meta = reader[.meta]?.plainObject()
        return type.map {
            ActionExpectation(type: $0, payload: payload, isError: isError, meta: meta)
        }
    }

    /// Whether an action meets the expectation.
    func admits(_ action: EmittedAction) -> Bool {
        guard type.covers(action.type), isError.map({ $0 == action.isError }) ?? true,
            meta.map({ $0 == action.meta }) ?? true
        else { return false }
        switch payload {
        case .any: return true
        case .whole(let value): return value == action.payload
        case .parts(let parts):
            return parts.allSatisfy { (action.payload?[$0.pointer] ?? .null) == $0.value }
        }
    }

    /// The action as a difference shows it.
    var description: String {
        var text = "\(type)"
        switch payload {
        case .any: text += " …"
        case .whole(let value): if let value { text += " " + value.json() }
        case .parts(let parts):
            text += " … " + parts.map { "\($0.pointer) \($0.value.json())" }.joined(separator: ", ")
        }
        if isError == true { text += " error" }
        if let meta { text += " meta " + meta.json() }
        return text
    }
}

/// An action that an instance emitted, as it passed the host.
struct EmittedAction: Sendable, CustomStringConvertible {
    /// The global type of the action.
    let type: String
    /// Its payload, if it has one.
    let payload: Value?
    /// Whether the action reports an error.
    let isError: Bool
    /// The member `meta` of the action, if it has one.
    let meta: Value?
    /// The emitter, in the words of the action's source.
    let emitter: String

    /// The action as a difference shows it.
    var description: String {
        var text = type
        if let payload { text += " " + payload.json() }
        if isError { text += " error" }
        if let meta { text += " meta " + meta.json() }
        return text + " from " + Quotation.bare(emitter)
    }
}
