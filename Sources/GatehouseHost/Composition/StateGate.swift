// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Reads a gate's position out of the state; reads again only when that part of the state has changed.
final class StateGate {
    /// Where the position stands.
    private let pointer: JSONPointer
    /// What was read, and the version it was read from.
    private var last: (version: UInt64, gate: GateState)?

    /// A gate that is active while `true` or `"active"` stands at the pointer.
    init(_ pointer: JSONPointer) {
        self.pointer = pointer
    }

    /// Active or bypass; a place that holds anything else, or nothing, is bypass.
    func callAsFunction(_ state: HostState) -> GateState {
        let version = state.tree.owner(of: pointer)?.slice.version ?? state.tree.plainVersion
        if let last, last.version == version { return last.gate }
        let gate = Self.gate(for: (try? state.tree.value(at: pointer)) ?? nil)
        last = (version, gate)
        return gate
    }

    /// The position that a value stands for; bypass for any other value.
    private static func gate(for value: Value?) -> GateState {
        GateState(active: GateConfiguration.position(for: value) == .active)
    }
}
