// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

/// Types to values and back.
@Suite(.timeLimit(.minutes(10))) struct CodableTests {
    @Test func `a struct of every standard type survives the round trip`() throws {
        let everything = Everything()
        let value = try Value(encoding: everything)
        #expect(try value.decode(Everything.self) == everything)
        // Through text as well: numbers beyond 64 bits and floats keep their digits.
        #expect(try JSONText.parse(value.json()).decode(Everything.self) == everything)
        #expect(value["float"]?.json() == "0.1")
        #expect(value["int128"]?.json() == "170141183460469231731687303715884105727")
        #expect(value["absent"] == nil)
    }

    @Test func `an enum keeps the compiler's form inside other values`() throws {
        let choices: [Everything.Choice] = [.first, .second(2), .third(x: 1, y: [2])]
        let value = try Value(encoding: choices)
        #expect(value.json() == #"[{"first":{}},{"second":{"_0":2}},{"third":{"x":1,"y":[2]}}]"#)
        #expect(try value.decode([Everything.Choice].self) == choices)
    }

    @Test func `values and tapes pass through unchanged`() throws {
        let value: Value = ["a": [1, 1.5, nil, .bigNumber("1e999")], "b": ["z": 1, "a": 2]]
        #expect(try value.decode(Value.self).json() == value.json())
        #expect(try Tape.make(value).root.decode(Value.self).json() == value.json())
        #expect(try Value(encoding: value).json() == value.json())
        #expect(try Value(encoding: Tape.make(value)).json() == value.json())
        let tapes = try Tape.make([value, value]).root.decode([Tape].self)
        #expect(tapes.map { $0.root.json() } == [value.json(), value.json()])
        #expect(try Value(encoding: [value]).json() == "[\(value.json())]")
    }

    @Test func `a dictionary of thousands is decoded through a table`() throws {
        let table = Dictionary(uniqueKeysWithValues: (0..<5000).map { ("key\($0)", $0) })
        #expect(try Value(encoding: table).decode([String: Int].self) == table)
    }

    @Test func `of repeated names the last counts everywhere`() throws {
        // Written by hand, as the builder never repeats a name: {"a":1,"a":2}.
        let words: [UInt64] = [
            0x7B00_0002_0000_0008, 0x2200_0000_0000_0000, 0x6C00_0000_0000_0000, 1, 0x2200_0000_0000_0000,
            0x6C00_0000_0000_0000, 2, 0x7D00_0000_0000_0000,
        ]
        let strings: [UInt8] = [1, 0, 0, 0, 0x61, 0]
        let tape = unsafe words.withUnsafeBufferPointer { words in
            unsafe strings.withUnsafeBytes { bytes in
                unsafe Tape.copying(words: words, wordBase: 0, strings: bytes, stringBase: 0)
            }
        }
        #expect(tape.root["a"]?.intValue == 2)
        #expect(tape.root.value == ["a": 2])
        #expect(try tape.root.decode([String: Int].self) == ["a": 2])
    }

    /// A value, and the sentence that decoding it as the struct below gives.
    static let failures: [(String, String)] = [
        ("{}", #"the whole value: expected a member "by", found none"#),
        ("[]", "the whole value: expected an object, found an array"),
        (#"{"by":"3"}"#, "/by: expected an integer, found a string"),
        (#"{"by":null}"#, "/by: expected an integer, found null"),
        (#"{"by":300}"#, "/by: expected an integer from -128 to 127, found 300"),
        (#"{"by":1.5}"#, "/by: expected an integer, found 1.5"),
        (#"{"by":1e999}"#, "/by: expected an integer from -128 to 127, found 1e999"),
        (#"{"by":1,"x/y":{"a":[1,true]}}"#, "/x~1y/a/1: expected a number, found a boolean"),
        (#"{"by":1,"x/y":{"a":[1e999]}}"#, "/x~1y/a/0: expected a number that Double can hold, found 1e999"),
        (#"{"by":1,"pair":[1]}"#, "/pair: expected an array of more than 1 element, found one of 1"),
        (
            #"{"by":1,"kind":"huge"}"#,
            "/kind: expected an acceptable value, found one that is refused: "
                + "Cannot initialize Kind from invalid String value huge"
        ),
    ]

    /// What the table of failures decodes.
    struct Step: Decodable {
        var by: Int8
        var table: [String: [Double]]?
        var pair: Pair?
        var kind: Everything.Kind?

        enum CodingKeys: String, CodingKey {
            case by
            case table = "x/y"
            case pair, kind
        }
    }

    /// Two elements of an array.
    struct Pair: Decodable {
        let first: Int
        let second: Int

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            first = try container.decode(Int.self)
            second = try container.decode(Int.self)
        }
    }

    @Test(arguments: failures)
    func `a value that does not fit is explained`(text: String, message: String) throws {
        let value = try JSONText.parse(text)
        let error = #expect(throws: DecodingError.self) { try value.decode(Step.self) }
        #expect(error.map { CodingFailure($0).description } == message)
    }

    @Test func `a whole number written with a fraction is an integer`() throws {
        #expect(try JSONText.parse("[1.0,2e2]").decode([Int].self) == [1, 200])
    }

    @Test func `a number that is not finite is refused with its place`() {
        let error = #expect(throws: EncodingError.self) { try Value(encoding: ["a": [1, Double.nan]]) }
        #expect(error.map { CodingFailure($0).description } == "/a/1: expected a finite number, found nan")
    }

    @Test func `encoding without end is refused at the limit and not by the stack`() throws {
        var chain = Chain(nil)
        for _ in 0..<512 { chain = Chain(chain) }
        let value = try Value(encoding: chain)
        #expect(try Value(encoding: value.decode(Chain.self)) == value)
        chain = Chain(chain)
        let error = #expect(throws: EncodingError.self) { try Value(encoding: chain) }
        #expect(error.map { CodingFailure($0).expected } == "at most 512 containers inside each other")
    }

    @Test func `a subclass shares its superclass's object`() throws {
        let value = try Value(encoding: Sub(name: "n", count: 2))
        #expect(value == ["name": "n", "count": 2, "super": ["inner": true]])
        let decoded = try value.decode(Sub.self)
        #expect(decoded.name == "n")
        #expect(decoded.count == 2)
    }

    /// Uses containers in an order of its own: nested ones grow by turns, names repeat, and a container is begun twice.
    struct Unruly: Encodable {
        enum Keys: CodingKey { case a, b, c, d }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var a = container.nestedUnkeyedContainer(forKey: .a)
            var b = container.nestedContainer(keyedBy: Keys.self, forKey: .b)
            _ = container.superEncoder(forKey: .c)
            try a.encode(1)
            try b.encode(true, forKey: .d)
            var inner = a.nestedContainer(keyedBy: Keys.self)
            try a.encode(a.count)
            try inner.encode("late", forKey: .a)
            try b.encode(false, forKey: .d)
            _ = container.nestedContainer(keyedBy: Keys.self, forKey: .d)
            try container.encode("last", forKey: .d)
            var again = encoder.container(keyedBy: Keys.self)
            try again.encode("first", forKey: .c)
            var late = again.nestedUnkeyedContainer(forKey: .c)
            try late.encodeNil()
        }
    }

    @Test func `containers may be used in any order`() throws {
        let text = #"{"a":[1,{"a":"late"},2],"b":{"d":false},"c":[null],"d":"last"}"#
        #expect(try Value(encoding: Unruly()).json() == text)
        #expect(try Value(encoding: [Unruly()]).json() == "[\(text)]")
    }

    /// Replaces containers by a single value, which no type should do, and may go on with one of them.
    struct Fickle: Encodable {
        enum Keys: CodingKey { case a, b }

        /// What it encodes last.
        enum Last { case single, member, element }

        let last: Last

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Keys.self)
            try members.encode(1, forKey: .a)
            var elements = encoder.unkeyedContainer()
            try elements.encode(1)
            var single = encoder.singleValueContainer()
            try single.encode("single")
            switch last {
            case .single: break
            case .member: try members.encode(2, forKey: .b)
            case .element: try elements.encode(2)
            }
        }
    }

    @Test func `a single value replaces what was encoded before it, and is replaced by what comes later`()
        throws
    {
        #expect(try Value(encoding: Fickle(last: .single)) == "single")
        #expect(try Value(encoding: Fickle(last: .member)) == ["b": 2])
        #expect(try Value(encoding: Fickle(last: .element)) == [2])
    }

    /// A superclass that encodes into the shared object.
    class Base: Codable {
        let name: String
        init(name: String) { self.name = name }
    }

    /// A subclass that uses both the shared object and a super encoder.
    final class Sub: Base {
        let count: Int
        enum Keys: CodingKey { case count, inner }

        init(name: String, count: Int) {
            self.count = count
            super.init(name: name)
        }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            count = try container.decode(Int.self, forKey: .count)
            let inner = try container.superDecoder().container(keyedBy: Keys.self)
            #expect(try inner.decode(Bool.self, forKey: .inner))
            try super.init(from: decoder)
        }

        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(count, forKey: .count)
            var inner = container.superEncoder().container(keyedBy: Keys.self)
            try inner.encode(true, forKey: .inner)
        }
    }
}
