// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// The table of JSON values in the guide for plugin authors.
@Suite(.timeLimit(.minutes(10))) struct ValueTableTests {
    struct Order: Codable, Equatable { var id: Int, items: [String] }

    @Test func `a value is written as literals, and read by subscripts or as a type`() throws {
        let order: Value = ["id": 7, "items": ["tea", "milk"], "note": nil]
        let first = order["items"]?[0]?.stringValue  // "tea"; nil where a step finds nothing
        let id = order["id"]?.intValue ?? 0
        let typed = try order.decode(Order.self)  // throws an error that names the place
        let back = try Value(encoding: typed)
        #expect(first == "tea" && id == 7 && typed == Order(id: 7, items: ["tea", "milk"]))
        #expect(back == ["id": 7, "items": ["tea", "milk"]])
        let error = #expect(throws: (any Error).self) {
            try (["id": "7", "items": []] as Value).decode(Order.self)
        }
        #expect(error.map { "\(CodingFailure($0))" } == "/id: expected an integer, found a string")
    }

    @Test(
        arguments: [
            ("null", .null), ("true", .bool(true)), ("-7", .integer(-7)),
            ("9223372036854775808", .unsigned(9_223_372_036_854_775_808)), ("1.5", .double(1.5)),
            ("1e3", .double(1_000)),
            ("18446744073709551616", .bigNumber("18446744073709551616")), ("1e999", .bigNumber("1e999")),
            (#""tea""#, .string("tea")), ("[1]", .array([.integer(1)])),
            (#"{"a":1}"#, .object(["a": .integer(1)])),
        ] as [(String, Value)])
    func `each case comes from the text of the table`(text: String, value: Value) throws {
        let found = try JSONText.parse(text)
        #expect("\(found)" == "\(value)" && found == value)
        switch (found, value) {
        case (.null, .null), (.bool, .bool), (.integer, .integer), (.unsigned, .unsigned), (.double, .double),
            (.bigNumber, .bigNumber), (.string, .string), (.array, .array), (.object, .object):
            break
        default: Issue.record("another case")
        }
    }

    @Test func `numbers are read whatever their case`() throws {
        #expect(Value.double(3).intValue == 3 && Value.double(3.5).intValue == nil)
        #expect(Value.integer(3).doubleValue == 3 && Value.bigNumber("1e999").doubleValue == nil)
        #expect(Value.unsigned(.max).intValue == nil && Value.unsigned(.max).doubleValue != nil)
        #expect(Value.bigNumber("18446744073709551616").doubleValue == 18_446_744_073_709_551_616)
        #expect(Value.string("3").intValue == nil)
    }
}
