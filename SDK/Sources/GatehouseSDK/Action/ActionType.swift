// SPDX-License-Identifier: Apache-2.0

/// The type of an action, such as `orders/placed`, as a number that is quick to compare and to look up.
///
/// Names are interned for the process. Names in code and declarations are permanent. Names from outside are kept until
/// no action has them, so that endless different types in the input cannot fill the memory. A number is never used
/// again: two equal types have always had the same name.
///
/// ```swift
/// let paid: ActionType = "shop/paid"
/// ```
@frozen
public struct ActionType: Hashable, Sendable {
    /// Place and turn: the low 32 bits are the place, the 31 above count the place's passing names.
    public let id: UInt64

    /// The `name` of a type whose own name has been forgotten.
    public static var forgotten: String { "(forgotten)" }

    /// Creates a type from a number of the table.
    @inlinable
    init(id: UInt64) {
        self.id = id
    }

    /// Compares the numbers; written out, so that a dispatch need not call it.
    @inlinable
    public static func == (lhs: ActionType, rhs: ActionType) -> Bool { lhs.id == rhs.id }

    /// Creates the type with the name in a place.
    init(place: Int, turn: UInt32) { id = UInt64(turn) << 32 | UInt64(place) }

    /// Interns a name for good; for names in code and declarations.
    public init(_ name: String) { self = ActionTypeTable.shared.literal(name).type }

    /// Interns a name derived from another type's, as a lift does; it stays known as long as the other one.
    public init(_ name: String, knownWith other: ActionType) {
        self = ActionTypeTable.shared.follower(name, of: other).type
    }

    /// A number from 1, unique among known types. Small: forgotten types' numbers are given again.
    @inlinable
    public var place: Int { Int(truncatingIfNeeded: id & 0xFFFF_FFFF) }

    /// Whether the name may be forgotten; false for most names in code, true for all that began as arriving ones.
    @inlinable
    public var isPassing: Bool { id >> 32 != 0 }

    /// The reference that an action holds to keep the name known; nil for permanent and forgotten names.
    var heldName: ActionName? { isPassing ? ActionTypeTable.shared.name(of: self) : nil }

    /// The name, or `forgotten`; takes a lock. The type of a living action always has its name.
    public var name: String { ActionTypeTable.shared.name(of: self)?.text ?? Self.forgotten }
}

extension ActionType: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral name: String) { self.init(name) }

    public var description: String { name }
}
