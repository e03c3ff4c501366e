// SPDX-License-Identifier: Apache-2.0

/// An action type, or with `*` at the end every type that begins with the text before it.
///
/// Names are compared byte by byte, not as canonically equivalent text.
public struct TypePattern: Hashable, Sendable, CustomStringConvertible {
    /// The text before the `*`, or the whole type.
    public let stem: String
    /// Whether a `*` follows the stem.
    public let isOpen: Bool

    /// Reads a pattern; nil if it is empty or has a `*` anywhere but at its end.
    public init?(_ text: String) {
        let stem = text.utf8.last == UInt8(ascii: "*") ? text.dropLast() : Substring(text)
        guard !text.isEmpty, !stem.utf8.contains(UInt8(ascii: "*")) else { return nil }
        self.stem = String(stem)
        isOpen = stem.utf8.count < text.utf8.count
    }

    /// A pattern of its parts; the stem has no `*`, and is not empty unless the pattern is open.
    init(stem: String, isOpen: Bool) {
        self.stem = stem
        self.isOpen = isOpen
    }

    /// Every type.
    static let everything = TypePattern(stem: "", isOpen: true)

    /// The pattern as written.
    public var description: String { isOpen ? stem + "*" : stem }

    /// Whether the pattern names host actions: only one that spells out `host/` does.
    public var isForHost: Bool { stem.utf8.starts(with: ReservedNames.typePrefix.utf8) }

    /// Whether a plugin's local name is covered; plugins know nothing of the host's names.
    func covers(local name: String) -> Bool {
        isOpen ? name.utf8.starts(with: stem.utf8) : name.utf8.elementsEqual(stem.utf8)
    }

    /// Whether a type is covered; one below `host/` only by a pattern that spells out `host/`.
    ///
    /// Linear in the stem's length.
    public func matches(_ type: String) -> Bool {
        covers(local: type)
            && (!isOpen || isForHost || !type.utf8.starts(with: ReservedNames.typePrefix.utf8))
    }

    /// The names that both patterns cover, nil if there are none: of two that overlap, one covers the other.
    func intersection(_ other: TypePattern) -> TypePattern? {
        if covers(local: other.stem), isOpen || !other.isOpen { return other }
        if other.covers(local: stem), other.isOpen || !isOpen { return self }
        return nil
    }

    /// The pattern with another beginning in the place of its first bytes.
    func replacing(first count: Int, by beginning: String) -> TypePattern {
        TypePattern(
            stem: beginning + String(decoding: stem.utf8.dropFirst(count), as: UTF8.self), isOpen: isOpen)
    }
}
