// SPDX-License-Identifier: Apache-2.0

/// The members of an object on a tape, for a type with coding keys.
///
/// Small objects are searched on the tape itself; only one with very many members, usually a dictionary, gets a
/// table, since a dictionary asks for every member.
@frozen
@usableFromInline
struct TapeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// The object.
    @usableFromInline let decoder: TapeDecoder
    /// What a key stands for.
    @usableFromInline let reads: TapeKeyMeaning
    /// Where each value is, for a large object.
    @usableFromInline let places: TapePlaces?

    /// Stands on an object, or on a payload of any kind.
    @inlinable
    init(_ decoder: TapeDecoder, reads: TapeKeyMeaning) {
        self.decoder = decoder
        self.reads = reads
        places = decoder.view.count > TapePlaces.walkLimit ? TapePlaces(decoder.view) : nil
    }

    @usableFromInline
    var codingPath: [any CodingKey] { decoder.codingPath }

    @usableFromInline
    var allKeys: [Key] {
        guard reads != .wholePayload else { return Key(stringValue: "_0").map { [$0] } ?? [] }
        var keys: [Key] = []
        for (name, value) in decoder.view.members {
            let text = name.storedText
            // Of repeated names only the last counts.
            guard place(of: text) == value.index, let key = Key(stringValue: text) else { continue }
            keys.append(key)
        }
        return keys
    }

    @inlinable
    func contains(_ key: Key) -> Bool {
        switch reads {
        case .members: place(of: key.stringValue) != nil
        case .payloadMembers: decoder.view[key.stringValue] != nil
        case .wholePayload: !decoder.tape.isAbsentPayload
        }
    }

    @inlinable
    func decodeNil(forKey key: Key) throws -> Bool { try value(of: key).decodeNil() }

    @inlinable
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try value(of: key).container(keyedBy: type)
    }

    @inlinable
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try value(of: key).unkeyedContainer()
    }

    @usableFromInline
    func superDecoder() throws -> any Decoder {
        guard let place = place(of: CodingStep.superclass.stringValue) else {
            throw decoder.missing(CodingStep.superclass)
        }
        return TapeDecoder(tape: decoder.tape, index: place, origin: decoder.origin)
    }

    @usableFromInline
    func superDecoder(forKey key: Key) throws -> any Decoder { try value(of: key) }

    // MARK: - Finding values

    /// The first word of a member's value.
    @inlinable
    func place(of name: String) -> Int? {
        if let places { return places[name] }
        return decoder.tape.find(name, in: Int(decoder.index))
    }

    /// A decoder on the value that a key stands for; nil when there is none.
    @inlinable
    func valueIfPresent(of key: Key) throws -> TapeDecoder? {
        let place: Int
        switch reads {
        case .members:
            guard let found = self.place(of: key.stringValue) else { return nil }
            place = found
        case .payloadMembers:
            // Checked here and not earlier: a case without associated values accepts a payload of any kind.
            guard decoder.view.kind == .object else { throw decoder.mismatch([String: Value].self, "an object") }
            guard let found = self.place(of: key.stringValue) else { return nil }
            place = found
        case .wholePayload:
            guard !decoder.tape.isAbsentPayload else { return nil }
            return decoder
        }
        return TapeDecoder(tape: decoder.tape, index: place, origin: decoder.origin)
    }

    /// A decoder on the value that a key stands for; an absent payload counts as an empty object.
    @inlinable
    func value(of key: Key) throws -> TapeDecoder {
        if let value = try valueIfPresent(of: key) { return value }
        guard reads == .wholePayload else { throw decoder.missing(key) }
        return decoder
    }
}
