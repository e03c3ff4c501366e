// SPDX-License-Identifier: Apache-2.0

/// The elements of an array on a tape; three words, so that `any UnkeyedDecodingContainer` needs no box.
struct TapeUnkeyedContainer: UnkeyedDecodingContainer {
    /// The array's document.
    let tape: Tape
    /// The array's first word.
    let start: UInt32
    /// The value at which paths start.
    let origin: UInt32
    /// The next element's first word; the array's end word after the last element.
    var place: UInt32
    /// The number of elements decoded.
    var passed: UInt32 = 0

    /// Starts before the first element; throws when the value is no array.
    init(_ decoder: TapeDecoder) throws {
        guard decoder.tape.tag(at: Int(decoder.index)) == TapeTag.array else {
            throw decoder.mismatch([Value].self, "an array")
        }
        tape = decoder.tape
        start = decoder.index
        origin = decoder.origin
        place = decoder.index + 1
    }

    var codingPath: [any CodingKey] { array.codingPath }

    var count: Int? { tape.count(of: Int(start)) }

    var isAtEnd: Bool { tape.tag(at: Int(place)) == TapeTag.arrayEnd }

    var currentIndex: Int { Int(passed) }

    mutating func decodeNil() throws -> Bool {
        let element = try element(Value?.self)
        if element.decodeNil() { step() }
        return element.decodeNil()
    }

    mutating func decode<Plain: PlainValue>(_ type: Plain.Type) throws -> Plain {
        try next(type) { try $0.plain(type) }
    }

    mutating func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
        try next(type) { try $0.decode(Result.self) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next([String: Value].self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next([Value].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }

    // MARK: - Implementation details

    /// A decoder for the array itself.
    var array: TapeDecoder { TapeDecoder(tape: tape, index: Int(start), origin: origin) }

    /// Returns a decoder for the next element; throws after the last.
    func element(_ type: any Any.Type) throws -> TapeDecoder {
        guard !isAtEnd else {
            let expected = "an array of more than \(passed) \(passed == 1 ? "element" : "elements")"
            throw DecodingError.valueNotFound(
                type, array.context(expected: expected, found: "one of \(passed)"))
        }
        return TapeDecoder(tape: tape, index: Int(place), origin: origin)
    }

    /// Skips the next element.
    mutating func step() {
        place = UInt32(truncatingIfNeeded: tape.end(of: Int(place)))
        passed += 1
    }

    /// Decodes the next element and skips it; stays when that fails.
    mutating func next<Result>(
        _ type: any Any.Type, _ body: (TapeDecoder) throws -> Result
    ) throws -> Result {
        let result = try body(try element(type))
        step()
        return result
    }
}
