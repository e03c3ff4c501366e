// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseCluster

/// What holds of actions that come and are read.
extension EngineConformanceTests {
    @Test func `each action tells who put it there, one that was put there by hand nobody`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        var batch = ClusterBatch()
        batch.add([1], to: 0, from: ClusterOrigin(source: "host-a.k3:f9", epoch: 7, sequence: .max))
        try engine.append(batch)
        try server.call("XADD", "{gatehouse:shop}:in:0", "*", "a", "{}")
        let read = try entries(engine, 0)
        #expect(read.map(\.origin) == [.init(source: "host-a.k3:f9", epoch: 7, sequence: .max), nil])
        #expect(read.map(\.action) == [[1], Array("{}".utf8)])
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `a batch is kept whole, each partition in its order, and can be filled again`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        var batch = ClusterBatch()
        for round in 0..<3 {
            for number in 0..<40 {
                batch.add(
                    [UInt8(number)], to: number % 4,
                    from: ClusterOrigin(source: "in", sequence: UInt64(40 * round + number)))
            }
            #expect(batch.count == 40)
            try engine.append(batch)
            batch.removeAll()
            #expect(batch.isEmpty && batch.byteCount == 0)
        }
        for partition in 0..<4 {
            let numbers = try entries(engine, partition).map { Int($0.action[0]) }
            #expect(numbers == (0..<30).map { $0 % 10 * 4 + partition })
        }
        try engine.append(batch)
    }

    @Test(arguments: EngineServer.Kind.allCases) func `offsets rise within a partition`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        try engine.append(batch((0..<100).map { (0, [UInt8($0)]) }))
        let offsets = try entries(engine, 0).map(\.offset)
        #expect(offsets.first.map { $0 > .start } == true)
        #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $0 < $1 })
        #expect(offsets.allSatisfy { ClusterOffset($0.description) == $0 })
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `what follows an offset is read in as many calls as it takes, at least through the wanted one`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        try engine.append(batch((0..<10).map { (1, [UInt8($0)]) }))
        let offsets = try entries(engine, 1).map(\.offset)
        func rest(through last: ClusterOffset?) throws -> (numbers: [UInt8], calls: Int) {
            var (numbers, calls) = ([UInt8](), 0)
            try engine.readRest(of: 1, after: offsets[1], through: last, atMost: 3, between: { calls += 1 }) {
                numbers.append(unsafe $0.action[0])
            }
            return (numbers, calls)
        }
        // The last call finds none.
        let all = try rest(through: nil)
        #expect(all.numbers == Array(2...9))
        #expect(all.calls == 4)
        for last in 6...7 {
            let some = try rest(through: offsets[last])
            #expect(some.numbers == Array(2...7))
            #expect(some.calls == 2)
        }
    }

    @Test func `whoever waits for an action is woken by it, also beyond the patience for an answer`()
        async throws
    {
        let server = try RedisServer()
        let cluster = RedisCluster(server.access, name: "shop", partitions: 4, patience: .milliseconds(300))
        let engine = try cluster.connect()
        try engine.join(life("a"))
        // Longer than the patience: nothing comes, and the connection is good.
        #expect(try entries(engine, [(1, .start)], waiting: .milliseconds(700)) == [:])
        let reading = Task.detached {
            var actions: [[UInt8]] = []
            let reader = try cluster.connect()
            try reader.read([(2, .start)], atMost: 10, waiting: .seconds(200)) {
                actions.append(unsafe Array($1.action))
            }
            return actions
        }
        // The server knows that somebody waits.
        while !(try server.call("INFO", "clients").contains("blocked_clients:1")) {}
        try engine.append(batch([(2, [5])]))
        #expect(try await reading.value == [[5]])
    }

    @Test func `nothing of a batch is kept by an engine that is full`() throws {
        let server = try RedisServer("--maxmemory-policy", "noeviction")
        let engine = try server.engine()
        try engine.append(batch([(0, [1])]))
        try server.call("CONFIG", "SET", "maxmemory", "1")
        #expect(
            throws: ClusterFailure.full("OOM command not allowed when used memory > 'maxmemory'.")
        ) {
            try engine.append(batch([(0, [2]), (1, [3])]))
        }
        // Whatever makes room, or keeps the order among members, goes on; also with a connection that is new.
        let other = try server.cluster().connect()
        try other.join(life("a"))
        let epoch = try own(other, 0, by: "a")
        let offset = try #require(try entries(other, 0).last?.offset)
        #expect(
            try other.checkpoint(
                ClusterCheckpoint(
                    partition: 0, member: "a", epoch: epoch, offset: offset, slices: ["eu": [1]],
                    outputs: [
                        .init(
                            partition: 1, origin: .init(source: "0", epoch: epoch, sequence: 1), action: [4])
                    ])) == nil)
        try other.release(0, of: "a", epoch: epoch)
        try other.drain("a", true)
        #expect(try other.takeTurn(for: "a", .seconds(60)))
        #expect(try other.requestReload() == 1)
        try other.leave(life("a"))
        try server.call("CONFIG", "SET", "maxmemory", "0")
        try engine.append(batch([(1, [5])]))
        #expect(try entries(engine, 0).map(\.action) == [[1]])
        #expect(try entries(engine, 1).map(\.action) == [[4], [5]])
    }

    @Test func `a server that has forgotten its scripts is told them again`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        try server.call("SCRIPT", "FLUSH")
        try engine.append(batch([(0, [1])]))
        #expect(try entries(engine, 0).map(\.action) == [[1]])
    }
}
