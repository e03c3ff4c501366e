// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseSDK

/// Keys of settings that an instance is not told, learned from what the settings encode.
struct KeyRecorderTests {
    /// A value of every type that has an encoding of its own.
    private struct All: Codable {
        var bool: Bool?
        var string: String?
        var double: Double?
        var float: Float?
        var int: Int?
        var int8: Int8?
        var int16: Int16?
        var int32: Int32?
        var int64: Int64?
        var int128: Int128?
        var uint: UInt?
        var uint8: UInt8?
        var uint16: UInt16?
        var uint32: UInt32?
        var uint64: UInt64?
        var uint128: UInt128?
        var list: [Int]?
        var nested: Inner?
    }

    /// A value within another.
    private struct Inner: Codable { var depth = 1 }

    @Test func `absent values of every type have keys, in order`() {
        #expect(
            KeyRecorder.keys(of: All()) == [
                "bool", "string", "double", "float", "int", "int8", "int16", "int32", "int64", "int128",
                "uint",
                "uint8", "uint16", "uint32", "uint64", "uint128", "list", "nested",
            ])
    }

    @Test func `values that are there have the same keys, and none of what is within them`() {
        #expect(
            KeyRecorder.keys(of: All(bool: true, uint128: 5, list: [1], nested: Inner()))
                == KeyRecorder.keys(of: All()))
    }

    @Test func `what does not encode by keys has none to learn`() {
        #expect(KeyRecorder.keys(of: [1, 2]) == nil)
        #expect(KeyRecorder.keys(of: "text") == nil)
        #expect(KeyRecorder.keys(of: Int?.none) == nil)
    }

    @Test func `what refuses to encode has none to learn`() {
        struct Refusing: Encodable {
            enum CodingKeys: CodingKey { case known }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(1, forKey: .known)
                throw CodingFailure(pointer: .whole, expected: "something else", found: "this")
            }
        }
        #expect(KeyRecorder.keys(of: Refusing()) == nil)
    }
}
