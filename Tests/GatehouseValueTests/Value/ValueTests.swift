// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

/// Equality, hashing and reading.
@Suite(.timeLimit(.minutes(10))) struct ValueTests {
    /// Values that are equal although they are stored differently.
    static let equals: [(Value, Value)] = [
        (.integer(1), .double(1)), (.integer(0), .double(-0.0)), (.integer(1), .unsigned(1)),
        (.unsigned(1 << 63), .double(9_223_372_036_854_775_808)),
        (.bigNumber("1e400"), .bigNumber("10.0E+399")),
        (.bigNumber("-18446744073709551616"), .bigNumber("-18446744073709551616.0")),
        (["a": 1, "b": 2.0], ["b": 2, "a": 1.0]), ([1, 2.0], [1.0, 2]), (.double(.nan), .double(-.nan)),
    ]

    @Test(arguments: equals)
    func `equal values are equal in both directions and hash alike`(left: Value, right: Value) {
        #expect(left == right)
        #expect(right == left)
        #expect(left.hashValue == right.hashValue)
    }

    /// Otherwise others could make as many as they like that do.
    @Test(arguments: [([.null, 1], [1, .null]), ([0, false], [false, 0])] as [(Value, Value)])
    func `arrays that differ in where their elements stand do not hash alike`(left: Value, right: Value) {
        #expect(left.hashValue != right.hashValue)
    }

    @Test(
        arguments: [
            (.integer(1), .bool(true)), (.integer(1), "1"), (.null, .bool(false)),
            (.integer(.max), .double(0x1p63)),
            (.integer(1), .double(1.5)), (.bigNumber("1e400"), .bigNumber("1e401")), ("\u{E9}", "e\u{301}"),
            (.bigNumber("1e400"), .bigNumber("-1e400")), ([1], ["0": 1]), (["a": 1], ["a": 1, "b": 1]),
            (.unsigned(.max), .double(0x1p64)), ([1, 2], [2, 1]),
        ] as [(Value, Value)])
    func `different values differ in both directions`(left: Value, right: Value) {
        #expect(left != right)
        #expect(right != left)
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `a value equals its copy with members in another order`(seed: UInt64) {
        var generator = Generator(seed: seed)
        let value = generator.value()
        func turned(_ value: Value) -> Value {
            switch value {
            case .array(let elements): .array(elements.map(turned))
            case .object(let members): .object(Members(members.reversed().map { ($0.key, turned($0.value)) }))
            default: value
            }
        }
        #expect(turned(value) == value, "seed \(seed)")
        #expect(turned(value).hashValue == value.hashValue, "seed \(seed)")
    }

    @Test func `numbers are read as what they can stand for`() {
        #expect(Value.double(4).intValue == 4)
        #expect(Value.double(4.5).intValue == nil)
        #expect(Value.unsigned(.max).intValue == nil)
        #expect(Value.integer(2).doubleValue == 2)
        #expect(Value.bigNumber("18446744073709551616").doubleValue == 0x1p64)
        #expect(Value.bigNumber("1e999").doubleValue == nil)
        #expect(Value("4").intValue == nil)
        #expect(Value(UInt64.max) == .unsigned(.max))
        #expect(Value(UInt8(3)).json() == "3")
        #expect(Value(Int128.max).json() == "170141183460469231731687303715884105727")
    }

    @Test func `reading past the end or the kind is nil`() {
        let value: Value = ["list": [1], "text": "x"]
        #expect(value["list"]?[0]?.intValue == 1)
        #expect(value["list"]?[1] == nil)
        #expect(value["list"]?[-1] == nil)
        #expect(value[0] == nil)
        #expect(value["list"]?["x"] == nil)
        #expect(value["text"]?.stringValue == "x")
        #expect(value["text"]?.arrayValue == nil)
        #expect(value["list"]?.arrayValue?.count == 1)
        #expect(value.objectValue?.keys == ["list", "text"])
    }

    @Test func `an absurd exponent neither traps nor takes long`() {
        let digits = String(repeating: "9", count: 1000)
        let value = Value.bigNumber("1e" + digits)
        #expect(value == .bigNumber("1E+" + digits))
        #expect(value != .bigNumber("1e-" + digits))
        #expect(value.hashValue == Value.bigNumber("1E+" + digits).hashValue)
    }

    @Test func `a size counts what is there twice twice, and ends at its limit`() {
        let small: Value = ["name": "four", "numbers": [1, 2.5, nil]]
        #expect(small.size(upTo: 1_000) == 2 + 8 + 6 + 11 + 2 + 3 + 8 + 8 + 4)
        #expect(small.size(upTo: 10) == 10)
        // In memory once, but longer as text than any disk.
        var doubled = small
        for _ in 0..<2_000 { doubled = ["x": doubled, "y": doubled] }
        #expect(doubled.size(upTo: 1_000_000) == 1_000_000)
    }
}
