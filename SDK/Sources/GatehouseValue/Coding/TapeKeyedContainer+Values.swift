// SPDX-License-Identifier: Apache-2.0

// The protocol asks for one method per standard type. Generic methods answer all of its integer requirements, and
// each looks a key up once: the protocol's own `decodeIfPresent` would look it up three times.
extension TapeKeyedContainer {
    @inlinable
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(of: key).decode(type) }

    @inlinable
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(of: key).decode(type) }

    @inlinable
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(of: key).decode(type) }

    @inlinable
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(of: key).decode(type) }

    @inlinable
    func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type, forKey key: Key) throws -> Number {
        try value(of: key).decode(type)
    }

    @inlinable
    func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
        try value(of: key).decode(type)
    }

    @inlinable
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        guard let value = try valueIfPresent(of: key), !value.decodeNil() else { return nil }
        return try value.decode(type)
    }

    @inlinable
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        guard let value = try valueIfPresent(of: key), !value.decodeNil() else { return nil }
        return try value.decode(type)
    }

    @inlinable
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        guard let value = try valueIfPresent(of: key), !value.decodeNil() else { return nil }
        return try value.decode(type)
    }

    @inlinable
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        guard let value = try valueIfPresent(of: key), !value.decodeNil() else { return nil }
        return try value.decode(type)
    }

    @inlinable
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        guard let value = try valueIfPresent(of: key), !value.decodeNil() else { return nil }
        return try value.decode(type)
    }

    @inlinable
    func decodeIfPresent<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result? {
        guard let value = try valueIfPresent(of: key), !value.decodeNil() else { return nil }
        return try value.decode(type)
    }
}
