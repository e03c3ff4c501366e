// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

/// Pointers are read, written and followed as RFC 6901 says.
@Suite(.timeLimit(.minutes(10))) struct JSONPointerTests {
    /// The document of section 5.
    static let document: Value = [
        "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7,
        "m~n": 8,
    ]

    @Test(arguments: [
        ("", document.json()), ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"),
        ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"),
        ("/m~0n", "8"),
    ])
    func `the examples of section 5 lead where the standard says`(text: String, found: String) throws {
        let pointer = try JSONPointer(text)
        #expect(Self.document[pointer]?.json() == found)
        #expect(pointer.description == text)
    }

    @Test(arguments: [
        "/foo/2", "/foo/-", "/foo/01", "/foo/+1", "/foo/", "/foo/99999999999999999999", "/x", "//",
    ])
    func `a place that does not exist is nil`(text: String) throws {
        #expect(Self.document[try JSONPointer(text)] == nil)
    }

    @Test func `an escaped escape is read once`() throws {
        #expect(try JSONPointer("/~01").tokens == ["~1"])
        #expect(JSONPointer(tokens: ["~1", "a/b", ""]).description == "/~01/a~1b/")
    }

    @Test(arguments: [
        ("foo", #"JSON Pointer "foo": expected "/" in front, found none; write "/foo", or "" for the whole"#),
        (
            "/a~",
            #"JSON Pointer "/a~": expected 0 or 1 after "~", found neither; write ~0 for "~", ~1 for "/""#
        ),
        (
            "/~2",
            #"JSON Pointer "/~2": expected 0 or 1 after "~", found neither; write ~0 for "~", ~1 for "/""#
        ),
    ])
    func `a text that is no pointer is explained`(text: String, message: String) {
        let error = #expect(throws: JSONPointerError.self) { try JSONPointer(text) }
        #expect(error?.description == message)
    }

    @Test(arguments: [
        ("", "/a", true), ("/a", "/a", true), ("/a", "/a/b", true), ("/a", "/ab", false),
        ("/a/b", "/a", false),
    ])
    func `a pointer contains itself and all below`(outer: String, inner: String, contained: Bool) throws {
        #expect(try JSONPointer(outer).contains(JSONPointer(inner)) == contained)
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `tokens survive the way through text`(seed: UInt64) throws {
        var generator = Generator(seed: seed)
        let pointer = JSONPointer(tokens: [generator.text(), generator.text()]).appending(generator.text())
        #expect(try JSONPointer(pointer.description) == pointer, "seed \(seed)")
    }
}
