// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

@Suite(.timeLimit(.minutes(10))) struct LocatedNodeTests {
    /// The beginning of the way through a text, and where its mistakes go.
    private func root(_ text: String) throws -> (node: LocatedNode, log: LocatedLog) {
        let log = LocatedLog(file: "f")
        return (try #require(LocatedNode(parsing: Array(text.utf8), log: log)), log)
    }

    @Test func `a part knows its way from the whole, and a member its key`() throws {
        let (root, _) = try root(#"{"a": [0, {"b/c": 1}]}"#)
        let part = try #require(root.object?["a"]?.elements?[1].object?["b/c"])
        #expect(part.path.description == "a[1].b/c")
        #expect(part.path.pointer.description == "/a/1/b~1c")
        #expect(part.key == "b/c")
        #expect(part.keyPosition?.column == 12)
        #expect(root.object?["a"]?.elements?[1].key == "")
        #expect(root.elements == nil)
    }

    @Test func `of repeated keys the first is the member, the others are told apart`() throws {
        let (root, _) = try root("{\"a\": 1, \"b\": 2,\n\"a\": 3, \"a\": 4}")
        let object = try #require(root.object)
        #expect(object.members.map(\.key) == ["a", "b"])
        #expect(object["a"]?.value.value == 1)
        #expect(object.repeated.map(\.member.value.value) == [3, 4])
        #expect(object.repeated.map(\.first.column) == [2, 2])
    }

    @Test func `keys are compared byte by byte`() throws {
        let (root, _) = try root("{\"\u{e9}\": 1, \"e\u{301}\": 2}")
        #expect(root.object?.repeated.count == 0)
        #expect(root.object?["e\u{301}"]?.value.value == 2)
    }

    @Test func `problems come in the order of the text, whatever the order of reading`() throws {
        let (root, log) = try root(#"{"a": 1, "b": 2}"#)
        let object = try #require(root.object)
        object["b"]?.report(expected: "a string", advice: "quote it")
        object["b"]?.reportKey("an odd key")
        object["a"]?.report("odd", isWarning: true)
        root.report("all of it is odd")
        #expect(
            log.problems.map(\.description) == [
                "1:1: all of it is odd", #"1:7: "a": odd"#, #"1:10: "b": an odd key"#,
                #"1:15: "b": expected a string, found an integer; quote it"#,
            ])
        #expect(log.problems.map(\.isWarning) == [false, true, false, false])
    }

    @Test func `a text that is not JSON has one problem`() {
        let log = LocatedLog()
        #expect(LocatedNode(parsing: Array("[".utf8), log: log) == nil)
        #expect(log.problems.map(\.path) == [.whole])
    }

    @Test(arguments: 1...20)
    func `a pointer of a part leads to its value`(seed: UInt64) throws {
        var random = Generator(seed: seed)
        let text = random.value().json()
        let value = try JSONText.parse(Array(text.utf8))
        let (root, _) = try root(text)
        var waiting = [root]
        while let node = waiting.popLast() {
            #expect(value[node.path.pointer] == node.value.value, "seed \(seed), at \(node.path)")
            waiting += node.elements ?? node.object?.members ?? []
        }
    }

    @Test(arguments: [
        ("\"a\\nb\"", #""a\nb""#), ("[1]", "an array"), ("{}", "an object"), ("null", "null"),
        ("\"" + String(repeating: "x", count: 61) + "\"", "\"" + String(repeating: "x", count: 60) + "…\""),
        ("\"" + String(repeating: "x", count: 60) + "\"", "\"" + String(repeating: "x", count: 60) + "\""),
        (String(repeating: "1", count: 60), String(repeating: "1", count: 60)),
        (String(repeating: "1", count: 61), String(repeating: "1", count: 60) + "…"),
    ])
    func `a value is quoted on one line, cut when it is long`(text: String, quoted: String) throws {
        #expect(try JSONText.parse(Array(text.utf8)).quoted == quoted)
    }
}
