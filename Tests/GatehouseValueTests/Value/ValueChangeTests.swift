// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

/// Values are merged as RFC 7396 says, and set at places.
@Suite(.timeLimit(.minutes(10))) struct ValueChangeTests {
    /// Appendix A of RFC 7396: original, patch, result.
    static let patches: [(String, String, String)] = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test(arguments: patches)
    func `the examples of RFC 7396 merge as it says`(original: String, patch: String, result: String) throws {
        var value = try JSONText.parse(original)
        value.merge(try JSONText.parse(patch))
        #expect(value.json() == result)
    }

    @Test(arguments: patches)
    func `a patch that is made of two values makes the one of the other`(
        original: String, patch: String, result: String
    ) throws {
        let (old, new) = (try JSONText.parse(original), try JSONText.parse(result))
        var value = old
        if let made = old.patch(to: new) { value.merge(made) }
        #expect(value == new)
        #expect(new.patch(to: new) == nil)
    }

    @Test func `a patch says no more than is different`() throws {
        let old = try JSONText.parse(#"{"a":{"b":1,"c":2},"d":[1],"e":0}"#)
        let new = try JSONText.parse(#"{"a":{"b":1,"c":3},"d":[1],"f":null}"#)
        #expect(old.patch(to: new)?.json() == #"{"e":null,"a":{"c":3},"f":null}"#)
    }

    /// Original, pointer, value (nil removes), and result; nil when setting must fail and change nothing.
    static let settings: [(String, String, String?, String?)] = [
        ("{}", "", "1", "1"),
        (#"{"a":1}"#, "", nil, "null"),
        ("null", "/a/b", "1", #"{"a":{"b":1}}"#),
        (#"{"a":null}"#, "/a/b", "1", #"{"a":{"b":1}}"#),
        (#"{"a":{"x":1}}"#, "/a/b", "[]", #"{"a":{"x":1,"b":[]}}"#),
        (#"{"a":1,"b":2}"#, "/a", "null", #"{"a":null,"b":2}"#),
        (#"{"a":1,"b":2}"#, "/a", nil, #"{"b":2}"#),
        (#"{"a":{"b":1}}"#, "/a/b", nil, #"{"a":{}}"#),
        (#"{"a":1}"#, "/x/y", nil, #"{"a":1}"#),
        (#"{"a":1}"#, "/a/b", "1", nil),
        (#"{"a":1}"#, "/a/b", nil, nil),
        (#"{"a":"s"}"#, "/a/b/c", "1", nil),
        ("[1,2]", "/0", "9", "[9,2]"),
        ("[1,2]", "/2", "9", "[1,2,9]"),
        ("[1,2]", "/-", "9", "[1,2,9]"),
        ("[1,2]", "/-/a", "9", #"[1,2,{"a":9}]"#),
        ("[1,2]", "/3", "9", nil),
        ("[1,2]", "/x", "9", nil),
        ("[1,2]", "/x", nil, nil),
        ("[1,2]", "/0", nil, "[2]"),
        ("[1,2]", "/7", nil, "[1,2]"),
        ("[{}]", "/0/a", "1", #"[{"a":1}]"#),
        (#"[{"a":1}]"#, "/0/a", nil, "[{}]"),
    ]

    @Test(arguments: settings)
    func `a value is put where the pointer leads`(original: String, at: String, put: String?, result: String?)
        throws
    {
        var value = try JSONText.parse(original)
        let done = value.set(try put.map { try JSONText.parse($0) }, at: try JSONPointer(at))
        #expect(done == (result != nil))
        #expect(value.json() == result ?? original)
    }

    @Test func `a pointer without end is refused and not followed`() {
        var value = Value.null
        let endless = value.set(1, at: JSONPointer(tokens: Array(repeating: "a", count: 100_000)))
        #expect(!endless)
        #expect(value == .null)
        let deep = value.set(1, at: JSONPointer(tokens: Array(repeating: "a", count: 512)))
        #expect(deep)
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `what was set is found`(seed: UInt64) {
        var generator = Generator(seed: seed)
        var value = Value.object(Members())
        let pointer = JSONPointer(tokens: [generator.text(), generator.text()])
        let put = generator.value()
        let isSet = value.set(put, at: pointer)
        #expect(isSet, "seed \(seed)")
        #expect(value[pointer] == put, "seed \(seed)")
        let isRemoved = value.set(nil, at: pointer)
        #expect(isRemoved, "seed \(seed)")
        #expect(value[pointer] == nil, "seed \(seed)")
    }
}
