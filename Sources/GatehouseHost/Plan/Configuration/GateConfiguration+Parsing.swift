// SPDX-License-Identifier: Apache-2.0

import GatehouseValue

extension GateConfiguration {
    /// The keys of a gate that is written as an object.
    enum Key: String, CaseIterable {
        case control, turnOn, turnOff, `default`, state, onClose
    }

    /// The keys of `control`.
    enum ControlKey: String, CaseIterable {
        case type, at
    }

    /// Reads the value of `gate` in its short or long form; nil, with a report, if it is unusable.
    static func read(_ node: ConfigurationNode) -> (gate: GateConfiguration, onClose: OnClose)? {
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
            return node.fail(expected: .gate)
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
                reader.member(key)?.report(.dependentKey(key.rawValue, needs: Key.control.rawValue))
            }
        }
        guard let state = reader.member(.state) else { return }
        if reader[.control] != nil {
            state.report(.exclusiveKeys(Key.control.rawValue, Key.state.rawValue))
        } else {
            reader.member(.default)?.report(.exclusiveKeys(Key.state.rawValue, Key.default.rawValue))
        }
    }

    /// Reads what moves the gate: an action, the state, or neither.
    private static func readCondition(_ reader: ObjectReader<Key>, start: Default) -> GateConfiguration? {
        let state = reader[.state].map(readState)
        if let control = reader[.control] {
            return readControl(control, in: reader, start: start)
        }
        return state ?? GateConfiguration(fixed: start)
    }

    /// Reads a pointer to a place that can hold a boolean.
    private static func readState(_ node: ConfigurationNode) -> GateConfiguration? {
        guard let pointer = node.jsonPointer() else { return nil }
        guard !pointer.tokens.isEmpty else { return node.fail(.gateOnWholeState) }
        return .state(pointer)
    }

    /// Reads the action that moves the gate, and the two values that it must carry.
    private static func readControl(
        _ control: ConfigurationNode, in reader: ObjectReader<Key>, start: Default
    ) -> GateConfiguration? {
        let turnOn = reader[.turnOn]?.anything() ?? .bool(true)
        let turnOff = reader[.turnOff]?.anything() ?? .bool(false)
        if turnOn == turnOff { reader.node.report(.gateOnlyOpens(turnOn)) }
        guard let fields = ObjectReader<ControlKey>(control) else { return nil }
        let at = fields.value(.at, default: .whole) { $0.jsonPointer() }
        guard let type = fields.required(.type, { $0.actionType() }) else { return nil }
        return .action(control: type, at: at, turnOn: turnOn, turnOff: turnOff, default: start)
    }
}
