// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseValue

/// Writing values as tapes and reading them back.
@Suite(.timeLimit(.minutes(10))) struct TapeTests {
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `a value survives the way through a tape`(seed: UInt64) {
        var generator = Generator(seed: seed)
        let value = generator.value()
        // Compared as text too: it also tells the number kinds and the order of members apart.
        #expect(Tape.make(value).root.value == value, "seed \(seed)")
        #expect(Tape.make(value).root.json() == value.json(), "seed \(seed)")
    }

    /// The words and bytes of {"a":[1,"x"],"b":null} as they lie at the end of a larger document, in which the
    /// value starts at word 11 and its texts at byte 100.
    @Test func `a part of a larger document is copied without rewriting`() {
        let words: [UInt64] = [
            0x7B00_0002_0000_0015, 0x2200_0000_0000_0064, 0x5B00_0002_0000_0012, 0x6C00_0000_0000_0000, 1,
            0x2200_0000_0000_006A, 0x5D00_0000_0000_000D, 0x2200_0000_0000_0070, 0x6E00_0000_0000_0000,
            0x7D00_0000_0000_000B,
        ]
        let strings: [UInt8] = [1, 0, 0, 0, 0x61, 0, 1, 0, 0, 0, 0x78, 0, 1, 0, 0, 0, 0x62, 0]
        let tape = unsafe words.withUnsafeBufferPointer { words in
            unsafe strings.withUnsafeBytes { bytes in
                unsafe Tape.copying(words: words, wordBase: 11, strings: bytes, stringBase: 100)
            }
        }
        #expect(tape.root.json() == #"{"a":[1,"x"],"b":null}"#)
        #expect(tape.root["a"]?[1]?.equals("x") == true)
        #expect(tape.root.count == 2)
        #expect(tape.root["a"]?.count == 2)
    }

    /// A document to look around in.
    static let document = Tape.make(
        [
            "name": "gate", "open": true, "count": 3, "ratio": 0.5, "whole": 4.0, "none": nil,
            "list": [1, [2, 3], ["deep": "yes"]], "": "empty", "a/b": 1, "max": .unsigned(.max),
            "big": .bigNumber("170141183460469231731687303715884105727"),
        ])

    @Test(arguments: [
        ("", "an object"), ("/name", "a string"), ("/open", "a boolean"), ("/count", "an integer"),
        ("/ratio", "a number"), ("/none", "null"), ("/list", "an array"), ("/list/0", "an integer"),
        ("/list/1/1", "an integer"), ("/list/2/deep", "a string"), ("/", "a string"), ("/a~1b", "an integer"),
        ("/max", "an integer"), ("/big", "a number"), ("/absent", "nothing"), ("/list/3", "nothing"),
        ("/list/-", "nothing"), ("/list/00", "nothing"), ("/name/0", "nothing"), ("/list/2/Deep", "nothing"),
    ])
    func `a pointer leads to the same place on the tape and in the tree`(text: String, kind: String) throws {
        let pointer = try JSONPointer(text)
        let view = Self.document.root[pointer]
        #expect((view?.kind.name ?? "nothing") == kind)
        #expect(view?.value == Self.document.root.value[pointer])
    }

    @Test func `scalars are read as what they can stand for`() {
        let root = Self.document.root
        #expect(root["count"]?.intValue == 3)
        #expect(root["count"]?.doubleValue == 3)
        #expect(root["whole"]?.intValue == 4)
        #expect(root["ratio"]?.intValue == nil)
        #expect(root["max"]?.intValue == nil)
        #expect(root["max"]?.integer(UInt64.self) == .max)
        #expect(root["big"]?.integer(Int128.self) == .max)
        #expect(root["big"]?.integer(Int64.self) == nil)
        #expect(root["open"]?.boolValue == true)
        #expect(root["name"]?.boolValue == nil)
        #expect(root["name"]?.stringValue == "gate")
        #expect(root["big"]?.stringValue == nil)
        #expect(root["none"]?.isNull == true)
        let length = unsafe root["name"]?.withUTF8 { $0.count }
        #expect(length == 4)
    }

    @Test func `members and elements come in the order of the text`() throws {
        let root = Tape.make(try JSONText.parse(#"{"z":{"k":[]},"a":[[],{},7],"m":1.5}"#)).root
        #expect(root.members.map { $0.name.stringValue } == ["z", "a", "m"])
        #expect(root.members.map { $0.value.json() } == [#"{"k":[]}"#, "[[],{},7]", "1.5"])
        #expect(root["a"]?.elements.map { $0.json() } == ["[]", "{}", "7"])
        #expect(Array(root.elements.map(\.kind)) == [])
        #expect(root["m"]?.count == 0)
    }

    @Test(arguments: [[], [1], [[], 1], ["x", [2, [3]], nil], [:], ["a": 1, "b": [2, 3]]] as [Value])
    func `a count that the tape has no room for is that of a walk`(value: Value) {
        let tape = Tape.make(value)
        #expect(tape.longCount(of: 0) == tape.root.count)
    }

    @Test func `names are compared byte by byte`() {
        let root = Tape.make(["\u{E9}": 1, "e\u{301}": 2]).root
        #expect(root.count == 2)
        #expect(root["\u{E9}"]?.intValue == 1)
        #expect(root["e\u{301}"]?.intValue == 2)
    }

    @Test func `a detached part no longer holds the document`() {
        let list = Self.document.root["list"]
        #expect(list?.detached().root.json() == "[1,[2,3],{\"deep\":\"yes\"}]")
        #expect(Self.document.root.detached().root.json() == Self.document.root.json())
    }
}
