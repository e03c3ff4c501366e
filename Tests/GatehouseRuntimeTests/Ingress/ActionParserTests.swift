// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseRuntime

/// What a line must look like to become an action, and what comes out.
@Suite(.timeLimit(.minutes(10))) struct ActionParserTests {
    /// One line through a parser of its own.
    private func record(_ text: String, line: Int = 1) -> ActionRecord {
        var parser = ActionParser()
        return parser.record(text, line: line)
    }

    @Test func `all four members come through`() {
        let line =
            #"{"meta":{"a":[1]},"error":true,"payload":{"x":"ü","y":[null,-2.5]},"type":"orders/placed"}"#
        #expect(
            record(line)
                == .action(
                    type: "orders/placed", payload: ["x": "ü", "y": [nil, -2.5]], error: true,
                    meta: ["a": [1]]))
    }

    @Test(
        arguments: [
            (#"{"type":"a"}"#, nil),
            (#"{"type":"a","error":false}"#, nil),
            (#" {"type":"a"} "#, nil),
            ("\t{ \"type\" : \"a\" }\r", nil),
            (#"{"type":"a","payload":null}"#, .null),
            (#"{"type":"a","payload":true}"#, true),
            (#"{"type":"a","payload":-1}"#, -1),
            (#"{"payload":18446744073709551615,"type":"a"}"#, .unsigned(.max)),
            (#"{"type":"a","payload":0.5}"#, 0.5),
            (#"{"type":"a","payload":""}"#, ""),
            (#"{"payload":"text","type":"a"}"#, "text"),
            (#"{"type":"a","payload":{}}"#, [:]),
            (#"{"type":"a","payload":[]}"#, []),
            (#"{"payload":[1,2,[3]],"type":"a"}"#, [1, 2, [3]]),
            (
                #"{"type":"a","payload":["",[{"k":"last"}],{},[],1,2.5,true,null]}"#,
                ["", [["k": "last"]], [:], [], 1, 2.5, true, nil]
            ),
            (#"{"\u0074ype":"\u0061","payload":"\ud83d\ude00"}"#, "😀"),
            (#"{"type":"a","payload":{"type":"b","x":1,"x":2}}"#, ["type": "b", "x": 2]),
        ] as [(String, Value?)])
    func `a payload of any kind comes through, alone or between other members`(text: String, payload: Value?)
    {
        #expect(record(text) == .plain("a", payload))
    }

    @Test(arguments: ["", " ", "\t", "  \t \r", "\r"])
    func `a line of white space is blank`(text: String) {
        #expect(record(text) == .blank)
    }

    @Test(arguments: [
        // Structure of an action
        ("[]", "7:1: expected an action such as {\"type\":\"orders/placed\"}, found an array"),
        ("  null", "7:3: expected an action such as {\"type\":\"orders/placed\"}, found null"),
        ("12", "7:1: expected an action such as {\"type\":\"orders/placed\"}, found an integer"),
        ("{}", "7:1: expected the member \"type\", found an object without it; name the action there"),
        (
            #"{"payload":1}"#,
            "7:1: expected the member \"type\", found an object without it; name the action there"
        ),
        (#"{"type":null}"#, "7:9: expected a string as \"type\", found null"),
        (#"{"type":["a"]}"#, "7:9: expected a string as \"type\", found an array"),
        (#"{"type":""}"#, "7:9: expected a name as \"type\", found an empty string"),
        (#"{"type":"a","error":"yes"}"#, "7:21: expected true or false as \"error\", found a string"),
        (#"{"type":"a","error":null}"#, "7:21: expected true or false as \"error\", found null"),
        (#"{"type":"a","meta":[]}"#, "7:20: expected an object as \"meta\", found an array"),
        (#"{"type":"ä","meta":null}"#, "7:20: expected an object as \"meta\", found null"),
        (
            #"{"type":"a","type":"a"}"#,
            "7:13: expected the member \"type\" once, found it again after column 2; remove one of them"
        ),
        (
            #"{"type":"a","payload":1,"payload":1}"#,
            "7:25: expected the member \"payload\" once, found it again after column 13; remove one of them"
        ),
        (
            #"{"type":"a","error":true,"error":true}"#,
            "7:26: expected the member \"error\" once, found it again after column 13; remove one of them"
        ),
        (
            #"{"meta":{},"meta":{},"type":"a"}"#,
            "7:12: expected the member \"meta\" once, found it again after column 2; remove one of them"
        ),
        (
            #"{"type":"a","paylod":1}"#,
            "7:13: expected only the members type, payload, error and meta, found \"paylod\"; "
                + "did you mean \"payload\"?"
        ),
        (
            #"{"Type":"a"}"#,
            "7:2: expected only the members type, payload, error and meta, found \"Type\"; "
                + "did you mean \"type\"?"
        ),
        (
            #"{"type":"a","timestamp":1}"#,
            "7:13: expected only the members type, payload, error and meta, found \"timestamp\"; "
                + "put it into payload or meta"
        ),
        (
            #"{"type":"a","\n":1}"#,
            "7:13: expected only the members type, payload, error and meta, found \"\\n\"; "
                + "put it into payload or meta"
        ),
        (
            "{\"" + String(repeating: "k", count: 41) + "\":1}",
            "7:2: expected only the members type, payload, error and meta, found \""
                + String(repeating: "k", count: 40) + "…\"; put it into payload or meta"
        ),
        // JSON text
        (
            "\u{FEFF}{\"type\":\"a\"}",
            "7:1: expected a value, found a byte order mark; save the text as UTF-8 without one"
        ),
        (#"{"type":"a"} x"#, "7:14: expected the end of the text, found 'x'"),
        (#"{"type":"a"}{"type":"b"}"#, "7:13: expected the end of the text, found '{'"),
        ("{\"type\":\"a\"}\0", "7:13: expected the end of the text, found U+0000"),
        ("\0", "7:1: expected a value, found U+0000"),
        ("{\0}", "7:2: expected a member name in double quotes, found U+0000"),
        (
            "{\"type\":\"a\0b\"}",
            "7:11: expected printable text in a string, found the control character U+0000; escape it"
        ),
        (
            "{\"type\":\"a\tb\"}",
            "7:11: expected printable text in a string, found the control character U+0009; escape it"
        ),
        (#"{"type":"a"#, "7:9: expected a closing '\"' for the string that starts here, found none"),
        (#"{"type":"ä","payload":1"#, "7:24: expected ',' or '}', found the end of the text"),
        (#"{"type":"a",}"#, "7:12: expected a value after ',', found a closing bracket; remove the comma"),
        (#"{'type':"a"}"#, "7:2: expected a member name in double quotes, found '''"),
        (#"{"type":"a","payload":01}"#, "7:23: expected a number without leading zeros, found one"),
        (#"{"type":"a","payload":1.}"#, "7:25: expected a digit after '.', found none"),
        (#"{"type":"a","payload":-}"#, "7:24: expected a digit after '-', found none"),
        (
            #"{"type":"a","payload":NaN}"#,
            "7:23: expected a value, found NaN; bare words are true, false and null"
        ),
        (
            #"{"type":"\ud800"}"#,
            "7:10: expected both halves of a surrogate pair, found only U+D800"
        ),
        (
            #"{"type":"é\udc00x"}"#,
            "7:11: expected both halves of a surrogate pair, found only U+DC00"
        ),
        (#"{"type":"\x"}"#, "7:10: expected one of \" \\ / b f n r t u after '\\', found 'x'"),
        (#"{"type":"\u12"}"#, "7:10: expected four hexadecimal digits after '\\u', found fewer"),
    ])
    func `a line that is no action is refused with place, reason and advice`(text: String, message: String) {
        #expect(record(text, line: 7) == .rejected(message))
    }

    @Test(
        arguments: [
            ([0xFF], 1, "FF", 10), ([0xC3], 1, "C3", 10), ([0xC0, 0x80], 1, "C0", 10),
            ([0xED, 0xA0, 0x80], 1, "ED", 10), ([0xF4, 0x90, 0x80, 0x80], 1, "F4", 10),
            (Array("äö".utf8) + [0x80], 5, "80", 12),
        ] as [([UInt8], Int, String, Int)])
    func `bytes that are not UTF-8 are named with their place`(
        bytes: [UInt8], place: Int, found: String, column: Int
    ) {
        var parser = ActionParser()
        let line = Array("{\"type\":\"".utf8) + bytes + Array("\"}".utf8)
        #expect(
            parser.record(line)
                == .rejected(
                    "1:\(column): expected UTF-8, found the byte 0x\(found) at byte \(9 + place) of the "
                        + "line, which does not belong there; write the input as UTF-8"))
    }

    @Test(arguments: [
        "18446744073709551616", "-9223372036854775809", "1e400", "-1E+999",
        "123456789012345678901234567890.5e300",
    ])
    func `a legal number beyond 64 bits and doubles is kept as text`(number: String) {
        #expect(
            record("{\"type\":\"big\",\"payload\":[\(number)],\"error\":true,\"meta\":{\"n\":\(number)}}")
                == .action(
                    type: "big", payload: [.bigNumber(number)], error: true, meta: ["n": .bigNumber(number)]))
    }

    @Test func `nesting is accepted up to the scanner's limit`() {
        func line(_ depth: Int) -> String {
            let open = String(repeating: "[", count: depth - 1)
            return "{\"type\":\"deep\",\"payload\":" + open + String(repeating: "]", count: depth - 1) + "}"
        }
        #expect(record(line(JSONText.maximumDepth)).isAction)
        #expect(
            record(line(JSONText.maximumDepth + 1))
                == .rejected("1:537: expected at most 512 containers inside each other, found more"))
    }

    @Test func `line feeds within the text given as one line move the reported line`() {
        #expect(
            record("{\n  \"type\": 1}", line: 7)
                == .rejected("8:11: expected a string as \"type\", found an integer"))
    }

    @Test func `a report of a line that was too long reads like the others`() {
        let rejection = ActionRejection(line: 3, column: 1, reason: .tooLong(bytes: 20, limit: 16))
        #expect(
            rejection.description
                == "3:1: expected at most 16 bytes in a line, found 20; split the action or raise \"ingress\"/\"maximumLineBytes\""
        )
    }

    @Test func `a line of ten megabytes is accepted, and simdjson takes nothing for it`() {
        var parser = ActionParser()
        let element = #"{"name":"abcdefghijklmnopqrstuvwxyz","id":12345},"#
        let count = 10_000_000 / element.utf8.count + 1
        let line = #"{"type":"bulk","payload":["# + String(repeating: element, count: count) + "0]}"
        guard case .action("bulk", .array(let elements)?, false, nil) = parser.record(line) else {
            Issue.record("expected an action with an array")
            return
        }
        #expect(elements.count == count + 1)
        #expect(elements[count - 1] == ["name": "abcdefghijklmnopqrstuvwxyz", "id": 12345])
        #expect(parser.capacity == 0)
        #expect(parser.record(#"{"type":"small"}"#) == .plain("small"))
        #expect(parser.capacity == 4096)
    }

    @Test func `all parts of a long line come through, and it is read as whole lines are`() {
        let text = String(repeating: "t", count: 70_000)
        let nested = #"{"a":[1,2.5,1e999,"x\u00e9",{"b":{},"b":[]}],"c":"\#(text)","c":null}"#
        let value: Value = ["a": [1, 2.5, .bigNumber("1e999"), "xé", ["b": []]], "c": nil]
        #expect(
            record(#"{"meta":\#(nested),"error":true,"payload":\#(nested),"type":"\u0061"}"#)
                == .action(type: "a", payload: value, error: true, meta: value))
        #expect(
            record(#"{"type":"a","meta":{},"payload":"\#(text)"}"#)
                == .action(type: "a", payload: .string(text), error: false, meta: [:]))
        #expect(record(#"{"type":"\#(text)"}"#) == .plain(text))
        #expect(record(String(repeating: " ", count: 70_000)) == .blank)
    }

    @Test func `a long line keeps its parts for whoever reads them later, on any thread`() throws {
        var parser = ActionParser()
        let padding = String(repeating: " ", count: 70_000)
        let bytes =
            Array(#"{"type":"a","payload":{"x":[1,{"y":2}]},"meta":{"z":3}}"#.utf8) + Array(padding.utf8)
        let outcome = unsafe bytes.withUnsafeBytes { unsafe parser.parse(InputLine(bytes: $0, number: 1)) }
        guard case .action(let action) = outcome else {
            Issue.record("expected an action")
            return
        }
        #expect(action.payload(at: try JSONPointer("/x/1/y")) == 2)
        #expect(action.payload == ["x": [1, ["y": 2]]])
        #expect(action.payloadJSON() == #"{"x":[1,{"y":2}]}"#)
        #expect(action.meta == ["z": 3])
        var written: [UInt8] = []
        try action.writeWireForm(to: &written)
        #expect(
            String(decoding: written, as: UTF8.self)
                == #"{"type":"a","payload":{"x":[1,{"y":2}]},"meta":{"z":3}}"#)
        #expect(action.renamed("b").payload == action.payload)
    }

    @Test func `payloads outlive the parser and the lines after them`() {
        var kept: [AnyAction] = []
        do {
            var parser = ActionParser()
            for number in 0..<100 {
                let line = Array(
                    "{\"type\":\"t\",\"payload\":{\"n\":\(number),\"s\":\"text \(number)\"}}".utf8)
                let padded = line + Array(repeating: 0, count: LineReader.padding)
                unsafe padded.withUnsafeBytes { bytes in
                    let text = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<line.count])
                    let outcome = unsafe parser.parse(InputLine(bytes: text, number: 1))
                    if case .action(let action) = outcome { kept.append(action) }
                }
            }
        }
        let expected = (0..<100).map { Value.object(["n": .integer($0), "s": .string("text \($0)")]) }
        #expect(kept.map(\.payload) == expected)
    }

    @Test func `a type below the host's prefix comes out apart`() {
        var parser = ActionParser()
        func isForHost(_ type: String) -> Bool {
            let line = Array("{\"type\":\"\(type)\",\"payload\":1}".utf8)
            let padded = line + Array(repeating: 0, count: LineReader.padding)
            return unsafe padded.withUnsafeBytes { bytes in
                let text = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<line.count])
                if case .hostAction = unsafe parser.parse(InputLine(bytes: text, number: 1)) { return true }
                return false
            }
        }
        #expect(
            ["host/gate/open", "host/", "host/nonsense", "\\u0068ost/a"].map(isForHost) == [
                true, true, true, true,
            ])
        #expect(["host", "hosts/", "a/host/b", "Host/a"].map(isForHost) == [false, false, false, false])
    }

    @Test func `one parser goes on after refusals and slow lines`() {
        var parser = ActionParser()
        #expect(
            parser.record("{")
                == .rejected("1:2: expected a member name in double quotes, found the end of the text"))
        #expect(
            parser.record(#"{"type":"long-enough-for-the-heap","payload":1e999}"#)
                == .plain("long-enough-for-the-heap", .bigNumber("1e999")))
        #expect(parser.record(#"{"type":"b","payload":1e999}"#) == .plain("b", .bigNumber("1e999")))
        #expect(parser.record(#"{"type":"c"}"#) == .plain("c"))
    }
}
