// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary
@testable import GatehouseSDK

/// What a plugin's bytes are read as.
@Suite(.timeLimit(.minutes(10))) struct ForeignReaderTests {
    /// Reads actions one after the other with one reader.
    private func read(_ actions: [(name: String, error: Bool, payload: String)]) throws -> [AnyAction] {
        var reader = ForeignReader()
        var read: [AnyAction] = []
        for (name, error, payload) in actions {
            read.append(try self.read(name, error: error, payload, by: &reader))
        }
        return read
    }

    /// Reads one action.
    private func read(
        _ name: String, error: Bool = false, _ payload: String, by reader: inout ForeignReader
    ) throws -> AnyAction {
        let (name, payload) = (Array(name.utf8), Array(payload.utf8))
        return try unsafe name.withUnsafeBytes { name in
            try unsafe payload.withUnsafeBytes { payload in
                try unsafe reader.action(named: name, error: error, payload: payload)
            }
        }
    }

    @Test func `actions are read one after the other, also after one that is none`() throws {
        let long = "\"" + String(repeating: "x", count: 70_000) + "\""
        let read = try read([
            ("one", false, #"{"a":[1,"b"]}"#), ("two", true, ""), ("one", false, long), ("one", true, "7"),
            ("three", false, #""""#),
        ])
        #expect(read.map(\.type.name) == ["one", "two", "one", "one", "three"])
        #expect(read.map(\.isError) == [false, true, false, true, false])
        #expect(
            read.map(\.payload) == [
                ["a": [1, "b"]], nil, .string(String(repeating: "x", count: 70_000)), 7, "",
            ])
    }

    @Test func `an action that is let go leaves its memory to the next`() throws {
        var reader = ForeignReader()
        weak var first: ActionContent?
        first = try read("one", #"{"n":1}"#, by: &reader).content
        let next = try read("two", "[2]", by: &reader)
        #expect(next.content === first)
        #expect(next.payload == [2])
    }

    @Test(arguments: [65_534, 65_535, 65_536, 65_537, 65_538])
    func `a payload around 64 KiB is read whole`(count: Int) throws {
        let text = String(repeating: "y", count: count - 2)
        #expect(try read([("one", false, "\"\(text)\"")]).map(\.payload) == [.string(text)])
        let error = #expect(throws: CodingFailure.self) {
            try read([("one", false, "\"\(text)x")])
        }
        #expect(error?.expected == "JSON for \"one\"")
    }

    @Test func `an action without a name, or with a payload that is no JSON, is told with the place`() {
        let unnamed = #expect(throws: CodingFailure.self) { try read([("", false, "1")]) }
        #expect(unnamed?.description == "/type: expected the name of an action, found none")
        let wrong = #expect(throws: CodingFailure.self) { try read([("one", false, "{")]) }
        #expect(
            wrong?.description.hasPrefix("/payload: expected JSON for \"one\", found text that is not, ")
                == true)
    }

    @Test func `a text is checked as JSON, whatever was before`() throws {
        let shared = SharedForeignReader()
        try shared.check(Array("[1]".utf8))
        for text in ["", "[1", "[1]]", "nul"] {
            #expect(throws: JSONSyntaxError.self) { try shared.check(Array(text.utf8)) }
        }
        try shared.check(Array("\"\(String(repeating: "x", count: 70_000))\"".utf8))
        try shared.check(Array("null".utf8))
    }
}
