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
        var followers: [ActionType: Set<ActionType>] = [:]
        // What is held stays, with all that follows it.
        func kept() -> Int {
            var kept = Set(held.map(\.type))
            var leaders = Array(kept)
            while let leader = leaders.popLast() {
                for follower in followers[leader] ?? [] where kept.insert(follower).inserted {
                    leaders.append(follower)
                }
            }
            return kept.count
        }
        func note(_ name: ActionName?, _ text: String) {
            guard let name else { return #expect(kept() >= 32, "seed \(seed): refused with room") }
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
                let name = table.follower(text, of: leader.type)
                followers[leader.type, default: []].insert(name.type)
                note(name, text)
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

    /// The types of new names that nobody holds, one for each text.
    private func types(_ texts: [String], in table: Table) throws -> [ActionType] {
        try texts.map { text in try #require(table.passing(text)?.type) }
    }

    @Test func `a table has the room that is promised, and does not sweep before that pays`() {
        let room = ActionNames.Room()
        #expect((room.names, room.bytes) == (65_536, 16 << 20))
        #expect((room.sweptNames, room.sweptBytes) == (4_096, 256 << 10))
    }

    @Test func `the name that is one too many makes all go that nobody holds, and the one before does not`()
        throws
    {
        let table = Table(names: 100)
        let types = try types(["a", "b", "c", "d"], in: table)
        #expect(types.allSatisfy { table.name(of: $0) != nil })
        let last = try #require(table.passing("e")?.type)
        #expect(types.allSatisfy { table.name(of: $0) == nil })
        #expect(table.name(of: last) == "e")
    }

    @Test func `the byte that is one too many makes all go that nobody holds, and the one before does not`()
        throws
    {
        let table = Table(names: 100, bytes: 100, sweptBytes: 10)
        let types = try types(["aaaa", "bbbbbb"], in: table)
        #expect(types.allSatisfy { table.name(of: $0) != nil })
        _ = table.passing("c")
        #expect(types.allSatisfy { table.name(of: $0) == nil })
    }

    @Test func `all bytes of the room may be in use, and none beyond`() {
        let table = Table(names: 100, bytes: 10, sweptBytes: 10)
        let held = ["aaaa", "bbbbbb"].map { table.passing($0) }
        #expect(held.allSatisfy { $0 != nil })
        #expect(table.passing("c") == nil)
        let other = Table(names: 100, bytes: 10, sweptBytes: 10)
        let nine = other.passing("aaaaaaaaa")
        #expect(other.passing("bb") == nil)
        #expect(other.passing("b") != nil)
        withExtendedLifetime((held, nine)) {}
    }

    @Test func `after a sweep the next one waits for twice as many names, or bytes`() throws {
        let table = Table(names: 100)
        let held = (0..<4).map { table.passing("held/\($0)") }
        // The fifth one sweeps, and up to eight may be there from then on.
        let types = try types(["a", "b", "c", "d"], in: table)
        #expect(types.allSatisfy { table.name(of: $0) != nil })
        _ = table.passing("e")
        #expect(types.allSatisfy { table.name(of: $0) == nil })
        #expect(held.allSatisfy { $0.map { table.name(of: $0.type) } != nil })

        let small = Table(names: 100, bytes: 1_000, sweptBytes: 10)
        let ten = small.passing("0123456789")
        // The twelve bytes that are wanted then are doubled.
        let more = try self.types(["aa", "0123456789a", "b"], in: small)
        #expect(more.allSatisfy { small.name(of: $0) != nil })
        _ = small.passing("c")
        #expect(more.allSatisfy { small.name(of: $0) == nil })
        withExtendedLifetime((held, ten)) {}
    }

    @Test func `a name that was looked up once stays through one sweep, and not through the next`() throws {
        let table = Table(names: 100)
        let type = try #require(table.passing("used")?.type)
        _ = table.passing("used")
        let others = try types(["a", "b", "c"], in: table)
        _ = table.passing("d")
        #expect(table.name(of: type) == "used")
        #expect(others.allSatisfy { table.name(of: $0) == nil })
        _ = try types(["e", "f", "g"], in: table)
        #expect(table.name(of: type) == nil)
    }

    @Test func `names that were forgotten leave their room, and no more than that`() {
        let table = Table(names: 8, bytes: 64, sweptBytes: 64)
        table.stir(1_000)
        var held = (0..<8).compactMap { table.passing("held/\($0)") }
        #expect(held.count == 8)
        #expect(table.passing("one/more") == nil)
        held.removeLast()
        // Seven names have forty-two of the sixty-four bytes.
        #expect(table.passing(String(repeating: "x", count: 23)) == nil)
        #expect(table.passing(String(repeating: "x", count: 22)) != nil)
    }

    @Test func `a name that becomes permanent leaves its room, and no more than that`() {
        let table = Table(names: 4, bytes: 20, sweptBytes: 20)
        var held = ["a", "b", "c", "dddd"].map { table.passing($0) }
        #expect(table.passing("e") == nil)
        _ = table.literal("dddd")
        // Three bytes are in use.
        #expect(table.passing(String(repeating: "e", count: 18)) == nil)
        held.append(table.passing(String(repeating: "e", count: 17)))
        #expect(held.last??.count == 17)
        #expect(table.passing("f") == nil)
        #expect(table.literal("dddd").text == "dddd")
        // It is permanent once.
        _ = table.literal("dddd")
        #expect(table.passing("f") == nil)
    }

    @Test func `each name of a place has the next turn, and a permanent one has none`() throws {
        let table = Table(names: 100)
        #expect(table.literal("literal").type.id == 1)
        let first = try types(["a", "b", "c", "d"], in: table)
        #expect(first.map(\.id) == (UInt64(2)...5).map { 1 << 32 | $0 })
        // All of them are forgotten for the next one, which has the place of one of them.
        let next = try #require(table.passing("e")?.type)
        #expect((2...5).contains(next.place))
        #expect(next.id >> 32 == 2)
    }

    @Test func `a follower of a follower is known as long as the first leader`() throws {
        let table = Table()
        var leader = table.passing("a")
        let second = table.follower("b", of: try #require(leader?.type)).type
        let third = table.follower("c", of: second).type
        table.stir()
        #expect(table.name(of: second) == "b")
        #expect(table.name(of: third) == "c")
        leader = nil
        table.stir()
        #expect(table.name(of: second) == nil)
        #expect(table.name(of: third) == nil)
        withExtendedLifetime(leader) {}
    }

    @Test func `a name that follows a permanent one becomes permanent, and so do its own followers`() throws {
        let table = Table()
        let name = try #require(table.passing("a"))
        let own = table.follower("b", of: name.type).type
        let type = name.type
        table.follow(name, name)
        table.follow(name, table.literal("literal"))
        table.stir()
        #expect(table.name(of: type) == "a")
        #expect(table.name(of: own) == "b")
    }

    @Test func `what follows a name that was forgotten passes like any other`() throws {
        let table = Table()
        let gone = try #require(table.passing("gone")?.type)
        table.stir()
        let type = table.follower("a", of: gone).type
        #expect(table.name(of: type) == "a")
        table.stir()
        #expect(table.name(of: type) == nil)
    }

    @Test func `a place that is given again leads nobody`() throws {
        let table = Table()
        var leader = table.passing("leader")
        let place = try #require(leader?.type.place)
        let followed = table.follower("follower", of: try #require(leader?.type)).type.place
        leader = nil
        table.stir()
        // Both places have other names now, of which only the first is held.
        var held: [ActionName] = []
        for number in 0..<8 { if let name = table.passing("other/\(number)") { held.append(name) } }
        let other = try #require(held.first { $0.type.place == followed }?.type)
        let first = try #require(held.first { $0.type.place == place }?.type)
        held.removeAll { $0.type.place != place }
        table.stir()
        #expect(table.name(of: first) != nil)
        #expect(table.name(of: other) == nil)
        withExtendedLifetime((leader, held)) {}
    }
}
