// SPDX-License-Identifier: Apache-2.0

/// The name of an action type, or with `*` at the end every name that begins with the text before it.
///
/// Names are compared byte by byte, not as canonically equivalent text, and so are patterns.
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

    /// A pattern of its parts; the stem has no `*`, and is not empty unless the pattern is open.
    public init(stem: String, isOpen: Bool) {
        self.stem = stem
        self.isOpen = isOpen
    }

    /// The pattern `*`, which every name matches.
    public static let everything = TypePattern(stem: "", isOpen: true)

    /// Whether a name is covered. Linear in the stem's length.
    public func covers(_ name: String) -> Bool {
        isOpen ? name.utf8.starts(with: stem.utf8) : name.utf8.elementsEqual(stem.utf8)
    }

    /// The names that both patterns cover, nil if there are none: of two that overlap, one covers the other.
    public func intersection(_ other: TypePattern) -> TypePattern? {
        if covers(other.stem), isOpen || !other.isOpen { return other }
        if other.covers(stem), other.isOpen || !isOpen { return self }
        return nil
    }

    /// The pattern with another beginning in the place of its first bytes.
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
    /// Whether both are written with the same bytes.
    public static func == (left: TypePattern, right: TypePattern) -> Bool {
        left.isOpen == right.isOpen && left.stem.utf8.elementsEqual(right.stem.utf8)
    }

    /// Uses the text's own hash: patterns of the same bytes agree in it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(stem)
        hasher.combine(isOpen)
    }
}
