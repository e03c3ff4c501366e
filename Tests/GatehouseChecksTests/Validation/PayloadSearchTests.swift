// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseChecks

/// Payloads that a type takes are found by what it says about others.
@Suite(.timeLimit(.minutes(10))) struct PayloadSearchTests {
    /// The payload that is found for a type.
    private func payload<Type: Decodable>(_ type: Type.Type) throws -> Value? {
        try PayloadSearch { payload in
            guard let payload else {
                return CodingFailure(pointer: .whole, expected: "a payload", found: "none")
            }
            do {
                _ = try payload.decode(type)
                return nil
            } catch {
                return CodingFailure(error)
            }
        }.payload().get()
    }

    @Test func `what takes no payload is left without one`() throws {
        #expect(try PayloadSearch { _ in nil }.payload().get() == nil)
    }

    @Test func `scalars are found`() throws {
        #expect(try payload(Int.self) == 1)
        #expect(try payload(String.self) == "example")
        #expect(try payload(Bool.self) == true)
        #expect(try payload(Double.self) == 1)
    }

    @Test(
        arguments: [
            ("an object", .object(Members())), ("an array", .array([])), ("a string", "example"),
            ("a boolean", true), ("an integer", 1), ("a number", 1),
        ] as [(String, Value)])
    func `what a message expects is put there first`(expected: String, value: Value) throws {
        let search = PayloadSearch { payload in
            payload == nil || payload == .null
                ? CodingFailure(pointer: .whole, expected: expected + " of a kind", found: "none") : nil
        }
        #expect(try search.payload().get() == value)
    }

    /// Has something of everything.
    private struct Order: Decodable {
        /// One item of an order.
        struct Item: Decodable {
            let name: String
            let count: UInt8
        }

        /// A word of a few.
        enum Level: String, Decodable { case info, error }

        /// Two values in an array.
        struct Point: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                _ = try container.decode(Double.self)
                _ = try container.decode(Double.self)
            }
        }

        let id: String
        let item: Item
        let level: Level
        let place: Point
        let note: String?
    }

    @Test func `members are added one after the other, to any depth`() throws {
        #expect(
            try payload(Order.self) == [
                "id": "example", "item": ["name": "example", "count": 1], "level": "info", "place": [1, 1],
            ])
    }

    /// May have members that nobody must give.
    private struct Step: Decodable {
        let id: String
        let by: Int?
        let words: [String]?
    }

    @Test func `members that may be left out are found among words, and no others are kept`() throws {
        let search = PayloadSearch { payload in
            do {
                _ = try (payload ?? .null).decode(Step.self)
                return nil
            } catch {
                return CodingFailure(error)
            }
        }
        let words = ["Step", "by", "id", "other", "words"]
        #expect(
            search.payload(["id": "example"], withMembersAmong: words)
                == ["id": "example", "by": 1, "words": ["example"]])
        #expect(search.payload(["id": "example"], withMembersAmong: ["other"]) == nil)
        #expect(search.payload(7, withMembersAmong: words) == nil)
    }

    @Test func `what nothing fits is given up, with the last reason`() throws {
        let search = PayloadSearch { _ in
            CodingFailure(pointer: .whole, expected: "the magic word", found: "another")
        }
        #expect(throws: CodingFailure(pointer: .whole, expected: "the magic word", found: "another")) {
            try search.payload().get()
        }
    }
}
