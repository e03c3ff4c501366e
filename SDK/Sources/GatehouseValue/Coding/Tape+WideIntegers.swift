// SPDX-License-Identifier: Apache-2.0

// The protocols reject 128-bit integers unless a method for exactly that type exists.
extension TapeDecoder {
    @usableFromInline
    func decode(_ type: Int128.Type) throws -> Int128 { try plain(type) }

    @usableFromInline
    func decode(_ type: UInt128.Type) throws -> UInt128 { try plain(type) }
}

extension TapeKeyedContainer {
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try object.decode(type, key.stringValue)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try object.decode(type, key.stringValue)
    }
}

extension TapeUnkeyedContainer {
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try next(type) { try $0.plain(type) } }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next(type) { try $0.plain(type) } }
}
