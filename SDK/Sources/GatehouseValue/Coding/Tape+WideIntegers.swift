// SPDX-License-Identifier: Apache-2.0

// The protocols reject 128-bit integers unless a method for exactly that type exists.
extension TapeDecoder {
    @usableFromInline
    func decode(_ type: Int128.Type) throws -> Int128 { try wide(type) }

    @usableFromInline
    func decode(_ type: UInt128.Type) throws -> UInt128 { try wide(type) }

    /// Decodes any integer, by the generic method, whose own name would lead back to the methods above.
    func wide<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number {
        try decode(type)
    }
}

extension TapeKeyedContainer {
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try object.value(key.stringValue).wide(type)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try object.value(key.stringValue).wide(type)
    }
}

extension TapeUnkeyedContainer {
    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        try next(type) { try $0.wide(Int128.self) }
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try next(type) { try $0.wide(UInt128.self) }
    }
}
