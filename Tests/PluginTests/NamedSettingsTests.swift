// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// Settings that an object has under names.
@Suite(.timeLimit(.minutes(10))) struct NamedSettingsTests {
    private struct Rule: NamedSetting, Equatable {
        static let limit = 2
        let name: String
        let number: Int

        init(named name: String, from decoder: any Decoder) throws {
            self.name = name
            number = try decoder.singleValueContainer().decode(Int.self)
        }
    }

    /// As many as somebody likes.
    private struct Free: NamedSetting {
        init(named name: String, from decoder: any Decoder) throws {}
    }

    private func rules(_ value: Value) throws -> NamedSettings<Rule> {
        try value.decode(NamedSettings<Rule>.self)
    }

    @Test func `each setting has its name, and is written as it was`() throws {
        let value: Value = ["b": 2, "a-1": 1]
        let rules = try rules(value)
        #expect(rules.all.map(\.name).sorted() == ["a-1", "b"])
        #expect(rules.all.first { $0.name == "b" }?.number == 2)
        #expect(try Value(encoding: rules) == value)
        #expect(NamedSettings<Rule>().all == [])
        #expect(try Value(encoding: NamedSettings<Rule>()) == [:])
    }

    @Test func `there are as many as the limit says, and not one more`() throws {
        let failure = #expect(throws: CodingFailure.self) { try rules(["a": 1, "b": 2, "c": 3]) }
        #expect(failure?.description == "the whole value: expected at most 2 names, found 3")
        let many = Value.object(Members((0..<1_000).map { ("n\($0)", Value.integer(1)) }))
        #expect(try many.decode(NamedSettings<Free>.self).all.count == 1_000)
    }

    @Test func `what one of them refuses, and a name that is none, is told with its place`() {
        let failure = #expect(throws: DecodingError.self) { try rules(["a": 1, "b": "two"]) }
        #expect(
            failure.map { CodingFailure($0).description } == "/b: expected an integer, found a string")
        let name = #expect(throws: CodingFailure.self) { try rules(["A": 1]) }
        #expect(
            name?.description
                == #"the whole value: expected names of 1 to 64 lower-case letters, digits and -, found "A""#)
    }

    @Test func `what an encoder refuses is an error`() throws {
        let rules = try rules(["a": 1])
        #expect(throws: RefusingEncoder.Refusal.self) { try rules.encode(to: RefusingEncoder()) }
    }
}
