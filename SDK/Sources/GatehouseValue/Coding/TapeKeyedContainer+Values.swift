// SPDX-License-Identifier: Apache-2.0

// The protocol asks for one method per standard type. The generic one for integers answers all but `Int`, which is
// so usual that it has its own, and the 128-bit ones, whose defaults would win. `decodeIfPresent` has a default for
// each type, which looks the key up three times; the usual types avoid it.
extension TapeKeyedContainer {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try object.value(key.stringValue).decode(type)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try object.value(key.stringValue).decode(type)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try object.value(key.stringValue).decode(type)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try object.value(key.stringValue).decode(type)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try object.value(key.stringValue).decode(type)
    }

    func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type, forKey key: Key) throws -> Number {
        try object.value(key.stringValue).decode(type)
    }

    func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
        try object.value(key.stringValue).decode(type)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try object.valueUnlessNull(key.stringValue)?.decode(type)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try object.valueUnlessNull(key.stringValue)?.decode(type)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try object.valueUnlessNull(key.stringValue)?.decode(type)
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try object.valueUnlessNull(key.stringValue)?.decode(type)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try object.valueUnlessNull(key.stringValue)?.decode(type)
    }

    func decodeIfPresent<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result? {
        try object.valueUnlessNull(key.stringValue)?.decode(type)
    }
}
