// SPDX-License-Identifier: Apache-2.0

/// The type of an action, such as `orders/placed`, as a number that is quick to compare and to look up.
///
/// Names are interned once for the process. The table takes names that come from outside only up to a limit, so that
/// input with endless different types cannot fill the memory; types beyond it carry their name and compare by it.
@frozen
public struct ActionType: Sendable {
    /// The number of the name, 0 for a name that is not in the table.
    public let id: UInt32
    /// The name of a type that is not in the table.
    @usableFromInline let unlisted: UnlistedType?

    @usableFromInline
    init(id: UInt32, unlisted: UnlistedType? = nil) {
        self.id = id
        self.unlisted = unlisted
    }

    /// The type with this name, entered into the table whatever its size; for names in code and declarations.
    public init(_ name: String) {
        var name = name
        self = name.withUTF8 { unsafe ActionTypeTable.shared.type(named: UnsafeRawBufferPointer($0), declared: true) }
    }

    /// The type with this UTF-8 name, entered into the table while there is room; for names that arrive from outside.
    public init(arriving name: UnsafeRawBufferPointer) {
        self = unsafe ActionTypeTable.shared.type(named: name, declared: false)
    }

    /// The name; takes a lock.
    public var name: String {
        unlisted?.name ?? ActionTypeTable.shared.name(of: id)
    }
}

extension ActionType: Hashable {
    @inlinable
    public static func == (lhs: ActionType, rhs: ActionType) -> Bool {
        lhs.id == rhs.id && (lhs.id != 0 || lhs.unlisted?.name == rhs.unlisted?.name)
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        if let unlisted { hasher.combine(unlisted.name) }
    }
}

extension ActionType: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral name: String) { self.init(name) }

    public var description: String { name }
}

/// The name of a type that found no room in the table.
@usableFromInline
final class UnlistedType: Sendable {
    @usableFromInline let name: String

    init(_ name: String) {
        self.name = name
    }
}
