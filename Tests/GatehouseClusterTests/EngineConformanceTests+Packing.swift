// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseCluster

/// What holds of actions that are put into a partition together; in Redis they share entries of its stream.
extension EngineConformanceTests {
    /// How many entries the stream of a partition has.
    private func length(_ server: RedisServer, _ partition: Int) throws -> Int? {
        Int(try server.call("XLEN", "{gatehouse:shop}:in:\(partition)"))
    }

    /// A checkpoint of partition 0 by member `a` under its first epoch.
    private func checkpoint(_ offset: ClusterOffset, processed: Int) -> ClusterCheckpoint {
        ClusterCheckpoint(partition: 0, member: "a", epoch: 1, offset: offset, processed: processed)
    }

    @Test func `actions that come together share an entry, and are shown one by one`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        try engine.append(batch((0..<20).map { ($0 % 2, Array("a:\($0)\n".utf8)) }))
        #expect(try length(server, 1) == 1)
        let read = try entries(engine, 1)
        #expect(read.map(\.action) == (0..<10).map { Array("a:\(2 * $0 + 1)\n".utf8) })
        let origins = (1...10).map { (number: UInt64) -> ClusterOrigin? in
            ClusterOrigin(source: "in", sequence: 2 * number)
        }
        #expect(read.map(\.origin) == origins)
        #expect(Set(read.map { [$0.offset.high, $0.offset.low] }).count == 1)
        #expect(read.map(\.offset.place) == (1...9).map { $0 } + [ClusterOffset.whole])
        #expect(zip(read, read.dropFirst()).allSatisfy { $0.offset < $1.offset })
        #expect(read.allSatisfy { ClusterOffset($0.offset.description) == $0.offset })
    }

    @Test(arguments: EngineServer.Kind.lasting)
    func `reading goes on after each of the actions that came together`(kind: EngineServer.Kind) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        for first in [UInt8(0), 10, 20] {
            try engine.append(batch((first..<(first + 9)).map { (2, [$0]) }))
            try engine.append(batch([(2, [first + 9])]))
        }
        let all = try entries(engine, 2)
        #expect(all.map(\.action) == (0..<30).map { [$0] })
        for (index, entry) in all.enumerated() {
            #expect(try entries(engine, 2, after: entry.offset) == Array(all[(index + 1)...]))
        }
        for count in [1, 2, 7, 11] {
            let other = try server.cluster().connect()
            var read: [Shown] = []
            while true {
                let next = try entries(other, 2, after: read.last?.offset ?? .start, atMost: count)
                #expect(next.count <= count)
                if next.isEmpty { break }
                read += next
            }
            #expect(read == all)
        }
    }

    @Test
    func `as many entries are asked for next as bring as many actions as the last ones did`() throws {
        let server = try RedisServer()
        let engine = try #require(try server.engine() as? RedisEngine)
        for first in [UInt8(0), 4] { try engine.append(batch((first..<(first + 4)).map { (2, [$0]) })) }
        #expect(engine.actionsPerEntry == 1)
        let read = try entries(engine, 2)
        #expect(read.count == 8)
        #expect(engine.actionsPerEntry == 4)
        try engine.append(batch((8..<14).map { (2, [$0]) }))
        #expect(try entries(engine, 2, after: #require(read.last?.offset)).count == 6)
        #expect(engine.actionsPerEntry == 6)
    }

    @Test(arguments: EngineServer.Kind.allCases) func `several partitions are read from the middle at once`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        try engine.append(batch((0..<12).map { (Int($0) % 3, [$0]) }))
        let middle = try entries(engine, 0)[1].offset
        let end = try #require(try entries(engine, 1).last?.offset)
        let read = try entries(engine, [(1, end), (2, .start), (0, middle)], atMost: 3)
        #expect(read.mapValues { $0.map(\.action) } == [0: [[6], [9]], 2: [[2], [5], [8]]])
    }

    @Test func `an entry has at most 256 actions, and 64 KB unless one action has more`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        try engine.append(batch((0..<600).map { (0, Array("\($0)".utf8)) }))
        #expect(try length(server, 0) == 3)
        #expect(try entries(engine, 0, atMost: 1_000).map(\.origin?.sequence) == (1...600).map { $0 })
        let sizes = Array(repeating: 30_000, count: 9) + [100_000, 1, 65_521, 2, 65_521]
        try engine.append(batch(sizes.map { (1, Array(repeating: 7, count: $0)) }))
        // Two each, and the last one; the large one; two that just have room together; two that just have not.
        #expect(try length(server, 1) == 9)
        // Fewer than were asked for: whoever has read full entries asks for few of them.
        #expect(try entries(engine, 1, atMost: 2).map(\.action.count) == [30_000, 30_000])
        #expect(try entries(server.cluster().connect(), 1).map(\.action.count) == sizes)
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `actions of several writers keep their origins and their order`(kind: EngineServer.Kind) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        let origins = [
            ("a.k", 0, 1), ("a.k", 0, 2), ("a.k", 1, 1), ("b:c", 1, 1), ("b:c", 1, 2), ("a.k", 1, 2),
        ]
        .map { ClusterOrigin(source: $0, epoch: $1, sequence: $2) }
        var batch = ClusterBatch()
        for (number, origin) in origins.enumerated() { batch.add([UInt8(number)], to: 0, from: origin) }
        try engine.append(batch)
        let read = try entries(engine, 0)
        #expect(read.map(\.origin) == origins)
        #expect(read.map(\.action) == (0..<6).map { [$0] })
    }

    @Test func `what was put there by hand stands in its order, also where it is no action`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        let stream = "{gatehouse:shop}:in:0"
        try engine.append(batch([(0, [1]), (0, [2])]))
        try server.call("XADD", stream, "*", "a", "{}")
        try server.call("XADD", stream, "*", "a", "{1}", "o", "b.k:3:4")
        try server.call("XADD", stream, "*", "p", "7:2:{}8:3:abcrest", "o", "c:1")
        try server.call("XADD", stream, "*", "p", "1:9:short", "o", "c:1")
        try server.call("XADD", stream, "*", "p", "1:1:x2:1:y", "o", "nobody")
        try server.call("XADD", stream, "*", "other", "x")
        try engine.append(batch([(0, [3])]))
        let expected: [(String, String?)] = [
            ("\u{1}", "in:0:1"), ("\u{2}", "in:0:2"), ("{}", nil), ("{1}", "b.k:3:4"), ("{}", "c:1:7"),
            ("abc", "c:1:8"), ("rest", nil), ("1:9:short", nil), ("x", nil), ("y", nil), ("", nil),
            ("\u{3}", "in:0:1"),
        ]
        let read = try entries(engine, 0)
        #expect(read.map { String(decoding: $0.action, as: UTF8.self) } == expected.map(\.0))
        #expect(read.map { $0.origin?.description } == expected.map(\.1))
        for (index, entry) in read.enumerated() {
            #expect(try entries(engine, 0, after: entry.offset) == Array(read[(index + 1)...]))
        }
    }

    @Test func `a partition moves on in the middle of actions that came together, and never goes back`()
        throws
    {
        let server = try RedisServer()
        let engine = try server.engine()
        _ = try own(engine, 0, by: "a")
        try engine.append(batch((0..<10).map { (0, [UInt8($0)]) }))
        try engine.append(batch((10..<20).map { (0, [UInt8($0)]) }))
        let all = try entries(engine, 0)
        #expect(try engine.checkpoint(checkpoint(all[3].offset, processed: 4)) == nil)
        let survey = try engine.survey().partitions[0]
        #expect(survey.offset == all[3].offset)
        #expect(survey.lag == 16)
        #expect(survey.waiting != nil)
        #expect(try engine.checkpoint(checkpoint(all[5].offset, processed: 2)) == nil)
        #expect(
            throws: ClusterFailure.refused(
                "a checkpoint at \(all[5].offset) is kept, which is later than this one")
        ) {
            try engine.checkpoint(checkpoint(all[4].offset, processed: 1))
        }
        #expect(all[5].offset.description.hasSuffix(".6"))
        #expect(
            try engine.acquire(0, for: "a", after: 1)
                == .granted(epoch: 2, offset: all[5].offset, slices: [:], attempts: 1))
        #expect(try entries(engine, 0, after: all[5].offset) == Array(all[6...]))
        // All of the first entry, then something of the second, then the first one goes.
        for (index, count) in [(9, 4), (12, 3), (19, 7)] {
            var next = checkpoint(all[index].offset, processed: count)
            next.epoch = 2
            #expect(try engine.checkpoint(next) == nil)
            #expect(try engine.survey().partitions[0].lag == 19 - index)
        }
        #expect(try length(server, 0) == 1)
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `tries are counted for each of the actions that came together`(kind: EngineServer.Kind) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        _ = try own(engine, 0, by: "a")
        try engine.append(batch((0..<3).map { (0, [UInt8($0)]) }))
        let all = try entries(engine, 0)
        for offset in all.map(\.offset) {
            #expect(try engine.attempt(0, at: offset, of: "a", epoch: 1) == 1)
            #expect(try engine.attempt(0, at: offset, of: "a", epoch: 1) == 2)
        }
        var next = checkpoint(all[1].offset, processed: 2)
        next.dead = [
            ClusterDeadLetter(
                partition: 0, offset: all[1].offset, origin: all[1].origin, action: all[1].action,
                reason: "It ends its host.", member: "a", time: 1)
        ]
        #expect(try engine.checkpoint(next) == nil)
        #expect(try engine.deadLetters(atMost: 9) == next.dead)
    }

    @Test func `outputs of a checkpoint share entries, and are counted`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        let epoch = try own(engine, 0, by: "a")
        let outputs = (0..<300).map { number in
            ClusterCheckpoint.Output(
                partition: 1 + number % 2,
                origin: ClusterOrigin(source: "0", epoch: epoch, sequence: UInt64(number + 1)),
                action: Array("\(number)".utf8))
        }
        #expect(
            try engine.checkpoint(
                ClusterCheckpoint(
                    partition: 0, member: "a", epoch: epoch, offset: .start, outputs: outputs)) == nil)
        #expect(try length(server, 1) == 1)
        for partition in 1...2 {
            let own = outputs.filter { $0.partition == partition }
            let read = try entries(engine, partition, atMost: 1_000)
            #expect(read.map(\.action) == own.map(\.action))
            #expect(read.map(\.origin) == own.map(\.origin))
        }
        #expect(try engine.survey().partitions.map(\.lag) == [0, 150, 150, 0])
    }

    @Test
    func `what was put there by hand waits as one action at least, and is counted when it is processed`()
        throws
    {
        let server = try RedisServer()
        let engine = try server.engine()
        _ = try own(engine, 0, by: "a")
        for _ in 0..<3 { try server.call("XADD", "{gatehouse:shop}:in:0", "*", "a", "{}") }
        #expect(try engine.survey().partitions[0].lag == 1)
        let last = try #require(try entries(engine, 0).last?.offset)
        #expect(try engine.checkpoint(checkpoint(last, processed: 3)) == nil)
        #expect(try engine.survey().partitions[0].lag == 0)
        try engine.append(batch((0..<5).map { (0, [$0]) }))
        #expect(try engine.survey().partitions[0].lag == 5)
    }
}
