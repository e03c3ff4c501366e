// SPDX-License-Identifier: Apache-2.0

/// What led to an action, as the host that runs it counts: an input, or an action before it.
///
/// Plain data of one word of 32 bits, because it travels with each action: the kind, and the low 29 bits of a number. Whoever
/// knows how far the counting is gets the whole number back, as long as what led to the action is not half a billion ago.
public struct ActionCause: Sendable, Hashable {
    /// The kinds of causes.
    public enum Kind: UInt32, Sendable {
        /// Nobody has told.
        case unknown = 0
        /// The action came in as the input with the number.
        case input = 1
        /// An instance answered the action with the number, at once.
        case output = 2
        /// An effect emitted it later; the number is that of the action that started the effect, 0 where that is not known.
        case effect = 3
        /// An interceptor changed its own state by it, while the action with the number was in hand.
        case own = 4
    }

    /// The kind in the upper 3 bits, and the low 29 bits of the number.
    @usableFromInline let bits: UInt32

    /// The bits that the number has.
    @usableFromInline static var mask: UInt32 { 1 << 29 - 1 }

    /// A cause of some kind; 0 stands for a number that is not known.
    @inlinable
    public init(_ kind: Kind, _ number: UInt64) {
        bits = kind.rawValue << 29 | UInt32(truncatingIfNeeded: number) & Self.mask
    }

    /// A cause that nobody has told.
    @inlinable
    init() { bits = 0 }

    /// A cause that nobody has told.
    public static var unknown: ActionCause { ActionCause() }

    /// Whether the action came in as an input; the same as asking for the kind, and cheaper.
    @inlinable
    public var isInput: Bool { bits >> 29 == Kind.input.rawValue }

    /// Whether nobody has told; as cheap.
    @inlinable
    public var isUnknown: Bool { bits >> 29 == Kind.unknown.rawValue }

    /// What kind of cause it is.
    @inlinable
    public var kind: Kind { Kind(rawValue: bits >> 29) ?? .unknown }

    /// The whole number: the greatest with these low bits that is not above `latest`. Nil where it is not known.
    public func number(notAbove latest: UInt64) -> UInt64? {
        let low = UInt64(bits & Self.mask)
        guard low != 0, low <= latest else { return nil }
        let distance = (latest &- low) & UInt64(Self.mask)
        return latest - distance
    }
}
