// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Makes actions of what arrives, for one reader of input.
///
/// Remembers the names it has seen last, so that a usual one costs no look into the table of all threads, and fills the
/// content of its last action again when nobody has kept it. Not thread-safe: one intake, one thread at a time.
///
/// Marked safe because the pointers in its slots are borrowed from names that the same slots hold.
@safe
public struct ActionIntake: ~Copyable {
    /// A name that was seen.
    @safe
    private struct Slot {
        /// The hash of the name.
        var hash: UInt64 = 0
        /// The type with the name.
        var type = ActionType(id: 0)
        /// The bytes of the name; nil before the first one.
        var bytes: UnsafeRawPointer?
        /// The size of the name in bytes.
        var count = 0
        /// The name that owns the bytes, so that they stay.
        var name: ActionName?

        /// A place that no name has taken yet.
        init() {}

        /// A place that remembers the name.
        init(_ name: ActionName) {
            hash = name.hash
            type = name.type
            unsafe bytes = name.bytes
            count = name.count
            self.name = name
        }
    }

    /// How many names are remembered; a power of two.
    private static var slotCount: Int { 256 }

    /// The longest name that is remembered, in bytes: what is remembered cannot be forgotten.
    private static var longestName: Int { 64 }

    /// The hash of the table.
    private let hash = ActionTypeTable.shared.hash
    /// The names seen last, each in the only slot that its hash allows.
    private var slots = [Slot](repeating: Slot(), count: slotCount)
    /// The content of the last action that had one.
    private var content: ActionContent?
    /// Serial numbers for contents.
    private var serials: Range<UInt64> = 0..<0

    /// An intake that has seen nothing.
    public init() {}

    /// An action whose parts are copied from a parser's document, both onto one tape where `meta` comes second.
    ///
    /// Nil for a new name while as many as there is room for are in use.
    public mutating func action(
        named bytes: UnsafeRawBufferPointer, error: Bool, payload: TapeSource?, meta: TapeSource?
    ) -> AnyAction? {
        guard let (type, name) = unsafe find(bytes) else { return nil }
        guard payload != nil || meta != nil || name != nil else {
            return AnyAction(type: type, isError: error, content: nil)
        }
        if serials.isEmpty { serials = ActionContent.takeSerials(1 << 16) }
        if !isKnownUniquelyReferenced(&content) { content = ActionContent(nil) }
        content?.refill(payload, meta: meta, name: name, serial: serials.removeFirst())
        return AnyAction(type: type, isError: error, content: content)
    }

    /// An action whose parts are on tapes already.
    ///
    /// Nil for a new name while as many as there is room for are in use.
    public mutating func action(
        named bytes: UnsafeRawBufferPointer, error: Bool, payload: TapeView?, meta: TapeView?
    ) -> AnyAction? {
        guard let (type, name) = unsafe find(bytes) else { return nil }
        return AnyAction(type, tape: payload, error: error, meta: meta, name: name)
    }

    /// An action whose parts are read when somebody asks for them, as those of a long line.
    ///
    /// Nil for a new name while as many as there is room for are in use.
    public mutating func action(
        named bytes: UnsafeRawBufferPointer, error: Bool, payload: CheckedText?, meta: CheckedText?
    ) -> AnyAction? {
        guard let (type, name) = unsafe find(bytes) else { return nil }
        return AnyAction(
            type: type, isError: error, content: ActionContent(text: payload, meta: meta, name: name))
    }

    /// The type with a name, and the name where the action must hold it; a name seen lately is found in its slot.
    @inline(__always)
    private mutating func find(_ bytes: UnsafeRawBufferPointer) -> (type: ActionType, name: ActionName?)? {
        let hash = unsafe hash(bytes)
        let slot = Int(hash % UInt64(Self.slotCount))
        if slots[slot].hash == hash, slots[slot].count == bytes.count, let start = bytes.baseAddress,
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
