// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

/// Long texts, of which only what somebody asks for is read.
@Suite(.timeLimit(.minutes(10))) struct JSONOutlineTests {
    /// The outline of a text, with the text of its root and of the members with some names.
    private func outline(
        _ text: [UInt8], members: Int = 5, texts names: [String] = []
    ) throws -> (outline: JSONOutline, whole: CheckedText, texts: [CheckedText?]) {
        try unsafe text.withUnsafeBytes { bytes in
            let outline = try unsafe JSONText.outline(bytes, members: members)
            return unsafe (
                outline, outline.text(in: bytes), names.map { unsafe outline.text(of: $0, in: bytes) }
            )
        }
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `a text laid out on a tape is the same as its value`(seed: UInt64) throws {
        var generator = Generator(seed: seed)
        let value = generator.value()
        let text = " " + value.json(.pretty) + "\n"
        let tape = Tape.make(try outline(Array(text.utf8)).whole)
        #expect(tape.root.value == value, "seed \(seed)")
        #expect(tape.root.json() == value.json(), "seed \(seed)")
    }

    @Test func `containers in the root are empty, and their texts are found by name`() throws {
        let text = #"{"a":[1,{"b":2}],"b":{"c":3},"d":"x","a":4}"#
        let read = try outline(Array(text.utf8), texts: ["a", "b", "e"])
        guard case .object(let members) = read.outline.root.content else {
            Issue.record("expected an object")
            return
        }
        #expect(members.map(\.key) == ["a", "b", "d", "a"])
        #expect(members.map(\.value.value) == [[], [:], "x", 4])
        #expect(members.map(\.value.position.column) == [6, 22, 34, 42])
        #expect(members.map(\.keyPosition.column) == [2, 18, 30, 38])
        #expect(read.texts.map { $0.map { Tape.make($0).root.json() } } == ["4", #"{"c":3}"#, nil])
    }

    @Test func `members beyond the limit are left out but checked`() throws {
        let members = try outline(Array(#"{"a":1,"b":2,"c":3}"#.utf8), members: 2).outline.root.value
            .objectValue
        #expect(members?.keys == ["a", "b"])
        let error = #expect(throws: JSONSyntaxError.self) {
            try outline(Array(#"{"a":1,"b":[2,]}"#.utf8), members: 1)
        }
        #expect(
            error?.description
                == "1:14: expected a value after ',', found a closing bracket; remove the comma")
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `the outline refuses what the whole reading refuses, with the same words`(seed: UInt64) {
        var generator = Generator(seed: seed)
        var text = Array(generator.value().json().utf8)
        text[Int(generator.next() % UInt64(text.count))] = generator.pick(Array("{}[],:\"\\x0-".utf8))
        var found: JSONSyntaxError?
        var wanted: JSONSyntaxError?
        do { _ = try JSONText.parseLocated(text) } catch { wanted = error }
        do { _ = try outline(text) } catch {
            found = error as? JSONSyntaxError
        }
        #expect(found == wanted, "seed \(seed)")
    }

    @Test(arguments: [
        ("/a/1/b", "x", true), ("/a/0", "1", true), ("/a/2", "an empty array", false), ("/c/d", "7", false),
        ("", "an empty object", true), ("/e", "an empty object", false),
    ])
    func `the part at a pointer is found without reading the rest`(
        pointer: String, found: String, isThere: Bool
    ) throws {
        let text = #"{"a":"first","c":7,"a":[1,{"b":"y","b":"x"}]}"#
        let pointer = try JSONPointer(pointer)
        let part = try unsafe Array(text.utf8).withUnsafeBytes {
            try unsafe JSONText.part(at: pointer, of: $0)
        }
        let shown =
            switch part.part.value {
            case .array: "an empty array"
            case .object: "an empty object"
            case .string(let text): text
            case let other: other.json()
            }
        #expect(shown == found)
        #expect(part.isThere == isThere)
    }
}
