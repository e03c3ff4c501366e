// SPDX-License-Identifier: Apache-2.0

// The protocol has one method per standard type. The generic one for integers covers all but `Int`, which is so
// common that it has its own, and the 128-bit ones, whose defaults would win. The default of `decodeIfPresent` for
// each type looks the key up three times; the common types avoid it.
extension TapeKeyedContainer {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try object.decode(type, key.stringValue)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try object.decode(type, key.stringValue)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try object.decode(type, key.stringValue)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try object.decode(type, key.stringValue)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try object.decode(type, key.stringValue)
    }

    func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type, forKey key: Key) throws -> Number
    {
        let place = try object.place(key.stringValue)
        return try object.decoder.tape.integer(type, at: place, origin: object.decoder.origin)
    }

    func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
        try object.value(key.stringValue).decode(type)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try object.decodeIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try object.decodeIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try object.decodeIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try object.decodeIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try object.decodeIfPresent(type, key.stringValue)
    }

    func decodeIfPresent<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result? {
        guard let place = try object.placeUnlessNull(key.stringValue) else { return nil }
        return try object.value(at: place).decode(type)
    }
}
