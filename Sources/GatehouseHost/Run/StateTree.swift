// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The store's state: plain values, and the slices that instances own, addressed by JSON Pointer.
///
/// A reference, because the slices are: a reader always sees the state as it is. Touched only in the drain.
public final class StateTree {
    /// Where a slice is, and whose.
    struct Owned {
        /// The place of the slice.
        let pointer: JSONPointer
        /// The state itself.
        let slice: Slice
        /// The id of the instance that owns it.
        let instance: String
    }

    /// What no instance owns.
    private(set) var plain: Value
    /// Grows with each change of the plain part.
    private(set) var plainVersion: UInt64 = 0
    /// The slices, in chain order; none holds another.
    private(set) var slices: [Owned] = []

    /// A tree of plain values.
    init(plain: Value) {
        self.plain = plain
    }

    /// Gives a slice its place.
    func own(_ pointer: JSONPointer, _ slice: Slice, by instance: String) {
        slices.append(Owned(pointer: pointer, slice: slice, instance: instance))
    }

    /// Gives all slices other places at once; called between two actions.
    ///
    /// - Parameters:
    ///   - plain: what no instance owns from here on.
    ///   - slices: in chain order; none holds another.
    func settle(plain: Value, slices: [Owned]) {
        self.plain = plain
        self.slices = slices
        plainVersion += 1
    }

    /// The slice that holds a place, nil for a plain one.
    func owner(of pointer: JSONPointer) -> Owned? {
        slices.first { $0.pointer.contains(pointer) }
    }

    /// The value at a place, nil if there is none; slices are encoded only when the place lies in or above them.
    func value(at pointer: JSONPointer) throws(CodingFailure) -> Value? {
        if let owner = owner(of: pointer) {
            let rest = JSONPointer(tokens: Array(pointer.tokens.dropFirst(owner.pointer.tokens.count)))
            return try owner.slice.value()?[rest]
        }
        guard slices.contains(where: { pointer.contains($0.pointer) }) else { return plain[pointer] }
        return try snapshot()[pointer]
    }

    /// The whole state as one value.
    func snapshot() throws(CodingFailure) -> Value {
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
    func merge(_ patch: Value) -> Owned? {
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
