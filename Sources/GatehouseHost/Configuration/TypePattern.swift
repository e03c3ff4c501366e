// SPDX-License-Identifier: Apache-2.0

/// An action type, or with `*` at the end every type that begins with the text before it.
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

    /// The pattern as written.
    public var description: String { isOpen ? stem + "*" : stem }

    /// Whether the pattern names host actions: only one that spells out `host/` does.
    public var isForHost: Bool { stem.utf8.starts(with: ReservedNames.typePrefix.utf8) }

    /// Whether a plugin's local name is covered; plugins know nothing of the host's names.
    func covers(local name: String) -> Bool {
        isOpen ? name.hasPrefix(stem) : name == stem
    }

    /// Whether a type is covered; one below `host/` only by a pattern that spells out `host/`.
    ///
    /// Compares bytes, not canonically equivalent text. Linear in the stem's length.
    public func matches(_ type: String) -> Bool {
        guard isOpen else { return stem.utf8.elementsEqual(type.utf8) }
        return type.utf8.starts(with: stem.utf8)
            && (isForHost || !type.utf8.starts(with: ReservedNames.typePrefix.utf8))
    }
}
