// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

/// How the actions of a batch become entries, and actions again.
@Suite(.timeLimit(.minutes(10))) struct ActionPackingTests {
    /// A batch of actions for partitions.
    private func batch(_ actions: [(partition: Int, action: [UInt8], origin: ClusterOrigin)]) -> ClusterBatch
    {
        var batch = ClusterBatch()
        for (partition, action, origin) in actions { batch.add(action, to: partition, from: origin) }
        return batch
    }

    /// What a packed batch adds to a command, word by word.
    private func words(_ packing: ActionPacking) throws -> [String] {
        var commands = RedisCommands()
        packing.write(to: &commands)
        var rest = commands.bytes[...]
        var words: [String] = []
        while rest.first == UInt8(ascii: "$"), let end = rest.firstIndex(of: 13) {
            let size = try #require(Int(String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)))
            words.append(String(decoding: rest[(end + 2)..<(end + 2 + size)], as: UTF8.self))
            #expect(Array(rest[(end + 2 + size)..<(end + 4 + size)]) == [13, 10])
            rest = rest[(end + 4 + size)...]
        }
        #expect(rest.isEmpty)
        #expect(words.count == packing.words)
        return words
    }

    private func origin(_ source: String, _ sequence: UInt64, epoch: Int = 0) -> ClusterOrigin {
        ClusterOrigin(source: source, epoch: epoch, sequence: sequence)
    }

    @Test func `nothing is no stream`() throws {
        let packing = ActionPacking(ClusterBatch(), partitions: 4)
        #expect(packing.streams.isEmpty)
        #expect(try words(packing) == ["0"])
    }

    @Test func `an entry has one action, or several of one writer`() throws {
        let packing = ActionPacking(
            batch([
                (2, [65], origin("a", 1)), (0, [66], origin("a", 2)), (2, [67, 67], origin("a", 123)),
                (2, [68], origin("b:c", 4, epoch: 5)), (2, [69], origin("a", 124)),
            ]), partitions: 4)
        #expect(packing.streams.map(\.partition) == [0, 2])
        #expect(packing.streams.map(\.items) == [0..<1, 1..<5])
        #expect(
            try words(packing) == [
                "2", "0", "1", "1", "2", "3", "4", "a", "B", "a:0:2", "p", "1:1:A123:2:CC", "a:0", "a", "D",
                "b:c:5:4", "a", "E", "a:0:124",
            ])
    }

    @Test func `an entry has at most 256 actions`() {
        for (count, entries) in [(256, 1), (257, 2), (512, 2), (513, 3)] {
            let packing = ActionPacking(
                batch((0..<count).map { (0, [1], origin("a", UInt64($0))) }), partitions: 1)
            #expect(packing.streams[0].entries == (0..<entries).map { $0 * 256 })
        }
    }

    @Test func `an entry of several actions has at most 64 KiB`() {
        // `1:32764:` before each action.
        for (second, entries) in [(32_760, [0]), (32_761, [0, 1])] {
            let packing = ActionPacking(
                batch([
                    (0, [UInt8](repeating: 1, count: 32_760), origin("a", 1)),
                    (0, [UInt8](repeating: 1, count: second), origin("a", 2)),
                ]), partitions: 1)
            #expect(packing.streams[0].entries == entries)
        }
    }

    @Test func `a negative epoch is written as none`() throws {
        let packing = ActionPacking(batch([(0, [65], origin("a", 1, epoch: -1))]), partitions: 1)
        #expect(try words(packing) == ["1", "0", "1", "1", "a", "A", "a:0:1"])
    }

    // MARK: - Unpacking

    /// What is unpacked of a text: place, origin and action.
    private func unpacked(_ text: String, by writer: String = "a:3") -> [String] {
        let bytes = Array(text.utf8)
        let name = Array(writer.utf8)
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe name.withUnsafeBytes { name in
                var unpacking = unsafe PackedActions(bytes, by: name)
                var found: [String] = []
                while let next = unsafe unpacking.next() {
                    let action = unsafe String(decoding: next.action, as: UTF8.self)
                    let origin = unsafe next.origin.map { "\($0)" } ?? "-"
                    unsafe found.append("\(next.place) \(origin) \(action)")
                }
                #expect(unsafe unpacking.next() == nil)
                return found
            }
        }
    }

    @Test func `actions have places from 1, and the last one that of all`() {
        #expect(unpacked("7:2:ab8:1:c") == ["1 a:3:7 ab", "65535 a:3:8 c"])
        #expect(unpacked("7:0:8:0:9:1:x") == ["1 a:3:7 ", "2 a:3:8 ", "65535 a:3:9 x"])
        #expect(unpacked("18446744073709551615:1:x") == ["65535 a:3:18446744073709551615 x"])
        #expect(unpacked("7:2:ab", by: "nobody") == ["65535 - ab"])
    }

    @Test(arguments: [
        "", "x", "7", "7:", "7:1", "7:2:a", "7:x:a", ":1:a", "7::a", "18446744073709551616:1:a",
        "7:18446744073709551615:a", "7:9223372036854775808:a", "7-1:a",
    ])
    func `what is no action is kept as it is, in the last place`(text: String) {
        #expect(unpacked(text) == ["65535 - \(text)"])
        #expect(
            unpacked("7:1:z" + text) == (text.isEmpty ? ["65535 a:3:7 z"] : ["1 a:3:7 z", "65535 - \(text)"]))
    }

    @Test func `65533 actions of an entry have places of their own`() {
        let most = String(repeating: "7:0:", count: 65_532)
        let found = unpacked(most + "8:1:x")
        #expect(found.count == 65_533)
        #expect(found.suffix(2) == ["65532 a:3:7 ", "65535 a:3:8 x"])
        let more = unpacked(most + "7:0:8:1:x")
        #expect(more.count == 65_534)
        #expect(more.suffix(2) == ["65533 a:3:7 ", "65535 - 8:1:x"])
    }
}
