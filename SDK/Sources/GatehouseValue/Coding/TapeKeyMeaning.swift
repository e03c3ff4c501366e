// SPDX-License-Identifier: Apache-2.0

/// The meaning of a keyed container's keys.
enum TapeKeyMeaning {
    /// Members of the object; the usual meaning.
    case members
    /// Members of an enum case's payload, which may be any value until a member is requested.
    case payloadMembers
    /// The payload itself: the case has one associated value without label, whose key is `_0`.
    case wholePayload

    /// Determines the meaning of an enum case's keys.
    ///
    /// The compiler makes one key per associated value, so an enum of keys with size 0 has at most one, and `_0`
    /// is then the only one. Two values without labels, or a label beside one, keep their object form.
    init(keysOfCase type: (some CodingKey).Type) {
        self = Self.isSingleUnlabelled(type) ? .wholePayload : .payloadMembers
    }

    /// Returns whether `_0` is the only key.
    static func isSingleUnlabelled<Key: CodingKey>(_ type: Key.Type) -> Bool {
        MemoryLayout<Key>.size == 0 && isUnlabelled(type)
    }

    /// Returns whether `_0` is a key.
    ///
    /// Not inlined: this needs the type `Key?`, whose lookup would then come before the quick check of the size.
    @inline(never)
    private static func isUnlabelled<Key: CodingKey>(_ type: Key.Type) -> Bool {
        Key(stringValue: "_0") != nil
    }
}
