// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import HTTPPlugin

/// How many connections there may be, and which one gives way.
@Suite(.timeLimit(.minutes(1))) struct ConnectionTableTests {
    /// A connection, and whether somebody has hung up on it.
    private final class Connection {
        let life: ConnectionLife
        private let ends: [Int32]

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            self.ends = ends
            life = ConnectionLife(ends[0])
        }

        var isHungUp: Bool {
            var watched = pollfd(fd: ends[1], events: Int16(POLLIN), revents: 0)
            return unsafe poll(&watched, 1, 0) == 1
        }

        deinit { for end in ends { close(end) } }
    }

    @Test func `three of four connections may be streams, and the library has room for as many that end`() {
        #expect([1, 2, 4, 5, 1_024].map(ConnectionTable.streams(of:)) == [1, 1, 3, 3, 768])
        #expect([1, 100].map(ConnectionTable.room(for:)) == [66, 264])
    }

    @Test func `connections are expected from when they are let in, and counted from when they begin`() throws
    {
        let table = ConnectionTable(most: 3)
        let connections = try (0..<2).map { _ in try Connection() }
        #expect([table.count, table.askers] == [0, 0])
        for _ in 0..<2 { #expect(table.admit()) }
        #expect([table.count, table.askers] == [0, 2])
        table.begin(connections[0].life)
        #expect([table.count, table.askers] == [1, 2])
        connections[0].life.enter(.answering)
        #expect(table.askers == 1)
        table.withdraw()
        #expect(table.askers == 0)
        table.withdraw()
        #expect(table.askers == 0)
        table.begin(connections[1].life)
        #expect([table.count, table.askers] == [2, 1])
        table.end(connections[1].life)
        table.end(connections[1].life)
        #expect([table.count, table.askers] == [1, 0])
    }

    @Test func `whoever has waited longest gives way, each to one`() throws {
        let table = ConnectionTable(most: 2)
        let connections = try (0..<3).map { _ in try Connection() }
        let now = ContinuousClock.now
        for (index, connection) in connections.prefix(2).enumerated() {
            #expect(table.admit())
            table.begin(connection.life)
            connection.life.enter(.idle, at: now - .seconds(index))
        }
        #expect(table.admit())
        #expect(connections.map(\.isHungUp) == [false, true, false])
        // The one that goes counts no more, and the one that comes does.
        #expect(table.count == 2)
        #expect(table.askers == 1)
        table.begin(connections[2].life)
        connections[2].life.enter(.receiving, at: now)
        #expect(table.admit())
        #expect(connections.map(\.isHungUp) == [true, true, false])
        for connection in connections.prefix(2) { table.end(connection.life) }
        #expect(table.count == 1)
        #expect(table.askers == 2)
    }

    @Test func `where all are answered there is no room, and nobody waits for it`() throws {
        let table = ConnectionTable(most: 1)
        let one = try Connection()
        #expect(table.admit())
        table.begin(one.life)
        one.life.enter(.answering)
        #expect(!table.admit())
        #expect(!one.isHungUp)
        one.life.enter(.streaming)
        #expect(!table.admit())
        table.end(one.life)
        #expect(table.admit())
        // One that is expected might make room, but not in a table that is closed.
        table.close()
        #expect(!table.admit())
    }

    @Test func `a body that takes too long is counted, a header is not`() throws {
        let table = ConnectionTable(most: 4)
        let connections = try (0..<3).map { _ in try Connection() }
        let phases: [ConnectionLife.Phase] = [.idle, .receiving, .answering]
        for (connection, phase) in zip(connections, phases) {
            table.begin(connection.life)
            connection.life.enter(phase)
        }
        for _ in 0..<ConnectionLife.mostRounds { #expect(table.tick() == 0) }
        #expect(table.tick() == 1)
        #expect(connections.map(\.isHungUp) == [true, true, false])
    }

    @Test func `what the library never reports is expected for a quiet round, and no longer`() {
        let table = ConnectionTable(most: 4)
        #expect(table.admit())
        _ = table.tick()
        #expect(table.askers == 1)
        #expect(table.admit())
        _ = table.tick()
        #expect(table.askers == 2)
        _ = table.tick()
        #expect(table.askers == 0)
    }
}
