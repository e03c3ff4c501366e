// SPDX-License-Identifier: Apache-2.0

/// The type of an action, such as `orders/placed`, as a number that is quick to compare and to look up.
///
/// Names are interned for the process: those in code and declarations for ever; those that arrive from outside until no
/// action has them, so that input with endless different types cannot fill the memory. A number is never used again: two equal
/// types have always had the same name.
@frozen
public struct ActionType: Hashable, Sendable {
    /// Place and turn: the low 32 bits are the place, the 31 above say how many passing names the place has had.
    public let id: UInt64

    /// What `name` says of a type whose name nobody needed any more.
    public static var forgotten: String { "(forgotten)" }

    /// The type with a number that the table gave.
    @inlinable
    init(id: UInt64) {
        self.id = id
    }

    /// The type with the name in a place.
    init(place: Int, turn: UInt32) {
        id = UInt64(turn) << 32 | UInt64(place)
    }

    /// The type with this name, for ever; for names in code and declarations.
    public init(_ name: String) {
        self = ActionTypeTable.shared.literal(name).type
    }

    /// The type with this UTF-8 name; for names that arrive from outside.
    ///
    /// Keep an action of it: the name may be forgotten when no action has it any more. Nil for a new name while as many
    /// as there is room for are in use, which are 65,536 names or 16 MiB.
    public init?(arriving name: UnsafeRawBufferPointer) {
        let table = ActionTypeTable.shared
        guard let name = unsafe table.passing(name, hash: table.hash(name)) else { return nil }
        self = name.type
    }

    /// The type with a name that was made of another type's, as a lift does; known as long as the other one's.
    public init(_ name: String, knownWith other: ActionType) {
        self = ActionTypeTable.shared.follower(name, of: other).type
    }

    /// A number from 1 that no other known type has. Small: numbers of forgotten types are given again.
    @inlinable
    public var place: Int { Int(truncatingIfNeeded: id & 0xFFFF_FFFF) }

    /// Whether the name may be forgotten; false for most names in code, true for all that began as arriving ones.
    @inlinable
    var isPassing: Bool { id >> 32 != 0 }

    /// What an action holds to keep the name known; nil where nothing can be forgotten, or is forgotten already.
    var heldName: ActionName? { isPassing ? ActionTypeTable.shared.name(of: self) : nil }

    /// The name, or `forgotten`; takes a lock. The type of an action that is there always has its name.
    public var name: String { ActionTypeTable.shared.name(of: self)?.text ?? Self.forgotten }
}

extension ActionType: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral name: String) { self.init(name) }

    public var description: String { name }
}
