// SPDX-License-Identifier: Apache-2.0

import SeededTesting
import Testing

@testable import GatehouseSDK

/// Names that stay and names that pass, in a table with little room.
@Suite(.timeLimit(.minutes(10))) struct ActionNamesTests {
    /// A table with room for a few names.
    private final class Table {
        private let hash = NameHash()
        private var names: ActionNames

        init(names: Int = 8, bytes: Int = 1_000, sweptBytes: Int? = nil) {
            self.names = ActionNames(
                room: ActionNames.Room(
                    names: names, bytes: bytes, sweptNames: 4, sweptBytes: sweptBytes ?? bytes))
        }

        func literal(_ name: String) -> ActionName {
            unsafe with(name) { unsafe names.literal($0, hash: $1) }
        }

        func passing(_ name: String) -> ActionName? {
            unsafe with(name) { unsafe names.passing($0, hash: $1) }
        }

        func follower(_ name: String, of leader: ActionType) -> ActionName {
            unsafe with(name) { unsafe names.follower($0, hash: $1, of: leader) }
        }

        func follow(_ name: ActionName, _ leader: ActionName) { names.follow(name, leader) }

        func name(of type: ActionType) -> String? { names.name(of: type)?.text }

        /// Lets so many names pass that nobody holds.
        func stir(_ count: Int = 100) {
            for number in 0..<count { _ = passing("stir/\(number)") }
        }

        private func with<Result>(_ name: String, _ body: (UnsafeRawBufferPointer, UInt64) -> Result)
            -> Result
        {
            var name = name
            return name.withUTF8 {
                let bytes = UnsafeRawBufferPointer($0)
                return unsafe body(bytes, hash(bytes))
            }
        }
    }

    @Test func `a literal name has one type for ever, at a place of its own`() {
        let table = Table()
        let types = ["a", "b", "", "é", "e\u{301}"].map { table.literal($0).type }
        table.stir()
        #expect(types.map(\.place) == [1, 2, 3, 4, 5])
        #expect(types.map { table.name(of: $0) } == ["a", "b", "", "é", "e\u{301}"])
        #expect(table.literal("a").type == types[0])
        #expect(table.passing("b")?.type == types[1])
    }

    @Test func `a name that nobody holds is forgotten, and no other name gets its type`() {
        let table = Table()
        let forgotten = (0..<50).compactMap { table.passing("x/\($0)")?.type }
        table.stir()
        #expect(Set(forgotten).count == 50)
        #expect(forgotten.allSatisfy { table.name(of: $0) == nil })
        let again = table.passing("x/0")
        #expect(again?.text == "x/0")
        #expect(again?.type != forgotten[0])
        // Numbers of places are given again, so that tables by place stay small.
        #expect((again?.type.place ?? .max) <= 8)
    }

    @Test func `a name that somebody holds stays`() {
        let table = Table()
        let held = table.passing("held")
        table.stir()
        #expect(table.passing("held") === held)
        #expect(held.map { table.name(of: $0.type) } == "held")
    }

    @Test func `a name that is looked up now and then stays longer than one that is not`() {
        let table = Table()
        let type = table.passing("often")?.type
        for number in 0..<100 {
            _ = table.passing("stir/\(number)")
            _ = table.passing("often")
        }
        #expect(table.passing("often")?.type == type)
    }

    @Test func `a new name is refused while all room is in use, and taken as soon as one is let go`() {
        let table = Table(names: 8)
        var held = (0..<8).compactMap { table.passing("held/\($0)") }
        #expect(held.count == 8)
        #expect(table.passing("one/more") == nil)
        #expect(table.passing("held/3") === held[3])
        #expect(table.literal("literal").text == "literal")
        held.removeLast()
        #expect(table.passing("one/more")?.text == "one/more")
        #expect(held.enumerated().allSatisfy { $1.text == "held/\($0)" })
    }

    @Test func `names are bounded by their bytes too`() {
        let table = Table(names: 1_000, bytes: 1_000)
        let long = String(repeating: "n", count: 490)
        let held = ["a", "b"].compactMap { table.passing($0 + long) }
        #expect(held.count == 2)
        #expect(table.passing("c" + long) == nil)
        #expect(table.passing("short")?.text == "short")
        withExtendedLifetime(held) {}
    }

    @Test func `names that are held may have all the bytes there are, however early it pays to sweep`() {
        let table = Table(names: 1_000, bytes: 1_000, sweptBytes: 100)
        let held = (0..<9).compactMap { table.passing("\($0)" + String(repeating: "n", count: 99)) }
        #expect(held.count == 9)
        #expect(held.allSatisfy { table.name(of: $0.type) == $0.text })
    }

    @Test func `a follower is known as long as its leader, also where they follow each other`() throws {
        let table = Table()
        var leader = table.passing("a/1")
        let type = try #require(leader?.type)
        let follower = table.follower("b/1", of: type).type
        let second = table.follower("a/1", of: follower).type
        #expect(second == type)
        table.stir()
        #expect(table.name(of: follower) == "b/1")
        #expect(table.passing("b/1")?.type == follower)
        leader = nil
        table.stir()
        #expect(table.name(of: follower) == nil)
        #expect(table.name(of: type) == nil)
        withExtendedLifetime(leader) {}
    }

    @Test func `a name that is said in code after it arrived keeps its type and stays, with its followers`()
        throws
    {
        let table = Table()
        let type = try #require(table.passing("a")?.type)
        let follower = table.follower("b", of: type).type
        #expect(table.literal("a").type == type)
        table.stir()
        #expect(table.name(of: type) == "a")
        #expect(table.name(of: follower) == "b")
        #expect(table.follower("c", of: type).type.place != 0)
    }

    @Test func `what follows a literal name stays`() {
        let table = Table()
        let follower = table.follower("local", of: table.literal("global").type).type
        table.stir()
        #expect(table.name(of: follower) == "local")
    }

    @Test func `a type never means two names, whatever is held and let go`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let table = Table(names: 32)
        var names: [ActionType: String] = [:]
        var held: [ActionName] = []
        func note(_ name: ActionName?, _ text: String) {
            guard let name else { return #expect(held.count >= 16, "seed \(seed): refused with room") }
            #expect(name.text == text, "seed \(seed)")
            #expect(
                names.updateValue(text, forKey: name.type) ?? text == text, "seed \(seed): \(name.type.id)")
            if Bool.random(using: &random) { held.append(name) }
        }
        for _ in 0..<5_000 {
            let text = "n/\(Int.random(in: 0..<200, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0: held.removeAll { _ in Bool.random(using: &random) }
            case 1:
                guard let leader = held.randomElement(using: &random) else { continue }
                note(table.follower(text, of: leader.type), text)
            default: note(table.passing(text), text)
            }
            #expect(held.allSatisfy { table.name(of: $0.type) == $0.text }, "seed \(seed)")
        }
    }

    @Test func `thousands of names are found again, each under its own type`() {
        let table = Table(names: 10_000, bytes: 1_000_000)
        let literals = (0..<3_000).map { table.literal("literal/\($0)") }
        let passing = (0..<3_000).compactMap { table.passing("passing/\($0)") }
        #expect(Set((literals + passing).map(\.type)).count == 6_000)
        #expect((0..<3_000).allSatisfy { table.literal("literal/\($0)") === literals[$0] })
        #expect((0..<3_000).allSatisfy { table.passing("passing/\($0)") === passing[$0] })
        #expect(literals.allSatisfy { table.name(of: $0.type) == $0.text })
    }
}
