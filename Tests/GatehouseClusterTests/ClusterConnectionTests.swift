// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseHostTesting
import Testing

@Suite(
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct ClusterConnectionTests {
    /// What the engine calls the connection, which tells it from others.
    private func name(of connection: ClusterConnection) throws(ClusterFailure) -> Int {
        try connection.use { engine throws(ClusterFailure) in try engine.reader() }
    }

    @Test func `a connection is made when it is first used, and used again`() throws {
        let server = try RedisServer()
        let connection = ClusterConnection(to: server.cluster())
        #expect(!connection.isOpen)
        let first = try name(of: connection)
        #expect(connection.isOpen)
        #expect(try name(of: connection) == first)
    }

    @Test func `a connection that was lost is made anew by the next use`() throws {
        let server = try RedisServer()
        let connection = ClusterConnection(to: server.cluster())
        let first = try name(of: connection)
        try server.call("CLIENT", "KILL", "ID", String(first))
        #expect(throws: ClusterFailure.self) {
            try connection.use { engine throws(ClusterFailure) in _ = try engine.wake(0) }
        }
        #expect(!connection.isOpen)
        #expect(try name(of: connection) != first)
    }

    @Test
    func `what may be repeated is asked once more of a new connection, and not where the connection was new`()
        throws
    {
        let server = try RedisServer()
        let connection = ClusterConnection(to: server.cluster())
        let first = try name(of: connection)
        try server.call("CLIENT", "KILL", "ID", String(first))
        let second = try connection.useRepeatably { engine throws(ClusterFailure) in
            _ = try engine.wake(0)
            return try engine.reader()
        }
        #expect(second != first)

        try server.call("CLIENT", "KILL", "ID", String(second))
        var count = 0
        #expect(throws: ClusterFailure.lost("again")) {
            try connection.useRepeatably { _ throws(ClusterFailure) in
                count += 1
                throw .lost("again")
            }
        }
        #expect(count == 2)
        #expect(throws: ClusterFailure.lost("new")) {
            try connection.useRepeatably { _ throws(ClusterFailure) in
                count += 1
                throw .lost("new")
            }
        }
        #expect(count == 3, "there was no connection that could have been lost before")
    }

    @Test func `a connection outlives what the engine refuses`() throws {
        let server = try RedisServer()
        let connection = ClusterConnection(to: server.cluster())
        let first = try name(of: connection)
        #expect(throws: ClusterFailure.refused("no")) {
            try connection.use { _ throws(ClusterFailure) in throw .refused("no") }
        }
        #expect(try name(of: connection) == first)
    }
}
