// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// Names that settings give to their parts, and numbers in a range.
@Suite(.timeLimit(.minutes(10))) struct SettingsNameTests {
    /// The names of an object.
    private struct Names: Decodable {
        let all: [String]

        init(from decoder: any Decoder) throws {
            all = try decoder.container(keyedBy: SettingsName.self).names().map(\.stringValue)
        }
    }

    /// A number from 1 to 5.
    private struct Number: Decodable {
        let number: Int

        init(from decoder: any Decoder) throws {
            number = try decoder.container(keyedBy: SettingsName.self).decode(
                Int.self, forKey: SettingsName(stringValue: "n"), in: 1...5)
        }
    }

    private func object(_ name: String) -> Value { .object(Members([(name, Value.integer(1))])) }

    @Test(arguments: ["a", "z", "0", "9", "-", "a-0", String(repeating: "x", count: 64)])
    func `a name has 1 to 64 lower-case letters, digits and -`(name: String) throws {
        #expect(try object(name).decode(Names.self).all == [name])
    }

    @Test(arguments: ["", "A", "Z", "`", "{", "/", ":", "_", "é", "a b", String(repeating: "x", count: 65)])
    func `any other name is refused`(name: String) {
        let failure = #expect(throws: CodingFailure.self) { try object(name).decode(Names.self) }
        #expect(
            failure?.description
                == "the whole value: expected names of 1 to 64 lower-case letters, digits and -, found "
                + Value.string(name).json())
    }

    @Test func `a name is a text and no number`() {
        #expect(SettingsName(stringValue: "1").intValue == nil)
        #expect(SettingsName(intValue: 1) == nil)
    }

    @Test func `a number beside its range is refused with its place`() throws {
        for number in [1, 3, 5] {
            #expect(try (["n": .integer(Int64(number))] as Value).decode(Number.self).number == number)
        }
        for number in [0, 6] {
            let failure = #expect(throws: CodingFailure.self) {
                try (["n": .integer(Int64(number))] as Value).decode(Number.self)
            }
            #expect(failure?.description == "/n: expected 1 to 5, found \(number)")
        }
    }
}
