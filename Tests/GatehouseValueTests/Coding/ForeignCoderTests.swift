// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseValue
import Testing

/// Values inside other people's coders.
@Suite(.timeLimit(.minutes(10))) struct ForeignCoderTests {
    /// A value of every kind that all formats share.
    static let value: Value = [
        "null": nil, "flag": true, "int": -3, "max": .unsigned(.max), "half": 0.5, "text": "é\n",
        "list": [1, [], [:], "x"], "object": ["a": ["b": nil]],
    ]

    @Test func `another decoder reads a value kind by kind`() throws {
        let data = Data(Self.value.json().utf8)
        #expect(try JSONDecoder().decode(Value.self, from: data) == Self.value)
        #expect(try JSONDecoder().decode(Tape.self, from: data).root.value == Self.value)
    }

    @Test func `another encoder writes a value`() throws {
        #expect(try JSONText.parse(Array(JSONEncoder().encode(Self.value))) == Self.value)
        #expect(try JSONText.parse(Array(JSONEncoder().encode(Tape.make(Self.value)))) == Self.value)
    }

    @Test func `a big number is refused by an encoder that would lose it`() {
        let error = #expect(throws: EncodingError.self) {
            try JSONEncoder().encode(["a": Value.bigNumber("1e999")])
        }
        #expect(
            error.map { CodingFailure($0).description }
                == "/a: expected a number within 64 bits or Double, found 1e999")
    }
}
