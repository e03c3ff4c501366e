// SPDX-License-Identifier: Apache-2.0

/// The type of an action, such as `orders/placed`, as a number that is quick to compare and to look up.
///
/// Names are interned once for the process. Names that arrive from outside are taken only up to a limit, so that input
/// with endless different types cannot fill the memory.
@frozen
public struct ActionType: Hashable, Sendable {
    /// The number of the name, from 1.
    public let id: UInt32

    /// How many different names may arrive from outside in the life of the process: 262,144.
    public static var arrivingLimit: Int { 1 << 18 }

    /// The type with a number that the table gave.
    @usableFromInline
    init(id: UInt32) {
        self.id = id
    }

    /// The type with this name; for names in code and declarations.
    public init(_ name: String) {
        var name = name
        let id = name.withUTF8 {
            unsafe ActionTypeTable.shared.id(of: UnsafeRawBufferPointer($0), limit: nil)
        }
        self.init(id: id ?? 0)
    }

    /// The type with this UTF-8 name; for names that arrive from outside.
    ///
    /// Nil for a name never seen before when `arrivingLimit` different ones have arrived.
    public init?(arriving name: UnsafeRawBufferPointer) {
        guard let id = unsafe ActionTypeTable.shared.id(of: name, limit: Self.arrivingLimit) else {
            return nil
        }
        self.init(id: id)
    }

    /// The name; takes a lock.
    public var name: String { ActionTypeTable.shared.name(of: id) }
}

extension ActionType: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral name: String) { self.init(name) }

    public var description: String { name }
}
