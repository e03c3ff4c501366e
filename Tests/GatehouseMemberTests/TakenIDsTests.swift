// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseMember

@Suite(.timeLimit(.minutes(10)))
struct TakenIDsTests {
    /// An id, and maybe the hash of its action's key.
    private func id(_ id: String, _ hash: UInt64? = nil) -> TakenIDs.Entry { .init(id: id, hash: hash) }

    @Test func `an action of a name that has been there is not taken`() {
        var ids = TakenIDs(window: 60)
        #expect(ids.take(id("a"), at: .init(100)) == true)
        #expect(ids.take(id("a"), at: .init(100)) == false)
        #expect(ids.take(id("b"), at: .init(100)) == true)
    }

    @Test func `without a window names are not looked at`() {
        var ids = TakenIDs(window: 0)
        #expect(ids.take(id("a"), at: .init(1)) == true)
        #expect(ids.take(id("a"), at: .init(1)) == true)
        #expect(ids.write(at: .init(1), number: 1).slice == nil)
    }

    @Test func `each checkpoint writes what is new, and lets go of what is too old`() throws {
        var ids = TakenIDs(window: 60)
        _ = ids.take(id("a"), at: .init(100))
        let first = ids.write(at: .init(100), number: 7)
        #expect(first.slice?.name == "ids:100.7.100")
        #expect(first.slice?.bytes == Array(#"["a"]"#.utf8))
        #expect(first.gone == [])
        #expect(ids.write(at: .init(159), number: 8).slice == nil)
        _ = ids.take(id("b"), at: .init(160))
        let last = ids.write(at: .init(160), number: 9)
        #expect(last.slice?.bytes == Array(#"["b"]"#.utf8))
        #expect(last.gone == ["ids:100.7.100"])
        #expect(ids.write(at: .init(161), number: 9).gone == [])
        #expect(ids.take(id("a"), at: .init(161)) == true)
        #expect(ids.take(id("b"), at: .init(161)) == false)
    }

    @Test func `a name that is too old may be taken again before the next checkpoint`() {
        var ids = TakenIDs(window: 60)
        _ = ids.take(id("a"), at: .init(100))
        _ = ids.write(at: .init(100), number: 7)
        #expect(ids.take(id("a"), at: .init(159)) == false)
        #expect(ids.take(id("a"), at: .init(160)) == true)
        let next = ids.write(at: .init(160), number: 8)
        #expect(next.slice?.name == "ids:160.8.160")
        #expect(next.gone == ["ids:100.7.100"])
    }

    @Test func `a name is forgotten when the window is over by both clocks`() {
        var ids = TakenIDs(window: 60)
        _ = ids.take(id("a"), at: ClusterTime(engine: 100, member: 3_700))
        let first = ids.write(at: ClusterTime(engine: 100, member: 3_700), number: 7)
        #expect(first.slice?.name == "ids:100.7.3700")
        #expect(ids.take(id("a"), at: ClusterTime(engine: 3_759, member: 3_759)) == false)
        #expect(ids.take(id("a"), at: ClusterTime(engine: 159, member: 9_000)) == false)
        #expect(ids.take(id("a"), at: ClusterTime(engine: 160, member: 3_760)) == true)
    }

    @Test func `names that were noted by one clock are known, too`() {
        #expect(TakenIDs.time(of: "ids:100.7") == ClusterTime(100))
        #expect(TakenIDs.time(of: "ids:100.7.200") == ClusterTime(engine: 100, member: 200))
        #expect(TakenIDs.time(of: "ids:100") == nil)
        #expect(TakenIDs.time(of: "ids:100.7.x") == nil)
        #expect(TakenIDs.time(of: "plain") == nil)
    }

    @Test func `whoever has the partition next knows them too, oldest first`() {
        let slices: [String: [UInt8]] = [
            "ids:200.1.200": Array(#"["b"]"#.utf8), "ids:100.9.100": Array(#"["a","c"]"#.utf8), "plain": [1],
        ]
        var ids = TakenIDs(window: 60, from: slices)
        #expect(ids.newest == 200)
        #expect(ids.take(id("a"), at: .init(159)) == false)
        #expect(ids.take(id("b"), at: .init(159)) == false)
        #expect(ids.write(at: .init(161), number: 2).gone == ["ids:100.9.100"])
        #expect(ids.take(id("c"), at: .init(161)) == true)
    }

    @Test func `the hash of a key follows its name, and no other number or name is one`() throws {
        var ids = TakenIDs(window: 60)
        let entries = [id("a", 7), id("b"), id("c", .max)]
        for entry in entries { #expect(ids.take(entry, at: .init(100)) == true) }
        let bytes = try #require(ids.write(at: .init(100), number: 1).slice?.bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == #"["a",7,"b","c",-1]"#)
        #expect(TakenIDs.entries(of: try JSONText.parse(bytes)) == entries)
        #expect(TakenIDs.entries(of: [1, "a", 2, 3, "b", 4.5, "c"]) == [id("a", 2), id("b"), id("c")])
        #expect(TakenIDs.entries(of: ["a": 1]) == nil)
        // Whoever sends a name with another key still sends the same name.
        #expect(ids.take(id("a", 8), at: .init(101)) == false)
    }

    @Test func `a window of a second is one`() {
        var ids = TakenIDs(window: 1)
        #expect(ids.newest == 0)
        #expect(ids.take(id("a"), at: .init(1)) == true)
        #expect(ids.take(id("a"), at: .init(1)) == false)
        #expect(ids.write(at: .init(1), number: 1).slice?.name == "ids:1.1.1")
        #expect(ids.newest == 1)
        #expect(ids.take(id("a"), at: .init(1)) == false)
        #expect(ids.write(at: .init(1), number: 2).slice == nil)
        #expect(ids.take(id("a"), at: .init(2)) == true)
    }

    @Test(arguments: [
        "ids:1.2.3.4", "ids:", "ids:.1", "ids:x.1", "ids:1152921504606846977.1",
        "ids:1.1.1152921504606846977",
    ])
    func `a name that no host gives has no time`(name: String) {
        #expect(TakenIDs.time(of: name) == nil)
    }

    @Test func `the first part of a name and the third are its times, whatever is between`() {
        #expect(TakenIDs.time(of: "ids:1..2") == ClusterTime(engine: 1, member: 2))
    }

    @Test func `many groups expire one after the other, whatever order they are read in`() {
        var slices: [String: [UInt8]] = [:]
        for time in 1...20 { slices["ids:\(time).0.\(time)"] = Array("[\"\(time)\"]".utf8) }
        slices["ids:5.0"] = Array("no JSON".utf8)
        slices["ids:6.0"] = Array("{}".utf8)
        slices["ids:21.1.21"] = Array(#"["x",1]"#.utf8)
        var ids = TakenIDs(window: 10, from: slices)
        #expect(ids.newest == 21)
        #expect(ids.write(at: .init(15), number: 1).gone == (1...5).map { "ids:\($0).0.\($0)" })
        #expect(ids.take(id("5"), at: .init(15)) == true)
        #expect(ids.take(id("6"), at: .init(15)) == false)
        #expect(ids.take(id("x"), at: .init(15)) == false)
        #expect(ids.write(at: .init(16), number: 2).gone == ["ids:6.0.6"])
    }
}
