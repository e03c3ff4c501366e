// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK

/// Reads a gate's position out of the state; reads again only when that part of the state has changed.
final class StateGate {
    /// The place of the state at which the position stands.
    let pointer: JSONPointer
    /// The state that the gate follows.
    private let tree: StateTree
    /// Told, once for each change of the state, why the position cannot be read.
    private let onFailure: (CodingFailure) -> Void
    /// The slice that holds the place; nil for a place in the plain state, and before the first look.
    private var slice: Slice?
    /// The position that was read last.
    private var last = GateState.bypass
    /// The version it was read from; nil before the first time.
    private var version: UInt64?

    /// A gate that is active while `true` or `"active"` stands at the pointer.
    init(
        _ pointer: JSONPointer, in tree: StateTree, onFailure: @escaping (CodingFailure) -> Void
    ) {
        self.pointer = pointer
        self.tree = tree
        self.onFailure = onFailure
    }

    /// Active or bypass; a place that holds anything else, or nothing, is bypass.
    ///
    /// While the place cannot be read, because a plugin's state does not encode, the gate stays where it was.
    @inline(__always)
    var position: GateState {
        (slice?.version ?? tree.plainVersion) == version ? last : look()
    }

    /// Looks for the slice that holds the place anew at the next look.
    func forget() { (slice, version) = (nil, nil) }

    /// Reads the position from the state.
    private func look() -> GateState {
        // The first look is taken at the start, when all slices have their places.
        if version == nil { slice = tree.owner(of: pointer)?.slice }
        version = slice?.version ?? tree.plainVersion
        do throws(CodingFailure) {
            let value = try tree.value(at: pointer)
            last = GateState(active: GateConfiguration.position(for: value) == .active)
        } catch {
            onFailure(error)
        }
        return last
    }
}
