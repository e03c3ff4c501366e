// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseControl
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What becomes of a client that watches and does not read.
@Suite(.timeLimit(.minutes(10))) struct ControlServerTests {
    /// A host without instances, and a server that answers for it at a socket.
    private struct Served {
        /// Has the socket.
        let folder: TemporaryFolder
        /// Dispatches what clients watch.
        let host: Host
        /// Where clients connect.
        let socket: ControlSocket
        /// Carries out what they ask for.
        let service: ControlService
        /// Answers them.
        let server: ControlServer
        /// What the operator is told.
        let told: AsyncStream<HostReport>

        /// Answers from here on.
        ///
        /// - Parameter patience: how long who is let go of may take for reading what was written.
        init(patience: Duration) async throws {
            folder = try TemporaryFolder()
            let assembly = try Assembly(
                linking: [],
                dependencies: HostDependencies(
                    clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                    report: { _ in }))
            host = Host(assembly, reports: Reporter { _ in })
            socket = try ControlSocket(path: folder("shop.sock"))
            let running = RunningHost(host, name: "shop", reloading: nil, past: nil, patience: .seconds(300))
            let (told, teller) = AsyncStream.makeStream(of: HostReport.self)
            self.told = told
            service = ControlService(running)
            server = ControlServer(socket, service: service, patience: patience) { teller.yield($0) }
            await EventLoop.run { [server] in server.start() }
        }

        /// Connects a client that watches everything, and dispatches until it is let go of because it does not read.
        func letGo() async throws -> LocalConnection {
            let watcher = try LocalConnection(socket.path)
            watcher.write(#"{"jsonrpc":"2.0","id":1,"method":"watch"}"# + "\n")
            let answer = try await TestThread.value { watcher.readLine() }
            #expect(answer == #"{"jsonrpc":"2.0","id":1,"result":{"watching":true}}"#)
            // More than the connection holds, so that from here on nothing more can be written.
            dispatch()
            #expect(try await TestThread.value { watcher.waitForBytes() })
            // More than may wait besides.
            for _ in 0..<2 { dispatch() }
            var reports = told.makeAsyncIterator()
            #expect(
                await reports.next() == .control("client 1 watched and did not read; it was disconnected"))
            return watcher
        }

        /// What is known of the clients.
        func facts() async -> ControlClients { await EventLoop.run { [server] in server.facts } }

        /// How long the text in an action is.
        static let actionBytes = 900_000

        /// Dispatches an action with a long text.
        private func dispatch() {
            host.dispatch(
                AnyAction("big", payload: .string(String(repeating: "x", count: Self.actionBytes))),
                from: .here())
        }

        /// Ends all connections.
        func end() async {
            await EventLoop.run { [server] in server.end() }
            socket.remove()
        }
    }

    /// The last thing that is said to a client that does not read.
    private static let notice =
        #"{"jsonrpc":"2.0","method":"dropped","params":{"reason":"1048576 bytes were waiting to be read; watch again with a narrower filter or a faster reader"}}"#

    /// The lines that a client is still sent; blocks until the other side has closed the connection.
    private static func rest(of client: LocalConnection) -> [String] {
        var lines: [String] = []
        while let line = client.readLine() { lines.append(line) }
        return lines
    }

    @Test func `a watcher that does not read is let go of and told`() async throws {
        let served = try await Served(patience: .seconds(3_600))
        let watcher = try await served.letGo()
        let facts = await served.facts()
        #expect((facts.connected, facts.watching, facts.dropped) == (0, 0, 1))
        let lines = try await TestThread.value { Self.rest(of: watcher) }
        // What it had begun to take is whole.
        try #require(lines.count == 2)
        #expect(lines[0].hasSuffix("}}") && lines[0].utf8.count > Served.actionBytes)
        #expect(lines[1] == Self.notice)
        await served.end()
    }

    @Test func `a watcher that does not even take that is let go of all the same`() async throws {
        let served = try await Served(patience: .zero)
        let watcher = try await served.letGo()
        let lines = try await TestThread.value {
            #expect(watcher.waitForClosing())
            return Self.rest(of: watcher)
        }
        // Of what it had begun to take the rest does not come either.
        #expect(lines == [])
        await served.end()
    }

    /// How many bytes a connection takes while nobody reads.
    private func room() throws -> Int {
        var pair: [Int32] = [0, 0]
        try #require(
            unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0)
        defer { for end in pair { close(end) } }
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        return unsafe send(pair[0], bytes, bytes.count, Int32(MSG_DONTWAIT))
    }

    @Test func `a client goes on whose connection takes all but one byte of an answer at first`() async throws
    {
        let served = try await Served(patience: .zero)
        let (start, end) = (#"{"jsonrpc":"2.0","id":""#, #"","result":{"watching":false}}"#)
        // With the end of the line.
        let id = String(repeating: "x", count: try room() - start.utf8.count - end.utf8.count)
        let client = try LocalConnection(served.socket.path)
        try await TestThread.value {
            client.write(#"{"jsonrpc":"2.0","id":"\#(id)","method":"unwatch"}"# + "\n")
            #expect(client.waitForBytes())
        }
        // The loop has written what it can.
        await EventLoop.run {}
        let answers = try await TestThread.value {
            let first = client.readLine()
            client.write(#"{"jsonrpc":"2.0","id":"y","method":"unwatch"}"# + "\n")
            client.finishWriting()
            return [first, client.readLine()]
        }
        #expect(answers == [start + id + end, start + "y" + end])
        await served.end()
    }

    @Test func `a server that is gone has no clients`() async throws {
        let served = try await Served(patience: .zero)
        let (service, socket) = (served.service, try ControlSocket(path: served.folder("other.sock")))
        let facts = await EventLoop.run {
            let server = ControlServer(socket, service: service) { _ in }
            server.start()
            server.end()
            return server.facts
        }
        #expect((facts.connected, facts.watching, facts.dropped) == (0, 0, 0))
        #expect(
            await EventLoop.run { service.clients?().value }
                == ["connected": 0, "watching": 0, "dropped": 0])
        socket.remove()
        await served.end()
    }
}
