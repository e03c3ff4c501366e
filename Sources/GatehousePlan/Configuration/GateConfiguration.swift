// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
package import GatehouseValue

/// What decides whether an instance takes part.
package enum GateConfiguration: Equatable, Sendable {
    /// Takes part from the start.
    case active
    /// Is passed by from the start, until the operator opens the gate.
    case bypass
    /// Opens or closes when an action of the type `control` has `turnOn` or `turnOff` at `at` in its payload.
    ///
    /// `at` is empty for the whole payload. Until such an action comes, the gate stands as `default` says. Indirect, because most
    /// gates are another case, and each instance has room for the largest.
    indirect case action(control: String, at: JSONPointer, turnOn: Value, turnOff: Value, default: Default)
    /// Open while this place of the state holds `true` or `"active"`.
    case state(JSONPointer)

    /// How a gate stands before anything moves it.
    package enum Default: String, CaseIterable, Sendable {
        /// The gate begins open.
        case active
        /// The gate begins closed.
        case bypass
    }

    /// What becomes of running effects when a gate closes.
    package enum OnClose: String, CaseIterable, Sendable {
        /// They run on; what they emit while the gate is closed is dropped.
        case keep
        /// The effects that run are cancelled.
        case cancel
    }
}

extension GateConfiguration {
    /// The keys of a gate that is written as an object.
    package enum Key: String, CaseIterable {
        case control, turnOn, turnOff, `default`, state, onClose
    }

    /// The keys of `control`.
    enum ControlKey: String, CaseIterable {
        case type, at
    }

    /// Reads the value of `gate` in its short or long form; nil, with a report, if it is unusable.
    package static func read(_ node: LocatedNode) -> (gate: GateConfiguration, onClose: OnClose)? {
        switch node.value.content {
        case .string:
            guard let start: Default = node.choice() else { return nil }
            return (GateConfiguration(fixed: start), .cancel)
        case .object:
            guard let reader = ObjectReader<Key>(node) else { return nil }
            let onClose: OnClose = reader.value(.onClose, default: .cancel) { $0.choice() }
            let start: Default = reader.value(.default, default: .active) { $0.choice() }
            reportContradictions(reader)
            return readCondition(reader, start: start).map { ($0, onClose) }
        default:
            return node.fail(
                expected: "\"active\", \"bypass\" or an object",
                advice: "write \"active\" for a gate that is open")
        }
    }

    /// A gate that nothing but the operator moves.
    private init(fixed start: Default) {
        switch start {
        case .active: self = .active
        case .bypass: self = .bypass
        }
    }

    /// Reports keys that say nothing, or something else, beside the others.
    private static func reportContradictions(_ reader: ObjectReader<Key>) {
        if reader[.control] == nil {
            for key in [Key.turnOn, .turnOff] {
                reader[key]?.reportKey(
                    "\"\(key.rawValue)\" says nothing without \"control\"; add \"control\" or remove it")
            }
        }
        guard let state = reader[.state] else { return }
        if reader[.control] != nil {
            state.reportKey("\"control\" and \"state\" are both given; keep one of them")
        } else {
            reader[.default]?.reportKey("\"state\" and \"default\" are both given; keep one of them")
        }
    }

    /// Reads what moves the gate: an action, the state, or neither.
    private static func readCondition(_ reader: ObjectReader<Key>, start: Default) -> GateConfiguration? {
        let state = reader[.state].map(readState)
        if let control = reader[.control] { return readControl(control, in: reader, start: start) }
        return state ?? GateConfiguration(fixed: start)
    }

    /// Reads a pointer to a place that can hold a boolean.
    private static func readState(_ node: LocatedNode) -> GateConfiguration? {
        guard let pointer = node.jsonPointer() else { return nil }
        guard !pointer.tokens.isEmpty else {
            return node.fail(
                "expected a pointer to a boolean, found \"\", which is the whole state; point at a member such as \"/features/sync\""
            )
        }
        return .state(pointer)
    }

    /// Reads the action that moves the gate, and the two values that it must carry.
    private static func readControl(
        _ control: LocatedNode, in reader: ObjectReader<Key>, start: Default
    ) -> GateConfiguration? {
        let turnOn = reader[.turnOn]?.anything() ?? .bool(true)
        let turnOff = reader[.turnOff]?.anything() ?? .bool(false)
        if turnOn == turnOff {
            reader.node.report(
                "\"turnOn\" and \"turnOff\" are both \(turnOn.quoted), so the gate could only open; make them differ"
            )
        }
        guard let fields = ObjectReader<ControlKey>(control) else { return nil }
        let at = fields.value(.at, default: .whole) { $0.jsonPointer() }
        guard let type = fields.required(.type, { $0.actionType() }) else { return nil }
        return .action(control: type, at: at, turnOn: turnOn, turnOff: turnOff, default: start)
    }
}

extension GateConfiguration {
    /// The same gate in another position before the first action; one that follows the state as it is.
    package func starting(at position: Default) -> GateConfiguration {
        switch self {
        case .active, .bypass: GateConfiguration(fixed: position)
        case .action(let control, let at, let on, let off, _):
            .action(control: control, at: at, turnOn: on, turnOff: off, default: position)
        case .state: self
        }
    }

    /// The types of the actions by which operators move any gate; one list, which all instances share.
    private static let operators = [HostActions.openGate.name, HostActions.closeGate.name]

    /// The types of the actions that move the gate; none for one that follows the state.
    package var controls: [String] {
        switch self {
        case .active, .bypass: Self.operators
        case .action(let control, _, _, _, _): Self.operators + [control]
        case .state: []
        }
    }

    /// How the gate stands before the first action; nil when that depends on a plugin's own state.
    ///
    /// - Parameters:
    ///   - state: the plain state at the start.
    ///   - slices: where instances may keep state of their own.
    package func start(state: Value, slices: [JSONPointer]) -> Default? {
        switch self {
        case .active: return .active
        case .bypass: return .bypass
        case .action(_, _, _, _, let start): return start
        case .state(let pointer):
            if slices.contains(where: { $0.contains(pointer) || pointer.contains($0) }) { return nil }
            return Self.position(for: state[pointer]) ?? .bypass
        }
    }

    /// How a gate stands that follows this value; nil for a value that says nothing about gates.
    package static func position(for value: Value?) -> Default? {
        switch value {
        case .bool(let isActive): isActive ? .active : .bypass
        case .string(let text): Default(rawValue: text)
        default: nil
        }
    }
}

extension GateState {
    /// What configurations and clients call the position.
    package var word: String { self == .active ? "active" : "bypass" }
}
