// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehousePlan
package import GatehouseSDK
private import Synchronization

/// The store's state: plain values, and the slices that instances own, addressed by JSON Pointer.
///
/// A reference, because the slices are: a reader always sees the state as it is. Touched only in the drain.
package final class StateTree {
    /// Where a slice is, and whose.
    package struct Owned {
        /// The place of the slice.
        let pointer: JSONPointer
        /// The handle to the state as the plugin's own type.
        let slice: Slice
        /// The id of the instance that owns it.
        let instance: String
    }

    /// The part of the state that no instance owns.
    package private(set) var plain: Value
    /// Grows with each change of the plain part.
    package private(set) var plainVersion: UInt64 = 0
    /// What is known of plain values that were slices of instances that are gone.
    package private(set) var kept: [JSONPointer: KeptSlice] = [:]
    /// What the host tells of itself in its own slice; nil where nobody asks.
    package var host: (() -> Value)?
    /// The slices, in chain order; none holds another.
    package private(set) var slices: [Owned] = []

    /// A tree of plain values.
    package init(plain: Value) {
        self.plain = plain
    }

    /// Gives a slice its place.
    package func own(_ pointer: JSONPointer, _ slice: Slice, by instance: String) {
        slices.append(Owned(pointer: pointer, slice: slice, instance: instance))
    }

    /// What no instance owns.
    package var left: PlainState { PlainState(plain: plain, kept: kept) }

    /// Gives all slices other places at once; called between two actions.
    ///
    /// - Parameters:
    ///   - left: what no instance owns from here on.
    ///   - slices: in chain order; none holds another.
    package func settle(_ left: PlainState, slices: [Owned]) {
        (plain, kept) = (left.plain, left.kept)
        self.slices = slices
        plainVersion += 1
    }

    /// Keeps what a run before has left and nobody has taken.
    ///
    /// - Parameter left: what instances have left, by their ids.
    package func keep(_ left: [String: SavedState.Entry], and kept: [JSONPointer: KeptSlice]) {
        self.kept = kept
        for (id, entry) in left.sorted(by: { $0.key < $1.key }) {
            guard let state = entry.state, plain.set(state.value, at: entry.pointer) else { continue }
            self.kept[entry.pointer] = KeptSlice(
                plugin: entry.plugin, stateVersion: state.version, instance: id)
        }
    }

    /// Removes a plain value, because an instance has it at another place from here on.
    package func clear(_ pointer: JSONPointer) {
        plain.set(nil, at: pointer)
        plainVersion += 1
    }

    /// The slice that holds a place, nil for a plain one.
    package func owner(of pointer: JSONPointer) -> Owned? { slices.first { $0.pointer.contains(pointer) } }

    /// The value at a place, nil if there is none; slices are encoded only when the place lies in or above them.
    ///
    /// What the host tells of itself is there too, and not in a snapshot of the whole.
    package func value(at pointer: JSONPointer) throws(CodingFailure) -> Value? {
        if ReservedNames.slice.contains(pointer), let host {
            return host()[JSONPointer(tokens: Array(pointer.tokens.dropFirst()))]
        }
        if let owner = owner(of: pointer) {
            let rest = JSONPointer(tokens: Array(pointer.tokens.dropFirst(owner.pointer.tokens.count)))
            return try owner.slice.value()?[rest]
        }
        guard slices.contains(where: { pointer.contains($0.pointer) }) else { return plain[pointer] }
        return try snapshot()[pointer]
    }

    /// The whole state as one value.
    package func snapshot() throws(CodingFailure) -> Value {
        var whole = plain
        for owned in slices {
            guard let value = try owned.slice.value() else { continue }
            whole.set(value, at: owned.pointer)
        }
        return whole
    }

    /// Merges a patch (RFC 7396) into the plain part.
    ///
    /// - Returns: the slice the patch would have reached into, nil when it was merged; nothing is merged then.
    package func merge(_ patch: Value) -> Owned? {
        if let reached = slices.first(where: { patch[$0.pointer] != nil || reaches(patch, into: $0.pointer) })
        {
            return reached
        }
        plain.merge(patch)
        plainVersion += 1
        return nil
    }

    /// Whether a patch would replace an ancestor of a place by something that is no object.
    private func reaches(_ patch: Value, into pointer: JSONPointer) -> Bool {
        var value = patch
        for token in pointer.tokens {
            guard case .object = value else { return true }
            guard let next = value[token] else { return false }
            value = next
        }
        return true
    }
}

extension KeptSlice {
    /// The plugin and the version to which the slice of an instance belongs when it goes.
    package init(of instance: Instance) {
        self.init(
            plugin: instance.manifest.id, stateVersion: instance.exports.stateVersion, instance: instance.id)
    }
}

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
    var position: GateState { (slice?.version ?? tree.plainVersion) == version ? last : look() }

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

/// The state as instances may read it that were granted `state`.
///
/// `@unchecked Sendable`: `state` is touched in the host's drain only; `value` asks the drain first, and gives nil to
/// everybody else.
package final class StateWindow: @unchecked Sendable {
    /// The state; nil before the start and after the end.
    private var state: StateBox<StateTree>?
    /// The host's drain, nil likewise.
    private let drain = Mutex<Drain?>(nil)

    /// Nothing to see yet.
    init() {}

    /// Says what there is to see; called in the drain, before the first action.
    func open(on state: StateBox<StateTree>, in drain: Drain) {
        self.state = state
        self.drain.withLock { $0 = drain }
    }

    /// Shows nothing from here on, and lets go of the host; called in the drain.
    func close() {
        state = nil
        drain.withLock { $0 = nil }
    }

    /// The state at a place as it is now; nil outside the drain, in an instance's reducer, which holds a slice for
    /// itself, and when a plugin's state does not encode.
    func value(at pointer: JSONPointer) -> Value? {
        guard drain.withLock({ $0 })?.isCurrent == true, let state, !state.isReducing else { return nil }
        return (try? state.state.value(at: pointer)) ?? nil
    }
}
