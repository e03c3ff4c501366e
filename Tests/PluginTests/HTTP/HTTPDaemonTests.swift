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
    /// Answers with the length of what came; waits for the test, or goes on, where the path says so.
    private final class Echo: Sendable {
        let begun = AsyncStream<Void>.makeStream()
        let goOn = AsyncStream<Void>.makeStream()
        let news = AsyncStream<Value>.makeStream()

        /// An answer that goes on with the news that the test brings.
        private func events() -> HTTPResponse {
            let stream = news.stream
            let feed = EventFeed(
                HostNews { () async throws(HostControl.Failure) in
                    for await item in stream { return item }
                    return nil
                },
                again: { () throws(HostControl.Failure) in
                    throw HostControl.Failure(code: -32001, message: "over")
                })
            return HTTPResponse(stream: EventStream(feed, behind: nil))
        }

        @Sendable func judge(_ request: HTTPRequest) -> HTTPVerdict {
            if request.path == "/events" { return .answer(events()) }
            return .read(atMost: 1_000) { [self] body in
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
        let listener: BorrowedListener
        let told = AsyncStream<String>.makeStream()

        init(connections: Int = 1_024, bodies: Int = 64 << 20) throws {
            listener = try HostListeners().listen(at: .port(host: "127.0.0.1", 0))
            daemon = HTTPDaemon(.init(connections: connections, bodies: bodies), judge: echo.judge) {
                [told] in
                told.continuation.yield($0)
            }
            try #require(daemon.start(at: listener))
        }

        var port: Int {
            get throws {
                guard case .port(_, let port) = listener.address else { throw SystemFailure("no port") }
                return Int(port)
            }
        }

        func connect() throws -> LocalConnection { try LocalConnection(port: port) }

        func stop() { daemon.stop() }
    }

    @Test(arguments: ["", "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "])
    func `whoever sends a header for too long is hung up on`(text: String) async throws {
        let server = try Server()
        let slow = try server.connect()
        slow.write(text)
        while server.daemon.connections == 0 { await Task.yield() }
        for _ in 0...ConnectionLife.mostRounds { server.daemon.tick() }
        #expect(try await line(slow) == nil)
        server.stop()
    }

    @Test(arguments: [
        "", "\u{0}\u{1}\u{2}\r\n\r\n", "GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1",
    ])
    func `whoever sends nothing more and has asked for nothing is hung up on soon`(text: String) async throws
    {
        let server = try Server()
        let client = try server.connect()
        client.write(text)
        while server.daemon.connections == 0 { await Task.yield() }
        client.finishWriting()
        // The library may find the end by itself.
        while server.daemon.connections > 0 {
            server.daemon.tick()
            await Task.yield()
        }
        while let text = try await line(client) { #expect(text.isEmpty || !text.contains(" 200 ")) }
        server.stop()
    }

    @Test func `whoever asks and then sends nothing more is answered`() async throws {
        let server = try Server()
        let client = try server.connect()
        client.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        client.finishWriting()
        for await _ in server.echo.begun.stream { break }
        for _ in 0...ConnectionLife.mostRounds { server.daemon.tick() }
        server.echo.goOn.continuation.yield()
        #expect(try await line(client) == "HTTP/1.1 200 OK\r")
        server.stop()
    }

    @Test func `whoever was let in before the server stopped accepting is answered after it`() async throws {
        let server = try Server()
        let client = try server.connect()
        while server.daemon.connections == 0 { await Task.yield() }
        server.daemon.stopAccepting()
        #expect(!server.daemon.isIdle)
        client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
        await server.daemon.drain()
        #expect(try await line(client) == "HTTP/1.1 200 OK\r")
        server.daemon.stop()
    }

    @Test func `whoever sends a body for too long is hung up on, and that is told`() async throws {
        let server = try Server()
        let slow = try server.connect()
        slow.write("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
        #expect(try await line(slow) == "HTTP/1.1 100 Continue\r")
        slow.write("12345")
        for _ in 0...ConnectionLife.mostRounds { server.daemon.tick() }
        #expect(try await line(slow) == "\r")
        #expect(try await line(slow) == nil)
        // The library may have something to say too; without this the time limit ends the test.
        for await sentence in server.told.stream
        where sentence == "a client took too long over the body of a request" { break }
        server.stop()
    }

    @Test func `bodies that are announced and do not come take nothing from others`() async throws {
        let server = try Server(bodies: 1_000)
        defer { server.stop() }
        let idle = try (0..<8).map { _ in
            let client = try server.connect()
            client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
            return client
        }
        // Half of it is what one client may have.
        for (count, answer) in [(500, "HTTP/1.1 200 OK\r"), (501, "HTTP/1.1 503 Service Unavailable\r")] {
            let client = try server.connect()
            client.write(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n"
                    + String(repeating: "x", count: count))
            #expect(try await line(client) == answer)
        }
        withExtendedLifetime(idle) {}
    }

    /// The first lines of all answers to a text on one connection.
    private func answers(to text: String) async throws -> [String] {
        let server = try Server()
        defer { server.stop() }
        return try await answers(to: text, by: server)
    }

    /// The same of a server that goes on.
    private func answers(to text: String, by server: Server) async throws -> [String] {
        let client = try server.connect()
        client.write(text)
        client.finishWriting()
        var lines: [String] = []
        while let text = try await line(client) { if text.hasPrefix("HTTP/1.1 ") { lines.append(text) } }
        return lines
    }

    @Test(arguments: [
        "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: identity\r\n\r\nabc",
        "Content-Length: +3\r\n\r\nabc",
        "Host: b\r\n\r\n",
    ])
    func `a request that can be read in two ways is answered by 400, and the connection ends`(
        rest: String
    ) async throws {
        let second = "GET /second HTTP/1.1\r\nHost: a\r\n\r\n"
        // Where the library finds out first, it says so twice.
        #expect(
            try await Set(answers(to: "POST / HTTP/1.1\r\nHost: a\r\n" + rest + second))
                == ["HTTP/1.1 400 Bad Request\r"])
    }

    /// Headers that a proxy and a server could read in two ways, with a body that would be another request to one of them.
    private static let smuggling: [String] = {
        let body = "\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        let cases = { (name: String) in [name, name.lowercased(), name.uppercased()] }
        var forms: [String] = []
        for value in [
            "+3", "-3", "0x3", "3 3", "3,3", "3;", "", " ", "3a", "1e1", "3\u{B}",
            "\u{663}",
        ] {
            forms += cases("Content-Length").map { "\($0): \(value)" }
        }
        for (one, other) in [("3", "3"), ("3", "4"), ("4", "3"), ("3", "0"), ("3", "03")] {
            for name in cases("Content-Length") {
                forms.append("\(name): \(one)\r\nContent-Length: \(other)")
            }
        }
        let codings = [
            "chunked", "Chunked", "identity", "gzip, chunked", "chunked, identity", "xchunked", "chunked;q=1",
            "\"chunked\"", "chunked,", ",chunked",
        ]
        for (name, coding) in cases("Transfer-Encoding").flatMap({ name in codings.map { (name, $0) } }) {
            forms.append("\(name): \(coding)\r\nContent-Length: 3")
            forms.append("Content-Length: 3\r\n\(name): \(coding)")
            if coding.lowercased() != "chunked" { forms.append("\(name): \(coding)") }
        }
        for (one, other) in [
            ("chunked", "chunked"), ("chunked", "identity"), ("identity", "chunked"), ("gzip", "chunked"),
        ] {
            forms.append("Transfer-Encoding: \(one)\r\nTransfer-Encoding: \(other)")
        }
        for name in ["Transfer-Encoding", "Content-Length", "X"] {
            forms += [" ", "\t", "\u{1}", "\u{7F}", "(", "\"", "\u{E9}"].map { "\(name)\($0): chunked" }
            forms.append("a b\(name): chunked")
        }
        forms += cases("Host").map { "\($0): b" }
        for control in (1..<32).map(UInt8.init) + [127] where ![9, 10, 13].contains(control) {
            forms.append("X: a\(UnicodeScalar(control))b")
            forms.append("Authorization: Bearer a\(UnicodeScalar(control))")
        }
        for name in ["X", "Host", "Content-Length"] {
            forms += ["\n", "\r", "\r\n ", "\r\n\t", "\u{0}", " \u{0}\r\n "].map { "X: a\($0)\(name): 3" }
            forms += ["\(name):\n3", "\(name)\u{0}: 3", "\(name): 3\u{0}", "\(name): 3\n\nX: a"]
        }
        return forms.map { $0 + body }
    }()

    @Test
    func `of two hundred forms of smuggling none brings a second request, and each ends its connection`()
        async throws
    {
        #expect(Self.smuggling.count >= 200)
        let second = "GET /second HTTP/1.1\r\nHost: a\r\n\r\n"
        let server = try Server()
        defer { server.stop() }
        for form in Self.smuggling {
            let found = try await Set(
                answers(to: "POST / HTTP/1.1\r\nHost: a\r\n" + form + second, by: server))
            #expect(found == ["HTTP/1.1 400 Bad Request\r"], "\(form.debugDescription)")
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\r\nHost: a\n\n", "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\u{0}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
    ])
    func `a header whose lines could end elsewhere is answered by 400, and the connection ends`(
        text: String
    ) async throws {
        let second = "GET /second HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(try await Set(answers(to: text + second)) == ["HTTP/1.1 400 Bad Request\r"])
    }

    @Test(arguments: [
        "Host: a", "Host:a", "Host: \t a ", "X:\r\nHost: a", "Host: a\r\nX:", "Host: a\r\nX: \t ",
        "Host: a\r\nCookie: a=b; c=d\r\nX: b", "X: \(String(repeating: "b", count: 9_000))\r\nHost: a",
    ])
    func `a header of whole lines is taken, however its fields are written`(fields: String) async throws {
        let server = try Server()
        let client = try server.connect()
        // Twice, because the memory of a connection is used again, and in pieces, because it grows.
        let text = "GET /?a=b%20c HTTP/1.1\r\n\(fields)\r\n\r\n"
        for piece in [text.prefix(30), text.dropFirst(30)] { client.write(String(piece)) }
        #expect(try await line(client) == "HTTP/1.1 200 OK\r")
        client.write(text)
        var answer: String?
        repeat { answer = try await line(client) } while answer?.hasSuffix("HTTP/1.1 200 OK\r") == false
        #expect(answer != nil)
        server.stop()
    }

    @Test(arguments: ["/a%00b", "/a?b=%00", "/a%0ab", "/a?%7f"])
    func `a path with a control character is refused`(path: String) async throws {
        #expect(
            try await answers(to: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n") == ["HTTP/1.1 400 Bad Request\r"]
        )
    }

    @Test(arguments: [
        (64, "200 OK"), (65, "400 Bad Request"), (250, "400 Bad Request"), (1_000, "400 Bad Request"),
    ])
    func `a query of very many arguments is answered`(count: Int, status: String) async throws {
        let query = (0..<count).map { "a\($0)=1" }.joined(separator: "&")
        #expect(
            try await answers(to: "GET /?\(query) HTTP/1.1\r\nHost: a\r\n\r\n") == ["HTTP/1.1 \(status)\r"])
    }

    @Test func `a path that is longer than a header may be is answered, and the library's words are told`()
        async throws
    {
        let server = try Server()
        defer { server.stop() }
        let path = String(repeating: "a", count: 20_000)
        let found = try await answers(to: "GET /\(path) HTTP/1.1\r\nHost: a\r\n\r\n", by: server)
        #expect(found == ["HTTP/1.1 414 URI Too Long\r"])
        for await sentence in server.told.stream {
            #expect(!sentence.isEmpty && !sentence.contains("\n"), "\(sentence)")
            break
        }
    }

    @Test func `whoever waits for an answer may wait, also while the server stops accepting`() async throws {
        let server = try Server()
        let client = try server.connect()
        client.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        for await _ in server.echo.begun.stream { break }
        for _ in 0...(3 * ConnectionLife.mostRounds) { server.daemon.tick() }
        #expect(!server.daemon.isIdle)
        server.daemon.stopAccepting()
        server.echo.goOn.continuation.yield()
        await server.daemon.drain()
        #expect(try await line(client) == "HTTP/1.1 200 OK\r")
        server.daemon.stop()
    }

    @Test func `whoever listens to a stream is never hung up on`() async throws {
        let server = try Server()
        let client = try server.connect()
        client.write("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await line(client) == "HTTP/1.1 200 OK\r")
        for _ in 0...ConnectionLife.mostRounds { server.daemon.tick() }
        server.echo.news.continuation.yield(["action": ["type": "a"]])
        var text: String?
        repeat { text = try await line(client) } while text != nil && text != "event: action"
        #expect(text != nil)
        server.stop()
    }

    @Test(arguments: [false, true])
    func `a server that stops accepting, or ends at once, gives its socket back`(endsAtOnce: Bool) throws {
        let server = try Server()
        #expect(LocalPort.isHeld(try server.port))
        if endsAtOnce { server.daemon.stop() } else { server.daemon.stopAccepting() }
        #expect(!LocalPort.isHeld(try server.port))
        server.stop()
    }

    @Test(.timeLimit(.minutes(1))) func `a server in which nobody is has nobody to wait for`() async throws {
        let server = try Server()
        server.daemon.stopAccepting()
        await server.daemon.drain()
        #expect(server.daemon.isIdle)
        server.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `whoever has sent half a request is not waited for when a moment is over`()
        async throws
    {
        let server = try Server()
        let client = try server.connect()
        client.write("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
        #expect(try await line(client) == "HTTP/1.1 100 Continue\r")
        server.daemon.stopAccepting()
        #expect(!server.daemon.isIdle)
        await server.daemon.drain()
        #expect(server.daemon.connections == 1)
        server.stop()
    }

    @Test
    func `a body that does not say how long it is, and is too long, is refused when all of it has come`()
        async throws
    {
        let server = try Server()
        let client = try server.connect()
        let chunk = "7d0\r\n" + String(repeating: "x", count: 2_000) + "\r\n"
        client.write(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)\(chunk)\(chunk)0\r\n\r\n"
        )
        #expect(try await line(client)?.hasPrefix("HTTP/1.1 413 ") == true)
        server.stop()
    }

    @Test(arguments: [1, 2]) func `a body of few bytes is read as a whole`(count: Int) async throws {
        let server = try Server()
        defer { server.stop() }
        let client = try server.connect()
        let body = String(repeating: "x", count: count)
        client.write(
            "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(count)\r\n\r\n\(body)")
        var lines: [String] = []
        while let text = try await line(client) { lines.append(text) }
        #expect(lines.first == "HTTP/1.1 200 OK\r")
        #expect(lines.last == "\(count)")
    }

    @Test func `the end answers who still waits`() async throws {
        let server = try Server()
        let client = try server.connect()
        client.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        for await _ in server.echo.begun.stream { break }
        server.stop()
        // What the task answers later reaches nobody.
        server.echo.goOn.continuation.yield()
        server.daemon.stop()
    }

    // MARK: - More clients than places

    /// Reads a line on a thread of its own: requests are answered on those that tests share.
    private func line(_ client: LocalConnection) async throws -> String? {
        try await TestThread.value { client.readLine() }
    }

    @Test func `whoever comes when all places are taken gets that of whoever has waited for longest`()
        async throws
    {
        let server = try Server(connections: 2)
        var clients: [LocalConnection] = []
        for count in 1...2 {
            clients.append(try server.connect())
            while server.daemon.connections < count { await Task.yield() }
        }
        let third = try server.connect()
        #expect(try await line(clients[0]) == nil)
        for client in [clients[1], third] {
            client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await line(client) == "HTTP/1.1 200 OK\r")
        }
        server.stop()
    }

    @Test func `whoever sends a body stays before whoever waits, and goes before whoever is answered`()
        async throws
    {
        let server = try Server(connections: 2)
        let answered = try server.connect()
        answered.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        for await _ in server.echo.begun.stream { break }
        let sending = try server.connect()
        sending.write("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
        #expect(try await line(sending) == "HTTP/1.1 100 Continue\r")
        let third = try server.connect()
        #expect(try await line(sending) == "\r")
        #expect(try await line(sending) == nil)
        third.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await line(third) == "HTTP/1.1 200 OK\r")
        server.echo.goOn.continuation.yield()
        #expect(try await line(answered) == "HTTP/1.1 200 OK\r")
        server.stop()
    }

    @Test func `whoever comes while all are answered is told to come again`() async throws {
        let server = try Server(connections: 1)
        let answered = try server.connect()
        answered.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        for await _ in server.echo.begun.stream { break }
        let other = try server.connect()
        #expect(try await line(other) == "HTTP/1.1 503 Service Unavailable\r")
        #expect(try await line(other) == "Retry-After: 1\r")
        server.echo.goOn.continuation.yield()
        #expect(try await line(answered) == "HTTP/1.1 200 OK\r")
        server.stop()
    }

    @Test func `a thousand that only connect leave room for one that asks`() async throws {
        LocalConnection.raiseLimit()
        let server = try Server(connections: 20)
        let idle = try (0..<1_000).map { _ in try server.connect() }
        for _ in 0..<10 {
            let client = try server.connect()
            client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await line(client) == "HTTP/1.1 200 OK\r")
        }
        for client in idle { client.close() }
        server.stop()
    }

    // MARK: - The plugin

    @Test func `an instance opens its port when it starts and closes it when it ends`() async throws {
        let ingress = HostIngress { _ throws(HostIngress.Failure) in throw .ended }
        let store = try TestStore(
            HTTP.self, settings: ["listen": "127.0.0.1:0"], clock: nil,
            services: TestServices(ingress: ingress))
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
        let store = try TestStore(
            HTTP.self, settings: ["listen": "127.0.0.1:0"], services: TestServices(status: status))
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
                "203.0.113.1:0: nobody can listen there: Cannot assign requested address; end what does, or choose another place"
            ), ("999.1.1.1:0", "999.1.1.1:0: there is no such address; correct it"),
        ] {
            let status = PluginStatus()
            let store = try TestStore(
                HTTP.self, settings: ["listen": .string(place)], clock: nil,
                services: TestServices(ingress: ingress, status: status))
            #expect(status.health == .failing(sentence))
            try await store.finish()
        }
    }
}
