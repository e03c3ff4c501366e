// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import GatehouseSDK
import GatehouseTesting
import Glibc
import Synchronization
import Testing

@testable import HTTPClientPlugin

/// The plugin against a server of the test's own, on a clock of the test's own.
@Suite(.timeLimit(.minutes(10))) struct HTTPClientPluginTests {
    /// A store with settings for a server; it and its requests wait long for the network of a busy machine.
    private func store(
        _ server: ScriptedServer, _ path: String = "/hook", _ more: Members = [:],
        clock: ManualClock? = ManualClock(), unixTime: Double = 1_000_000_000,
        status: PluginStatus = PluginStatus(), network: HostNetwork = HostNetwork()
    ) throws -> TestStore<HTTPClient.Action, NoState> {
        let patient: Members = ["url": .string(server.url(path)), "timeout": 300, "connectTimeout": 300]
        let settings = patient.merging(more)
        let store = try TestStore(
            HTTPClient.self, settings: .object(settings), clock: clock,
            services: TestServices(unixTime: unixTime, network: network, status: status))
        store.limit = .seconds(120)
        return store
    }

    /// The answer to one payload.
    private func answer(
        _ server: ScriptedServer, _ path: String = "/hook", _ more: Members = [:],
        to payload: Value? = ["id": 7]
    ) async throws -> Value {
        let store = try store(server, path, more.merging(["attempts": 1]))
        try store.send(.send(payload))
        let answer = try await store.answer()
        try await store.finish()
        return answer
    }

    @Test func `the payload is sent as JSON, and the answer says what came back`() async throws {
        let server = try ScriptedServer { _, _ in
            .status(201, headers: ["Content-Type": "application/json; charset=utf-8"], body: #"{"ok":true}"#)
        }
        #expect(
            try await answer(server, to: ["id": "a", "n": 1.5]) == [
                "type": "succeeded",
                "payload": ["id": "a", "status": 201, "body": ["ok": true], "attempts": 1],
            ])
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.target == "/hook")
        #expect(request.body == #"{"id":"a","n":1.5}"#)
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["user-agent"] == "gatehouse-http-client")
        #expect(request.headers["expect"] == nil)
        #expect(request.headers["idempotency-key"] == nil)
    }

    @Test func `URL and headers are filled from the payload, and the body is a part of it`() async throws {
        let server = try ScriptedServer { _, _ in .status(204) }
        let found = try await answer(
            server, "/rooms/{/room}/{/n}?q={/q}",
            [
                "method": "PUT", "headers": ["X-Room": "<{/room}>", "Content-Type": "text/json"],
                "body": "/text",
                "id": "/n",
            ], to: ["room": "a/b ü", "n": 2, "q": "1&x=2", "text": ["hello"]])
        #expect(found == ["type": "succeeded", "payload": ["id": 2, "status": 204, "attempts": 1]])
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT")
        #expect(request.target == "/rooms/a%2Fb%20%C3%BC/2?q=1%26x%3D2")
        #expect(request.headers["x-room"] == "<a/b ü>")
        #expect(request.headers["content-type"] == "text/json")
        #expect(request.body == #"["hello"]"#)
    }

    @Test(
        arguments: [
            (
                "/{/none}", [:],
                "the URL needs a text or a number at /none that can stand there, found nothing"
            ),
            ("/{/a}", [:], "the URL needs a text or a number at /a that can stand there, found an object"),
            ("/x/{/up}", [:], #"the URL needs a text or a number at /up that can stand there, found "..""#),
            (
                "/x/{/empty}?q={/empty}", [:],
                #"the URL needs a text or a number at /empty that can stand there, found """#
            ),
            (
                "/", ["headers": ["X": "{/line}"]],
                #"the header X needs a text or a number at /line that can stand there, found "a\r\nb: c""#
            ),
            ("/", ["body": "/none"], "the body needs something at /none, found nothing"),
        ] as [(String, Members, String)])
    func `what the payload lacks is told, and nothing is sent`(path: String, more: Members, message: String)
        async throws
    {
        let server = try ScriptedServer { _, _ in .status(200) }
        #expect(
            try await answer(
                server, path, more, to: ["a": ["b": 1], "up": "..", "line": "a\r\nb: c", "empty": ""])
                == [
                    "type": "failed",
                    "payload": ["reason": "payload", "message": .string(message), "attempts": 0],
                    "error": true,
                ])
        #expect(server.requests.isEmpty)
    }

    @Test func `a secret is read from its file for each request, and is not told`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("first\n", to: "token")
        #expect(unsafe chmod(folder("token"), 0o600) == 0)
        let server = try ScriptedServer { _, _ in .status(401, body: "no") }
        let store = try store(
            server, "/",
            ["headers": ["Authorization": "Bearer {token}"], "secrets": ["token": .string(folder("token"))]])
        try store.send(.send(1))
        var answers = [try await store.answer()]
        try folder.write("second", to: "token")
        try store.send(.send(2))
        answers.append(try await store.answer())
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer first", "Bearer second"])
        #expect(
            answers
                == Array(
                    repeating: [
                        "type": "failed",
                        "payload": [
                            "reason": "status", "message": "the service answers 401", "status": 401,
                            "body": "no",
                            "attempts": 1,
                        ], "error": true,
                    ], count: 2))
        #expect(!store.log.contains { $0.contains("first") || $0.contains("second") })
    }

    @Test(
        arguments: [
            (
                ["token": "/none/there"],
                "the secret token cannot be read: /none/there: it cannot be read: No such file or directory; write it there, and let this user read it"
            ),
            (
                ["token": "/proc/self/status"],
                "the secret token cannot be read: /proc/self/status: others may read or write it; take that from them with chmod 600"
            ),
        ] as [(Value, String)])
    func `a secret that cannot be read is told at the start and with each request`(
        secrets: Value, message: String
    ) async throws {
        let notices = Notices()
        let server = try ScriptedServer { _, _ in .status(200) }
        let store = try store(
            server, "/", ["headers": ["Authorization": "Bearer {token}"], "secrets": secrets],
            status: PluginStatus { notices.add($0) })
        try store.send(.send(1))
        let answer = try await store.answer()
        #expect(
            notices.all == [
                .health(.failing(message)), .failed(action: "send", payload: 1, reason: message),
            ])
        #expect(
            answer == [
                "type": "failed",
                "payload": ["reason": "secret", "message": .string(message), "attempts": 0], "error": true,
            ])
        #expect(server.requests.isEmpty)
    }

    @Test func `a request is tried again at growing random intervals, and the health follows`() async throws {
        let notices = Notices()
        let server = try ScriptedServer { _, number in .status(number < 3 ? 503 : 200) }
        let store = try store(
            server, "/", ["pause": 2, "maximumPause": 5], status: PluginStatus { notices.add($0) })
        try store.send(.send(["id": 1]))
        var pauses = RetryPause(first: 2, maximum: 5, key: "test/1")
        for attempt in 1...3 {
            let pause = pauses.pause(after: attempt)
            #expect((0...[2, 4, 5][attempt - 1]).contains(pause))
            await store.awaitPause()
            #expect(server.requests.count == attempt)
            store.advance(by: .seconds(pause))
        }
        let answer = try await store.answer()
        #expect(answer == ["type": "succeeded", "payload": ["id": 1, "status": 200, "attempts": 4]])
        #expect(notices.all == [])
    }

    @Test(arguments: ["POST", "GET"])
    func `a connection that was open and is closed without an answer costs one attempt, not two`(
        method: String
    ) async throws {
        // libcurl sends such a request again by itself.
        let server = try ScriptedServer { _, number in number == 0 ? .status(200) : .raw("") }
        let store = try store(
            server, "/hook", ["attempts": 1, "method": .string(method), "concurrency": 1])
        try store.send(.send(["id": 1]))
        _ = try await store.answer()
        try store.send(.send(["id": 2]))
        #expect(
            try await store.answer()["payload"] == [
                "id": 2, "reason": "connection",
                "message": "no answer: the service has closed the connection without an answer",
                "attempts": 1,
            ])
        try await store.finish()
        #expect(server.requests.count == 2)
    }

    @Test(
        arguments: [
            ("http://a:0/", nil), ("http://a:65536/", nil), ("http://a:x/", nil), ("http://:80/", nil),
            ("http://a:65535/", "http://a:65535"), ("http://[::1]/", "http://[::1]"),
            ("http://[::1]:8080/", "http://[::1]:8080"),
        ] as [(String, String?)])
    func `a port that cannot be one is refused`(url: String, origin: String?) {
        #expect(RequestURL(url)?.origin == origin)
    }

    @Test func `at most 100 attempts are made`() throws {
        let server = try ScriptedServer { _, _ in .status(200) }
        _ = try store(server, "/", ["attempts": 100])
        let failure = #expect(throws: (any Error).self) { try store(server, "/", ["attempts": 101]) }
        #expect(
            failure.map { "\($0)" }?.contains("/attempts: expected ") == true,
            "\(failure.map { "\($0)" } ?? "nothing")")
    }

    @Test func `a secret without a file is refused with its header`() {
        let failure = #expect(throws: (any Error).self) {
            try TestStore(
                HTTPClient.self,
                settings: ["url": "http://a/", "headers": ["Authorization": "Bearer {token}"]])
        }
        #expect(
            failure.map { "\($0)" }?.contains(
                #"/headers: expected secrets that "secrets" names the files of, found {token} in Authorization"#
            )
                == true, "\(failure.map { "\($0)" } ?? "nothing")")
    }

    @Test func `what a service asks to wait is waited in full`() async throws {
        let date = "Sun, 09 Sep 2001 01:48:20 GMT"  // 100 seconds after 1,000,000,000
        let server = try ScriptedServer { _, number in
            switch number {
            case 0: .status(429, headers: ["Retry-After": "30"])
            case 1: .status(503, headers: ["Retry-After": date])
            default: .status(429, headers: ["Retry-After": "4000"])
            }
        }
        let store = try store(server, "/", ["pause": 0.001, "maximumPause": 0.001])
        try store.send(.send(nil))
        await store.awaitPause()
        store.advance(by: .seconds(29.9))
        #expect(server.requests.count == 1)
        store.advance(by: .seconds(0.2))
        await store.awaitPause()
        #expect(server.requests.count == 2)
        store.advance(by: .seconds(69.8))
        #expect(server.requests.count == 2)
        store.advance(by: .seconds(0.3))
        let answer = try await store.answer()
        #expect(
            answer == [
                "type": "failed",
                "payload": [
                    "reason": "status", "message": "the service answers 429", "status": 429, "attempts": 3,
                ], "error": true,
            ])
    }

    @Test(arguments: [400, 401, 404, 409, 410, 422, 501])
    func `what another attempt would not change is not tried again`(status: Int) async throws {
        let server = try ScriptedServer { _, _ in .status(status) }
        let store = try store(server)
        try store.send(.send(1))
        let answer = try await store.answer()
        #expect(answer["payload"]?["attempts"] == 1)
    }

    @Test func `without a clock there is one attempt, which is told at the start`() async throws {
        let server = try ScriptedServer { _, _ in .status(503) }
        let store = try store(server, clock: nil)
        try store.send(.send(1))
        let answer = try await store.answer()
        #expect(answer["payload"]?["attempts"] == 1)
        #expect(
            store.log == [#"warning: nothing will be tried again: grant "clock" in "lift"/"dependencies""#])
    }

    @Test func `a service that is silent times out, and one that is not there is told`() async throws {
        let server = try ScriptedServer { _, _ in .silence }
        var late = try await answer(server, "/", ["timeout": 5])
        // On a busy machine it takes a while to connect, and one that has not is told in other words.
        if late["payload"]?["reason"] == "connection" {
            late = try await answer(server, "/", ["timeout": 50])
        }
        #expect(late["payload"]?["reason"] == "timeout")
        #expect(
            late["payload"]?["message"]?.stringValue?.hasPrefix("no answer: Operation timed out after")
                == true)
        let port = try LocalPort.free()
        let absent = try await answer(server, "/", ["url": .string("http://127.0.0.1:\(port)/")])
        #expect(absent["payload"]?["reason"] == "connection")
        #expect(
            absent["payload"]?["message"]?.stringValue?.hasPrefix(
                "no answer: Failed to connect to 127.0.0.1 port \(port)") == true)
        let garbage = try await answer(ScriptedServer { _, _ in .raw("no HTTP\r\n\r\n") }, "/")
        #expect(garbage["payload"]?["message"] == "no answer: Received HTTP/0.9 when not allowed")
    }

    @Test func `no more than allowed is under way, and what does not find room is told at once`() async throws
    {
        let server = try ScriptedServer { _, _ in .status(200) }
        let store = try store(server, "/", ["concurrency": 2, "queue": 3])
        store.isExhaustive = false
        for id in 1...8 { try store.send(.send(["id": .integer(Int64(id))])) }
        var answers: [Value] = []
        while answers.count < 8 { answers.append(try await store.answer()) }
        let failed = answers.filter { $0["type"] == "failed" }
        // How many were answered before the last came depends on the network; none is lost.
        #expect(failed.allSatisfy { $0["payload"]?["reason"] == "queueFull" })
        #expect(server.requests.count == 8 - failed.count)
        #expect(server.mostRunning <= 2)
    }

    @Test func `a long answer is cut`() async throws {
        let server = try ScriptedServer { _, _ in
            .status(
                200, headers: ["Content-Type": "application/json"],
                body: "[\(String(repeating: "1,", count: 100_000))1]")
        }
        let found = try await answer(server, "/", ["maximumResponse": 5])
        #expect(
            found == [
                "type": "succeeded",
                "payload": ["id": 7, "status": 200, "body": "[1,1,", "cut": true, "attempts": 1],
            ])
    }

    @Test(arguments: [(6, true), (7, false), (8, false), (0, true)])
    func `an answer of exactly the maximum is whole, and one byte more is not`(maximum: Int, isCut: Bool)
        async throws
    {
        let server = try ScriptedServer { _, _ in
            .status(200, headers: ["Content-Type": "application/json"], body: "[1,2,3]")
        }
        let found = try await answer(server, "/", ["maximumResponse": .integer(Int64(maximum))])
        #expect(found["payload"]?["cut"] == (isCut ? true : nil))
        #expect(
            found["payload"]?["body"]
                == (isCut ? maximum == 0 ? nil : .string(String("[1,2,3]".prefix(maximum))) : [1, 2, 3]))
    }

    @Test(
        arguments: [
            (307, "/there", 1, "POST", true), (308, "/there", 1, "POST", true),
            (302, "/there", 1, "GET", true),
            (302, "/there", 1, "POST", false), (307, "/there", 0, "POST", false),
            (307, "http://127.0.0.1:1/there", 1, "POST", false),
            (307, "https://127.0.0.1/", 1, "POST", false),
            (307, "file:///etc/passwd", 1, "POST", false), (307, "/again", 3, "POST", false),
        ])
    func `redirects are followed within the service, as often as allowed`(
        status: Int, place: String, most: Int, method: String, isFollowed: Bool
    ) async throws {
        let server = try ScriptedServer { request, _ in
            request.target == "/there"
                ? .status(200, body: request.body) : .status(status, headers: ["Location": place])
        }
        let found = try await answer(
            server, "/", ["redirects": .integer(Int64(most)), "method": .string(method)], to: 5)
        if isFollowed {
            var payload: Members = ["status": 200, "attempts": 1]
            payload["body"] = method == "POST" ? "5" : nil
            #expect(found == ["type": "succeeded", "payload": .object(payload)])
        } else {
            #expect(found["type"] == "failed")
            #expect(found["payload"]?["reason"] == "redirect")
            #expect(server.requests.count == (place == "/again" ? most + 1 : 1))
        }
    }

    @Test func `the end of the run ends pauses, and what is under way is waited for`() async throws {
        let server = try ScriptedServer { _, _ in .status(503, body: "later") }
        let store = try store(server)
        try store.send(.send(["id": 1]))
        await store.awaitPause()
        store.stop()
        let answer = try await store.answer()
        #expect(
            answer == [
                "type": "failed",
                "payload": [
                    "id": 1, "reason": "stopped",
                    "message": "given up after attempt 1 because the run ends: the service answers 503",
                    "status": 503, "body": "later", "attempts": 1,
                ], "error": true,
            ])
    }

    @Test func `without a URL nothing is sent, which is told`() async throws {
        let store = try TestStore(HTTPClient.self)
        try store.send(.send(1))
        try await store.receive(
            .failed(
                id: nil, reason: .noURL, message: #"there is no URL to send to; set "url""#, status: nil,
                body: nil, attempts: 0))
        try await store.finish()
        #expect(store.log == [])
    }

    /// The threads of this process that send requests.
    private var senders: Int {
        FileSystem.names(in: "/proc/self/task").count { name in
            (try? FileSystem.read("/proc/self/task/\(name)/comm")) == Array("http-client\n".utf8)
        }
    }

    @Test func `all instances of a process send on one thread, which holds none of the pool`() async throws {
        let (arrived, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try ScriptedServer { _, _ in
            arrived.signal()
            goOn.wait()
            goOn.signal()
            return .status(204)
        }
        let stores = try (0..<40).map { _ in try store(server) }
        for (number, store) in stores.enumerated() { try store.send(.send(["id": Value(number)])) }
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "arrivals").async {
                for _ in 0..<40 { arrived.wait() }
                continuation.resume()
            }
        }
        // Other tests of this process send at the same time, on the same thread; one that is not needed any more may be ending.
        while senders > 1 { await Task.yield() }
        #expect(senders == 1)
        goOn.signal()
        for store in stores {
            #expect(try await store.answer()["type"] == "succeeded")
            try await store.finish()
        }
    }

    @Test(arguments: [false, true])
    func `requests that one instance or one task gives up leave those of others alone`(isTask: Bool)
        async throws
    {
        let (arrived, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try ScriptedServer { _, _ in
            arrived.signal()
            goOn.wait()
            goOn.signal()
            return .status(204)
        }
        let clients = (0..<2).map { _ in CurlClient(network: HostNetwork()) }
        let request = HTTPRequest(
            method: "GET", url: server.url("/"), host: "127.0.0.1", port: UInt16(server.port), headers: [],
            body: nil,
            timeout: 300_000, connectTimeout: 300_000, maximumResponse: 100)
        let answers = clients.map { client in
            Task { () -> Result<Int, any Error> in
                do { return .success(try await client.perform(request).status) } catch {
                    return .failure(error)
                }
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "arrivals").async {
                for _ in 0..<2 { arrived.wait() }
                continuation.resume()
            }
        }
        if isTask { answers[0].cancel() } else { clients[0].close() }
        await #expect(throws: HTTPFailure.self) { try await answers[0].value.get() }
        goOn.signal()
        #expect(try await answers[1].value.get() == 204)
    }
}

extension TestStore<HTTPClient.Action, NoState> {
    /// The next answer, in wire form.
    nonisolated(nonsending) func answer() async throws -> Value {
        let action = try await receive { _ in true }
        let (name, payload) = try action.encoded()
        var members: Members = ["type": .string(name), "payload": payload ?? .null]
        if action.isError { members["error"] = true }
        return .object(members)
    }

    /// Waits until the plugin waits for the clock, which is when nothing can come any more.
    nonisolated(nonsending) func awaitPause() async {
        do {
            let action = try await receive { _ in true }
            Issue.record("expected a pause, found \(action)")
        } catch {
            #expect("\(error)".contains("asleep until the clock has moved"))
        }
    }
}

extension Members {
    /// These members, and others in their place or after them.
    func merging(_ others: Members) -> Members {
        Members(map { ($0.key, $0.value) } + others.map { ($0.key, $0.value) })
    }
}
