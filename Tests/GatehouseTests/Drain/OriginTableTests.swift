// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Gatehouse

@Suite(.timeLimit(.minutes(10))) struct OriginTableTests {
    @Test func `one origin has one number, whoever asks and from where`() {
        let table = OriginTable(limit: 100)
        let file = "Sources/Orders/Orders.swift"
        let first = table.number(of: file, "place()", nil, near: 1)
        #expect(table.number(of: file, "place()", nil, near: 1) == first)
        #expect(table.number(of: file, "place()", nil, near: 2) == first)
        #expect(table.number(of: String(file.reversed().reversed()), "place()", nil, near: 1) == first)
        #expect(table[first].file == file)
        #expect(table[first].function == "place()")
        #expect(table[first].info == nil)
    }

    @Test
    func `origins that differ in one text have different numbers, also where a place in the cache is shared`()
    {
        let table = OriginTable(limit: 100)
        let texts = [("a", "f", nil), ("b", "f", nil), ("a", "g", nil), ("a", "f", "i"), ("a", "f", "j")]
        for _ in 0..<3 {
            let numbers = texts.map { table.number(of: $0.0, $0.1, $0.2, near: 7) }
            #expect(Set(numbers).count == texts.count)
            for (number, text) in zip(numbers, texts) {
                let found = table[number]
                #expect((found.file, found.function) == (text.0, text.1))
                #expect(found.info == text.2)
            }
        }
    }

    @Test func `a full table leaves out the info first, then everything but the line`() {
        let table = OriginTable(limit: 3)
        let plain = table.number(of: "a", "f", nil, near: 1)
        _ = table.number(of: "a", "f", "known", near: 1)
        #expect(table.number(of: "a", "f", "one more", near: 1) == plain)
        let none = table.number(of: "b", "f", nil, near: 1)
        #expect(none == 0)
        #expect(table[none].file == "(one of too many sources)")
        // What was known stays known.
        #expect(table[table.number(of: "a", "f", "known", near: 1)].info == "known")
    }

    @Test func `threads that ask at once agree`() async {
        let table = OriginTable(limit: 1000)
        let numbers = await withTaskGroup(of: [UInt32].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<200).map { table.number(of: "file\($0)", "f", nil, near: UInt($0)) }
                }
            }
            return await group.reduce(into: [[UInt32]]()) { $0.append($1) }
        }
        #expect(Set(numbers).count == 1)
        #expect(Set(numbers.first ?? []).count == 200)
    }

    @Test func `a process knows sixty-five thousand places and remarks, and leaves out the others' remarks`()
        async
    {
        await #expect(processExitsWith: .success) {
            let room = 1 << 16
            let first = ActionSource(file: "f", function: "g", line: 1, info: nil)
            func source(_ number: Int) -> ActionSource { first.with(info: "\(number)") }
            let sources = (0..<room + 10).map(source)
            guard let full = sources.firstIndex(where: { $0.info == nil }) else { exit(1) }
            // A few places are in the code that runs the test.
            guard (room - 1_000..<room).contains(full) else { exit(2) }
            guard sources[full...].allSatisfy({ $0 == first }) else { exit(3) }
            guard sources[full - 1].info == "\(full - 1)" else { exit(4) }
            let other = ActionSource(file: "other", function: "g", line: 7, info: "x")
            guard other.file == "(one of too many sources)", other.line == 7 else { exit(5) }
            exit(0)
        }
    }
}
