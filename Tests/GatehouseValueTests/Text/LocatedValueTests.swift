// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

/// Values that know where they stand.
@Suite(.timeLimit(.minutes(10))) struct LocatedValueTests {
    /// The positions of all values and names in the order of the text.
    private func positions(_ value: LocatedValue) -> [String] {
        let own = ["\(value.position) \(value.kindName)"]
        switch value.content {
        case .array(let elements): return own + elements.flatMap(positions)
        case .object(let members):
            return own + members.flatMap { ["\($0.keyPosition) \($0.key)"] + positions($0.value) }
        default: return own
        }
    }

    @Test func `each value and name knows its line and column`() throws {
        let text = "{\n  \"é🚪\": [1, 2.5,\n\tnull],\r\n  \"b\": {\"c\": \"x\"}, \"d\": true\n}"
        #expect(
            positions(try JSONText.parseLocated(text)) == [
                "1:1 an object", "2:3 é🚪", "2:9 an array", "2:10 an integer", "2:13 a number", "3:2 null",
                "4:3 b", "4:8 an object", "4:9 c", "4:14 a string", "4:20 d", "4:25 a boolean",
            ])
    }

    @Test(arguments: [
        ("/* one */ 1 // two", nil), ("/**/1", nil), ("1 /* * / **/", nil),
        ("/*/ 1", "1:1"), ("1 /* *", "1:3"), ("1 / 2", "1:3"),
    ])
    func `a comment ends at its own end mark or with its line, where comments are allowed`(
        text: String, place: String?
    ) {
        do throws(JSONSyntaxError) {
            let value = try JSONText.parseLocatedWithComments(Array(text.utf8))
            #expect(value.value == 1 && place == nil)
        } catch {
            #expect("\(error.position)" == place)
        }
    }

    @Test func `offsets count bytes`() throws {
        guard case .array(let elements) = try JSONText.parseLocated("[\"é🚪\", 1]").content else {
            Issue.record("expected an array")
            return
        }
        #expect(elements[1].position == TextPosition(line: 1, column: 8, offset: 11))
    }

    @Test func `repeated names are kept, and the last counts as a value`() throws {
        let located = try JSONText.parseLocated(#"{"a":1,"a":2}"#)
        guard case .object(let members) = located.content else {
            Issue.record("expected an object")
            return
        }
        #expect(members.map(\.key) == ["a", "a"])
        #expect(members.map(\.keyPosition.column) == [2, 8])
        #expect(located.value == ["a": 2])
    }

    @Test(arguments: [
        ("", 1, 1), ("/a", 12, 8), ("/list", 24, 16), ("/list/1/b", 34, 30), ("/list/0", 25, 25),
        ("/list/2", 24, 24), ("/list/01", 24, 24), ("/list/+1", 24, 24), ("/a/deeper", 12, 12),
        ("/list/1/c", 29, 29),
    ])
    func `a pointer leads to a part and its key, or to the innermost part that is there`(
        pointer: String, value: Int, key: Int
    ) throws {
        let located = try JSONText.parseLocated(#"{"a":1,"a":2 , "list": [10, {"b":20}]}"#)
        let found = located.nearest(to: try JSONPointer(pointer))
        #expect(found.part.position.column == value)
        #expect(found.keyPosition.column == key)
    }
}
