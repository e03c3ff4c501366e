// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// The bad network of other tests, in front of a Redis that is asked in the plainest of its ways.
@Suite(
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct ConnectionProxyTests {
    private let server: RedisServer
    private let proxy: ConnectionProxy
    private let path: String

    init() throws {
        server = try RedisServer()
        path = server.folder("proxy.sock")
        proxy = try ConnectionProxy(at: path, to: server.socket)
    }

    @Test func `what is sent arrives, and so do the answers`() throws {
        let connection = try LocalConnection(path)
        connection.write("PING\r\nECHO hello\r\n")
        #expect(connection.readLine() == "+PONG\r")
        #expect(connection.readLine() == "$5\r")
        #expect(connection.readLine() == "hello\r")
    }

    @Test func `it stands at a port as well`() throws {
        let proxy = try ConnectionProxy(at: nil, to: server.socket)
        let port = try #require(proxy.url.split(separator: ":").last.flatMap { Int($0) })
        let connection = try LocalConnection(port: port)
        connection.write("PING\r\n")
        #expect(connection.readLine() == "+PONG\r")
    }

    @Test func `connections that are cut end, and new ones are let in`() throws {
        let connection = try LocalConnection(path)
        connection.write("PING\r\n")
        #expect(connection.readLine() == "+PONG\r")
        proxy.cut()
        #expect(connection.readLine() == nil)
        let other = try LocalConnection(path)
        other.write("PING\r\n")
        #expect(other.readLine() == "+PONG\r")
    }

    @Test func `it leads to another server when it is told to`() throws {
        let connection = try LocalConnection(path)
        connection.write("SET place first\r\n")
        #expect(connection.readLine() == "+OK\r")
        let other = try RedisServer()
        proxy.lead(to: other.socket)
        #expect(connection.readLine() == nil)
        let next = try LocalConnection(path)
        next.write("GET place\r\n")
        #expect(next.readLine() == "$-1\r")
    }

    @Test func `new connections end while they are refused`() throws {
        proxy.refuse(true)
        #expect(try LocalConnection(path).readLine() == nil)
        proxy.refuse(false)
        let connection = try LocalConnection(path)
        connection.write("PING\r\n")
        #expect(connection.readLine() == "+PONG\r")
    }

    @Test func `what is sent while it stalls arrives when it goes on`() throws {
        let connection = try LocalConnection(path)
        connection.write("PING\r\n")
        #expect(connection.readLine() == "+PONG\r")
        proxy.stall(true)
        connection.write("SET key value\r\n")
        #expect(try server.call("EXISTS", "key") == "0")
        proxy.stall(false)
        #expect(connection.readLine() == "+OK\r")
        #expect(try server.call("GET", "key") == "value")
    }

    @Test
    func `what is sent over a frozen connection arrives when it thaws, after what was sent over new ones`()
        throws
    {
        let connection = try LocalConnection(path)
        connection.write("PING\r\n")
        #expect(connection.readLine() == "+PONG\r")
        proxy.freeze()
        connection.write("APPEND key old\r\n")
        let other = try LocalConnection(path)
        other.write("APPEND key new\r\n")
        #expect(other.readLine() == ":3\r")
        // As a program does that has waited long enough.
        connection.close()
        proxy.thaw()
        while try server.call("GET", "key") != "newold" {}
    }

    @Test func `a delay holds requests and answers back, and keeps their order`() throws {
        proxy.delay(by: .milliseconds(50))
        let connection = try LocalConnection(path)
        let start = ContinuousClock.now
        for number in 1...3 { connection.write("ECHO \(number)\r\n") }
        for number in 1...3 {
            #expect(connection.readLine() == "$1\r")
            #expect(connection.readLine() == "\(number)\r")
        }
        #expect(start.duration(to: .now) >= .milliseconds(100))
    }

    @Test func `a connection ends in the middle of an answer`() throws {
        proxy.cut(afterReplies: 8)
        let connection = try LocalConnection(path)
        connection.write("PING\r\nECHO hello\r\n")
        #expect(connection.readLine() == "+PONG\r")
        #expect(connection.read(1) == [UInt8(ascii: "$")])
        #expect(connection.readLine() == nil)
        #expect(proxy.waitUntilStruck())
    }

    @Test func `an answer is lost, and what was asked for is done`() throws {
        proxy.loseReply(to: "SET key")
        let (connection, other) = (try LocalConnection(path), try LocalConnection(path))
        other.write("PING\r\n")
        #expect(other.readLine() == "+PONG\r")
        connection.write("PING\r\n")
        #expect(connection.readLine() == "+PONG\r")
        connection.write("SET k")
        connection.write("ey value\r\n")
        #expect(connection.readLine() == nil)
        #expect(proxy.waitUntilStruck())
        #expect(try server.call("GET", "key") == "value")
        other.write("PING\r\n")
        #expect(other.readLine() == "+PONG\r")
    }
}
