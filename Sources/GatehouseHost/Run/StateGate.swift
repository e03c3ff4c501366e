// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Reads a gate's position out of the state; reads again only when that part of the state has changed.
final class StateGate {
    /// Where the position stands.
    let pointer: JSONPointer
    /// The state.
    private let tree: StateTree
    /// The slice that holds the place; nil for a place in the plain state, and before the first look.
    private var slice: Slice?
    /// What was read last.
    private var last = GateState.bypass
    /// The version it was read from; nil before the first time.
    private var version: UInt64?

    /// A gate that is active while `true` or `"active"` stands at the pointer.
    init(_ pointer: JSONPointer, in tree: StateTree) {
        self.pointer = pointer
        self.tree = tree
    }

    /// Active or bypass; a place that holds anything else, or nothing, is bypass.
    @inline(__always)
    var position: GateState {
        (slice?.version ?? tree.plainVersion) == version ? last : look()
    }

    /// Reads the position.
    private func look() -> GateState {
        // The first look is taken at the start, when all slices have their places.
        if version == nil { slice = tree.owner(of: pointer)?.slice }
        let version = slice?.version ?? tree.plainVersion
        let value = (try? tree.value(at: pointer)) ?? nil
        last = GateState(active: GateConfiguration.position(for: value) == .active)
        self.version = version
        return last
    }
}
