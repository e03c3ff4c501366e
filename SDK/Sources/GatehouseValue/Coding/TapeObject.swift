// SPDX-License-Identifier: Apache-2.0

/// The members of a keyed container, without the type of its keys.
///
/// Calls through a decoder's protocols are never specialised, and unspecialised generic code must look up its
/// own type on each call. So all work is done here, and `TapeKeyedContainer` only translates keys into names.
struct TapeObject {
    /// The object, or the payload of a case.
    let decoder: TapeDecoder
    /// The meaning of a name.
    let reads: TapeKeyMeaning
    /// The place of each value, for a very large object: usually a dictionary, which reads them all.
    let places: TapePlaces?

    /// Starts at an object, or at a payload of any kind.
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

    /// Returns whether a name has a value, even null.
    func contains(_ name: String) -> Bool {
        if reads == .wholePayload { return !decoder.tape.isAbsentPayload }
        return decoder.isObject && place(of: name) != nil
    }

    /// Returns the first word of a name's value; nil when there is none.
    func placeIfPresent(_ name: String) throws -> Int? {
        if reads == .wholePayload { return decoder.tape.isAbsentPayload ? nil : Int(decoder.index) }
        // Checked here and not earlier: a case without associated values accepts a payload of any kind.
        guard decoder.isObject else { throw decoder.mismatch([String: Value].self, "an object") }
        return place(of: name)
    }

    /// Returns the first word of a name's value, unless that is absent or null.
    func placeUnlessNull(_ name: String) throws -> Int? {
        guard let place = try placeIfPresent(name), decoder.tape.tag(at: place) != TapeTag.null else {
            return nil
        }
        return place
    }

    /// Returns the first word of a name's value; throws when there is none, except that an absent payload counts
    /// as an empty object.
    func place(_ name: String) throws -> Int {
        if let place = try placeIfPresent(name) { return place }
        guard reads == .wholePayload else { throw decoder.missing(CodingStep(stringValue: name)) }
        return Int(decoder.index)
    }

    /// Returns a decoder for a name's value; throws as `place(_:)` does.
    func value(_ name: String) throws -> TapeDecoder { value(at: try place(name)) }

    /// Returns a decoder for a value of this object.
    func value(at place: Int) -> TapeDecoder {
        TapeDecoder(tape: decoder.tape, index: place, origin: decoder.origin)
    }

    /// Decodes a name's value in place; throws as `place(_:)` does, and when it is of another kind.
    func decode<Plain: PlainValue>(_ type: Plain.Type, _ name: String) throws -> Plain {
        try decoder.tape.decode(type, at: try place(name), origin: decoder.origin)
    }

    /// Decodes a name's value in place; nil for an absent or null one.
    func decodeIfPresent<Plain: PlainValue>(_ type: Plain.Type, _ name: String) throws -> Plain? {
        guard let place = try placeUnlessNull(name) else { return nil }
        return try decoder.tape.decode(type, at: place, origin: decoder.origin)
    }

    /// Returns the first word of a member's value.
    private func place(of name: String) -> Int? {
        if let places { return places[name] }
        return decoder.tape.find(name, in: Int(decoder.index))
    }
}
