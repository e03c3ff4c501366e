// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehouseMember

@Suite(.timeLimit(.minutes(10))) struct ValueChangeTests {
    /// The JSON of a change from one text to another; nil for none.
    private func change(_ old: String, _ new: String) throws -> String? {
        try ValueChange(from: JSONText.parse(Array(old.utf8)), to: JSONText.parse(Array(new.utf8)))
            .map { String(decoding: PartitionSlices.bytes($0.value), as: UTF8.self) }
    }

    @Test func `a change says what has changed, come and gone, and nothing else`() throws {
        #expect(try change(#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#) == nil)
        #expect(try change("1", "2") == "[2]")
        #expect(try change(#"{"a":1,"b":2,"c":3}"#, #"{"a":1,"c":4,"d":0}"#) == #"{"c":[4],"d":[0],"b":0}"#)
        #expect(try change(#"{"a":{"b":1,"c":1}}"#, #"{"a":{"b":1,"c":null}}"#) == #"{"a":{"c":[null]}}"#)
        #expect(try change("[1,2,3]", "[1,5,3,4]") == #"[4,{"1":[5],"3":[4]}]"#)
        #expect(try change("[1,2,3]", "[1]") == "[1,{}]")
        #expect(try change(#"{"a":[]}"#, #"{"a":{}}"#) == #"{"a":[{}]}"#)
    }

    @Test func `names that only look alike are different ones`() throws {
        let old: Value = .object(Members([("\u{e9}", 1), ("e\u{301}", 2)]))
        let new: Value = .object(Members([("\u{e9}", 1), ("e\u{301}", 3)]))
        let change = try #require(ValueChange(from: old, to: new))
        #expect(change.value == .object(Members([("e\u{301}", Value.array([3]))])))
        #expect(try change.applied(to: old) == new)
    }

    /// A value of some depth, with few different names and numbers.
    private func value(_ random: inout SeededGenerator, depth: Int = 3) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 3), using: &random) {
        case 0: .null
        case 1: .integer(Int64.random(in: 0...2, using: &random))
        case 2: .string(["", "a", "0"].randomElement(using: &random) ?? "")
        case 3:
            .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(&random, depth: depth - 1) })
        default:
            .object(
                Members(
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in
                        ("\(Int.random(in: 0...5, using: &random))", value(&random, depth: depth - 1))
                    }))
        }
    }

    @Test(arguments: 0..<20)
    func `a value with a change is the other one, also when changes are joined and written`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let values = (0..<4).map { _ in value(&random) }
            var joined: ValueChange?
            for (old, new) in zip(values, values.dropFirst()) {
                guard let change = ValueChange(from: old, to: new) else {
                    #expect(old == new)
                    continue
                }
                let read = ValueChange(try JSONText.parse(PartitionSlices.bytes(change.value)))
                #expect(read == change)
                #expect(try read.applied(to: old) == new)
                joined = try joined?.joined(with: change) ?? change
            }
            #expect(try joined?.applied(to: values[0]) ?? values[0] == values[3])
        }
    }

    @Test(arguments: [
        ("1", "{}"), ("1", "0"), ("[1]", #"[2,{}]"#), ("[1]", #"[1,{"7":[1]}]"#), ("[1]", #"[-1,{}]"#),
        ("[1]", #"[1,{"x":[1]}]"#), (#"{"a":1}"#, #"{"b":{}}"#), (#"{"a":1}"#, #"{"a":{"b":0}}"#),
        ("{}", "[]"), ("[1]", "[9007199254740993,{}]"), ("{}", "[1,2,3]"),
    ])
    func `what is no change of a value is refused`(value: String, change: String) throws {
        let change = ValueChange(try JSONText.parse(Array(change.utf8)))
        #expect(throws: CodingFailure.self) {
            try change.applied(to: JSONText.parse(Array(value.utf8)))
        }
    }
}
