// SPDX-License-Identifier: Apache-2.0

/// The cause of an action, as counted by the host that runs it: an input or an earlier action.
///
/// A plain value of 32 bits, because it travels with each action: the kind, and the low 29 bits of a number. Given the
/// current count, `number(notAbove:)` restores the whole number, provided that the cause is less than half a billion ago.
public struct ActionCause: Sendable, Hashable {
    /// The kinds of causes.
    public enum Kind: UInt32, Sendable {
        /// The cause was not recorded.
        case unknown = 0
        /// The action arrived as the input with this number.
        case input = 1
        /// An instance answered the action with this number synchronously.
        case output = 2
        /// An effect emitted it later; the number is that of the action that started the effect, 0 if unknown.
        case effect = 3
        /// An interceptor used it to change its own state while the action with this number was being processed.
        case own = 4
        /// An interceptor emitted it while it had the input with this number in hand, perhaps in the place of that.
        case interception = 5
    }

    /// The kind in the upper 3 bits, and the low 29 bits of the number.
    @usableFromInline let bits: UInt32

    /// Selects the bits of the number.
    @usableFromInline static var mask: UInt32 { 1 << 29 - 1 }

    /// Creates a cause of the given kind; 0 is an unknown number.
    @inlinable
    public init(_ kind: Kind, _ number: UInt64) {
        bits = kind.rawValue << 29 | UInt32(truncatingIfNeeded: number) & Self.mask
    }

    /// Creates an unknown cause.
    @inlinable
    init() { bits = 0 }

    /// A cause that was not recorded.
    public static var unknown: ActionCause { ActionCause() }

    /// Whether the action arrived as an input; cheaper than comparing `kind`.
    @inlinable
    public var isInput: Bool { bits >> 29 == Kind.input.rawValue }

    /// Whether the cause was not recorded; as cheap as `isInput`.
    @inlinable
    public var isUnknown: Bool { bits >> 29 == Kind.unknown.rawValue }

    /// The kind of cause.
    @inlinable
    public var kind: Kind { Kind(rawValue: bits >> 29) ?? .unknown }

    /// Returns the whole number, nil if unknown: the greatest one with these low bits that is not above `latest`.
    public func number(notAbove latest: UInt64) -> UInt64? {
        let low = UInt64(bits & Self.mask)
        guard low != 0, low <= latest else { return nil }
        let distance = (latest &- low) & UInt64(Self.mask)
        return latest - distance
    }
}
