// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseTesting
import Synchronization
import Testing

@testable import HTTPPlugin

/// The server without a host: connections that take too long, and its end.
@Suite(.timeLimit(.minutes(5)))
struct HTTPDaemonTests {
    /// Answers with the length of what came; waits for the test where the path says so.
    private final class Echo: HTTPHandler {
        let begun = AsyncStream<Void>.makeStream()
        let goOn = AsyncStream<Void>.makeStream()

        func judge(_ request: HTTPRequest) -> HTTPVerdict {
            .read(atMost: 1_000) { [self] body in
                if request.path == "/wait" {
                    begun.continuation.yield()
                    for await _ in goOn.stream { break }
                }
                return HTTPResponse(200, Value(body.count))
            }
        }
    }

    /// A server at a port that the system has chosen.
    private struct Server {
        let echo = Echo()
        let daemon: HTTPDaemon
        let port: ListeningPort
        let told = AsyncStream<String>.makeStream()

        init() throws {
            port = try ListeningPort(try #require(ListenAddress("127.0.0.1:0")))
            daemon = HTTPDaemon(echo) { [told] in told.continuation.yield($0) }
            try #require(daemon.start(at: port.descriptor))
        }

        func connect() throws -> LocalConnection {
            try LocalConnection(port: try #require(Int(port.text.dropFirst("127.0.0.1:".count))))
        }

        func stop() {
            _ = daemon.closeDoor()
            port.close()
            daemon.stop()
        }
    }

    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(arguments: ["", "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "])
    func `who sends a header for too long is hung up on`(text: String) throws {
        let server = try Server()
        let slow = try server.connect()
        slow.write(text)
        // Who is served behind it: it is known by then.
        let other = try server.connect()
        other.write(get)
        #expect(other.readLine() == "HTTP/1.1 200 OK\r")
        for _ in 0...ConnectionLife.mostRounds { server.daemon.tick() }
        #expect(slow.readLine() == nil)
        server.stop()
    }

    @Test func `who sends a body for too long is hung up on, and that is told`() async throws {
        let server = try Server()
        let slow = try server.connect()
        slow.write("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
        #expect(slow.readLine() == "HTTP/1.1 100 Continue\r")
        slow.write("12345")
        for _ in 0...ConnectionLife.mostRounds { server.daemon.tick() }
        #expect(slow.readLine() == "\r")
        #expect(slow.readLine() == nil)
        var told = server.told.stream.makeAsyncIterator()
        #expect(await told.next() == "a client took too long over the body of a request")
        server.stop()
    }

    @Test func `who waits for an answer may wait, also while the server closes its door`() async throws {
        let server = try Server()
        let client = try server.connect()
        client.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        for await _ in server.echo.begun.stream { break }
        for _ in 0...(3 * ConnectionLife.mostRounds) { server.daemon.tick() }
        #expect(!server.daemon.isQuiet)
        _ = server.daemon.closeDoor()
        server.port.close()
        server.echo.goOn.continuation.yield()
        await server.daemon.drain()
        #expect(client.readLine() == "HTTP/1.1 200 OK\r")
        server.daemon.stop()
    }

    @Test func `the end answers who still waits`() async throws {
        let server = try Server()
        let client = try server.connect()
        client.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        for await _ in server.echo.begun.stream { break }
        server.stop()
        // What the task answers later reaches nobody.
        server.echo.goOn.continuation.yield()
        server.stop()
    }

    // MARK: - The plugin

    @Test func `an instance opens its port when it starts and closes it when it ends`() async throws {
        let ingress = HostIngress { _ throws(HostIngress.Failure) in throw .ended }
        let store = try TestStore(
            HTTP.self, settings: ["listen": "127.0.0.1:0"], clock: nil, ingress: ingress)
        let line = try #require(store.log.first)
        #expect(line.hasPrefix("info: listening at http://127.0.0.1:"))
        let port = try #require(Int(line.split(separator: ":").last ?? ""))
        #expect(LocalPort.isHeld(port))
        store.stop()
        #expect(!LocalPort.isHeld(port))
        try await store.finish()
    }

    @Test func `an instance without a host to serve says so and opens nothing`() async throws {
        let status = PluginStatus()
        let store = try TestStore(HTTP.self, settings: ["listen": "127.0.0.1:0"], status: status)
        #expect(
            status.health
                == .failing(
                    "it is granted neither \"ingress\" nor \"control\", so it serves nobody; list them in \"lift\"/\"dependencies\""
                ))
        #expect(store.log == [])
        try await store.finish()
    }

    @Test func `an address that is not of this machine makes the instance failing`() async throws {
        let ingress = HostIngress { _ throws(HostIngress.Failure) in throw .ended }
        for (place, sentence) in [
            (
                "203.0.113.1:0",
                "203.0.113.1:0: nobody can listen there: Cannot assign requested address; end what does, or set \"listen\" to another place"
            ), ("999.1.1.1:0", "999.1.1.1:0: there is no such address; correct \"listen\""),
        ] {
            let status = PluginStatus()
            let store = try TestStore(
                HTTP.self, settings: ["listen": .string(place)], clock: nil, ingress: ingress, status: status)
            #expect(status.health == .failing(sentence))
            try await store.finish()
        }
    }
}
