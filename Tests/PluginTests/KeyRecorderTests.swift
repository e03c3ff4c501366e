// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseSDK

/// Keys of settings that an instance is not told, learned from what the settings encode.
@Suite(.timeLimit(.minutes(10))) struct KeyRecorderTests {
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

    /// Notes how far an encoding has come.
    private final class Steps {
        var all: [String] = []
    }

    /// Encodes itself by containers within containers.
    private struct Nesting: Encodable {
        enum Keys: CodingKey { case a, b, c, inner }

        let steps = Steps()
        /// What comes first.
        var first = Keys.a

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            if first == .a {
                var inner = container.nestedContainer(keyedBy: Keys.self, forKey: .a)
                try inner.encode(1, forKey: .inner)
                steps.all.append("a")
            }
            var elements = container.nestedUnkeyedContainer(forKey: .b)
            #expect(elements.count == 0)
            if first == .c { try elements.encodeNil() } else { try elements.encode(1) }
            steps.all.append("b")
            var members = elements.nestedContainer(keyedBy: Keys.self)
            try members.encodeNil(forKey: .inner)
            var whole = container.superEncoder(forKey: .c).container(keyedBy: Keys.self)
            try whole.encode(1, forKey: .inner)
            steps.all.append("c")
        }
    }

    @Test func `containers within a container have keys of their own, which do not count`() {
        let nesting = Nesting()
        #expect(KeyRecorder.keys(of: nesting) == ["a", "b", "c"])
        #expect(nesting.steps.all == ["a", "b", "c"])
    }

    @Test func `the name of a case is its first key, and nothing after that is encoded`() throws {
        for (first, name) in [(Nesting.Keys.a, "a"), (.b, "b"), (.c, "b")] {
            let nesting = Nesting(first: first)
            #expect(try KeyRecorder.caseName(of: nesting) == name)
            #expect(nesting.steps.all == [])
        }
        enum Action: Codable { case bare, one(Int), some(depth: Inner, Bool?) }
        for (action, name) in [
            (Action.bare, "bare"), (.one(1), "one"), (.some(depth: Inner(), nil), "some"),
        ] {
            #expect(try KeyRecorder.caseName(of: action) == name)
        }
    }

    @Test func `what has no cases has no name, and an error is thrown as it is`() {
        enum Raw: String, Codable { case a }
        struct Failing: Encodable {
            func encode(to encoder: any Encoder) throws { throw CancellationError() }
        }
        struct Empty: Codable {}
        for value in [Raw.a, [1], Int?.none, Empty()] as [any Encodable] {
            let failure = #expect(throws: CodingFailure.self) { try KeyRecorder.caseName(of: value) }
            #expect(failure?.expected == "an enum with Codable cases")
        }
        #expect(throws: CancellationError.self) { try KeyRecorder.caseName(of: Failing()) }
        #expect(KeyRecorder.keys(of: Empty()) == [])
    }
}
