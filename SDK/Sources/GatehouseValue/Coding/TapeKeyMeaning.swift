// SPDX-License-Identifier: Apache-2.0

/// What the keys of a keyed container stand for.
enum TapeKeyMeaning {
    /// Members of the object; the usual meaning.
    case members
    /// Members of an enum case's payload, which need not be an object as long as no member is asked for.
    case payloadMembers
    /// The payload itself: the case has one associated value without label, whose key is `_0`.
    case wholePayload

    /// The meaning of the keys of an enum case.
    ///
    /// The compiler makes one key per associated value, so an enum of keys that takes no room has at most one, and
    /// `_0` is then the only one. Two values without labels, or a label beside one, keep their object form.
    init(keysOfCase type: (some CodingKey).Type) {
        self = Self.isSingleUnlabelled(type) ? .wholePayload : .payloadMembers
    }

    /// Whether `_0` is the only key.
    static func isSingleUnlabelled<Key: CodingKey>(_ type: Key.Type) -> Bool {
        MemoryLayout<Key>.size == 0 && isUnlabelled(type)
    }

    /// Whether `_0` is a key.
    ///
    /// Not inlined: asking takes the type `Key?`, whose lookup would then come before the quick check of the size.
    @inline(never)
    private static func isUnlabelled<Key: CodingKey>(_ type: Key.Type) -> Bool {
        Key(stringValue: "_0") != nil
    }
}
