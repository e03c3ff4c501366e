// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Makes actions of arriving parts, for one reader of input.
///
/// Remembers the latest names, so that a common one skips the table shared by all threads, and refills the content of
/// its last action if nobody has kept it. Not thread-safe: one intake, one thread at a time.
///
/// Marked safe because the pointers in its slots are borrowed from names that the same slots hold.
@safe
public struct ActionIntake: ~Copyable {
    /// A remembered name.
    @safe
    private struct Slot {
        /// The type with this name.
        var type = ActionType(id: 0)
        /// The bytes of the name; nil before the first one.
        var bytes: UnsafeRawPointer?
        /// The size of the name in bytes.
        var count = 0
        /// The owner of `bytes`, which keeps them valid.
        var name: ActionName?

        /// Creates an empty slot.
        init() {}

        /// Creates a slot with a name.
        init(_ name: ActionName) {
            type = name.type
            unsafe bytes = name.bytes
            count = name.count
            self.name = name
        }
    }

    /// The number of remembered names; a power of two.
    private static var slotCount: Int { 256 }

    /// The longest remembered name, in bytes; a remembered name cannot be forgotten.
    private static var longestName: Int { 64 }

    /// The table's hash function.
    private let hash = ActionTypeTable.shared.hash
    /// The latest names, each in the only slot that its hash allows.
    private var slots = [Slot](repeating: Slot(), count: slotCount)
    /// The content of the last action that had one.
    private var content: ActionContent?
    /// Reserved serial numbers for contents.
    private var serials: Range<UInt64> = 0..<0

    /// Creates an intake that remembers nothing.
    public init() {}

    /// Copies parts from a parser's document, onto one tape when `meta` comes second.
    ///
    /// Returns nil for a new name while the table is full of names in use.
    public mutating func action(
        named bytes: UnsafeRawBufferPointer, error: Bool, payload: TapeSource?, meta: TapeSource?
    ) -> AnyAction? {
        guard let (type, name) = unsafe find(bytes) else { return nil }
        guard payload != nil || meta != nil || name != nil else {
            return AnyAction(type: type, isError: error, content: nil)
        }
        if serials.isEmpty { serials = ActionContent.takeSerials(1 << 16) }
        if !isKnownUniquelyReferenced(&content) { content = ActionContent() }
        content?.refill(payload, meta: meta, name: name, serial: serials.removeFirst())
        return AnyAction(type: type, isError: error, content: content)
    }

    /// Makes an action whose parts are on tapes already.
    ///
    /// Returns nil for a new name while the table is full of names in use.
    public mutating func action(
        named bytes: UnsafeRawBufferPointer, error: Bool, payload: TapeView?, meta: TapeView?
    ) -> AnyAction? {
        guard let (type, name) = unsafe find(bytes) else { return nil }
        return AnyAction(type, tape: payload, error: error, meta: meta, name: name)
    }

    /// Makes an action whose parts are read on demand, as those of a long line.
    ///
    /// Returns nil for a new name while the table is full of names in use.
    public mutating func action(
        named bytes: UnsafeRawBufferPointer, error: Bool, payload: CheckedText?, meta: CheckedText?
    ) -> AnyAction? {
        guard let (type, name) = unsafe find(bytes) else { return nil }
        let content = ActionContent(payload.map { .text($0) }, meta: meta.map { .text($0) }, name: name)
        return AnyAction(type: type, isError: error, content: content)
    }

    /// Returns the type with a name, and the name if the action must hold it; recent names are in their slots.
    @inline(__always)
    private mutating func find(_ bytes: UnsafeRawBufferPointer) -> (type: ActionType, name: ActionName?)? {
        let hash = unsafe hash(bytes)
        let slot = Int(hash % UInt64(Self.slotCount))
        if slots[slot].count == bytes.count, let start = bytes.baseAddress,
            let known = unsafe slots[slot].bytes, unsafe memcmp(start, known, bytes.count) == 0
        {
            let type = slots[slot].type
            return (type, type.isPassing ? slots[slot].name : nil)
        }
        return unsafe look(up: bytes, hash: hash, slot: slot)
    }

    /// Asks the table, and remembers its answer.
    private mutating func look(up bytes: UnsafeRawBufferPointer, hash: UInt64, slot: Int) -> (
        type: ActionType, name: ActionName?
    )? {
        guard let name = unsafe ActionTypeTable.shared.passing(bytes, hash: hash) else { return nil }
        if bytes.count <= Self.longestName { slots[slot] = Slot(name) }
        return (name.type, name.type.isPassing ? name : nil)
    }
}
