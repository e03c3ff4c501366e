// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

extension GateConfiguration {
    /// The types of the actions that move the gate; none for one that follows the state.
    var controls: [String] {
        let operators = [HostActions.openGate.name, HostActions.closeGate.name]
        return switch self {
        case .active, .bypass: operators
        case .action(let control, _, _, _, _): operators + [control]
        case .state: []
        }
    }

    /// How the gate stands before the first action; nil when that depends on a plugin's own state.
    ///
    /// - Parameters:
    ///   - state: the plain state at the start.
    ///   - slices: where instances may keep state of their own.
    public func start(state: Value, slices: [JSONPointer]) -> Default? {
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
    static func position(for value: Value?) -> Default? {
        switch value {
        case .bool(let isActive): isActive ? .active : .bypass
        case .string(let text): Default(rawValue: text)
        default: nil
        }
    }
}
