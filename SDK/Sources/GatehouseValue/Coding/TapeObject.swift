// SPDX-License-Identifier: Apache-2.0

/// The members that a keyed container offers, without the type of its keys.
///
/// Calls through a decoder's protocols are never specialised, and generic code that is not must look up its own
/// type on each call; so all work is done here, and `TapeKeyedContainer` only translates keys into names.
struct TapeObject {
    /// The object, or the payload of a case.
    let decoder: TapeDecoder
    /// What a name stands for.
    let reads: TapeKeyMeaning
    /// Where each value is, for an object with very many members: usually a dictionary, which asks for them all.
    let places: TapePlaces?

    /// Stands on an object, or on a payload of any kind.
    init(_ decoder: TapeDecoder, reads: TapeKeyMeaning) {
        self.decoder = decoder
        self.reads = reads
        let isLarge = decoder.isObject && decoder.tape.count(of: Int(decoder.index)) > TapePlaces.walkLimit
        places = isLarge ? TapePlaces(decoder.view) : nil
    }

    /// The names in order; of repeated ones the last place counts.
    var names: [String] {
        if reads == .wholePayload { return contains("_0") ? ["_0"] : [] }
        var names: [String] = []
        for (name, value) in decoder.view.members {
            let text = name.storedText
            if place(of: text) == value.index { names.append(text) }
        }
        return names
    }

    /// Whether a name stands for a value, also for null.
    func contains(_ name: String) -> Bool {
        if reads == .wholePayload { return !decoder.tape.isAbsentPayload }
        return decoder.isObject && place(of: name) != nil
    }

    /// The value of a name; nil when there is none.
    func valueIfPresent(_ name: String) throws -> TapeDecoder? {
        if reads == .wholePayload { return decoder.tape.isAbsentPayload ? nil : decoder }
        // Checked here and not earlier: a case without associated values accepts a payload of any kind.
        guard decoder.isObject else { throw decoder.mismatch([String: Value].self, "an object") }
        guard let place = place(of: name) else { return nil }
        return TapeDecoder(tape: decoder.tape, index: place, origin: decoder.origin)
    }

    /// The value of a name, unless it is absent or null.
    func valueUnlessNull(_ name: String) throws -> TapeDecoder? {
        guard let value = try valueIfPresent(name), !value.decodeNil() else { return nil }
        return value
    }

    /// The value of a name; throws when there is none, except that an absent payload counts as an empty object.
    func value(_ name: String) throws -> TapeDecoder {
        if let value = try valueIfPresent(name) { return value }
        guard reads == .wholePayload else { throw decoder.missing(CodingStep(stringValue: name)) }
        return decoder
    }

    /// The first word of a member's value.
    private func place(of name: String) -> Int? {
        if let places { return places[name] }
        return decoder.tape.find(name, in: Int(decoder.index))
    }
}
