// SPDX-License-Identifier: Apache-2.0

/// The name of an action type, or a prefix of names followed by `*`.
///
/// Names and patterns are compared byte by byte, not as canonically equivalent text.
public struct TypePattern: Sendable {
    /// The text before the `*`, or the whole name.
    public let stem: String
    /// Whether a `*` follows the stem.
    public let isOpen: Bool

    /// Reads a pattern; nil if it is empty or has a `*` anywhere but at its end.
    public init?(_ text: String) {
        let isOpen = text.utf8.last == UInt8(ascii: "*")
        let stem = isOpen ? String(text.dropLast()) : text
        guard !text.isEmpty, !stem.utf8.contains(UInt8(ascii: "*")) else { return nil }
        self.init(stem: stem, isOpen: isOpen)
    }

    /// Creates a pattern from its parts; the stem has no `*`, and is not empty unless the pattern is open.
    public init(stem: String, isOpen: Bool) {
        self.stem = stem
        self.isOpen = isOpen
    }

    /// The pattern `*`, which every name matches.
    public static let everything = TypePattern(stem: "", isOpen: true)

    /// Returns whether the pattern covers a name. Linear in the stem's length.
    public func covers(_ name: String) -> Bool {
        isOpen ? name.utf8.starts(with: stem.utf8) : name.utf8.elementsEqual(stem.utf8)
    }

    /// Returns the names that both patterns cover, or nil: of two that overlap, one covers the other.
    public func intersection(_ other: TypePattern) -> TypePattern? {
        if covers(other.stem), isOpen || !other.isOpen { return other }
        if other.covers(stem), other.isOpen || !isOpen { return self }
        return nil
    }

    /// Replaces the first bytes of the pattern by another beginning.
    public func replacing(first count: Int, by beginning: String) -> TypePattern {
        TypePattern(
            stem: beginning + String(decoding: stem.utf8.dropFirst(count), as: UTF8.self), isOpen: isOpen)
    }
}

extension TypePattern: CustomStringConvertible {
    /// The pattern as written.
    public var description: String { isOpen ? stem + "*" : stem }
}

extension TypePattern: Hashable {
    /// Returns whether both are written with the same bytes.
    public static func == (left: TypePattern, right: TypePattern) -> Bool {
        left.isOpen == right.isOpen && left.stem.utf8.elementsEqual(right.stem.utf8)
    }

    /// Uses the text's own hash, in which patterns of the same bytes agree.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(stem)
        hasher.combine(isOpen)
    }
}
