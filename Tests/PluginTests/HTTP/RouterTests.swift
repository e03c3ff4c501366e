// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import HTTPPlugin

/// What is answered, before a host that does as the test says.
@Suite(.timeLimit(.minutes(10))) struct RouterTests {
    private let open = ["authorization": "Bearer open"]
    private let json = ["content-type": "application/json"]

    // MARK: - Who may ask

    @Test(arguments: [
        ("127.0.0.1:8080", true), ("127.0.0.1", true), ("localhost:1", true), ("[::1]:8080", true),
        ("10.0.0.7", true), ("gate.example", true), ("gate.example:8443", true), ("evil.example", false),
        ("", false), ("127.0.0.1.evil.example", false), ("localhost.evil.example", false),
        ("255.0.0.255", true), ("256.0.0.1", false), ("0001.2.3.4", false), ("1.2.3", false),
        ("1.2.3.4.5", false), ("1..2.3", false), ("1.2.3.4.", false), ("1.2.3.x", false), ("/.2.3.4", false),
        ("127.0.0.1:", false), ("127.0.0.1:9", true), ("127.0.0.1:12345", true), ("127.0.0.1:123456", false),
        ("127.0.0.1:/", false), ("127.0.0.1::", false), ("127.0.0.1::80", false), ("[]", false),
        ("[:]", true), ("[g]", false), ("[::ffff:1.2.3.4]", true), ("[::1]x", false), ("[::1]:", false),
        ("[::1]:123456", false), ("LOCALHOST", true), ("GATE.example:1", true), ("gate.example:x", false),
    ])
    func `a request names an address or one of the names of the server`(host: String, isTaken: Bool)
        async throws
    {
        let scene = try RouterScene({ $0.hosts = ["gate.example"] })
        let answer = await scene.ask("GET", "/health", ["host": host])
        #expect((answer.status == 200) == isTaken)
        if !isTaken { #expect(answer.status == 421) }
        scene.end()
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", 200), ("https://127.0.0.1:8080", 200), ("https://gate.example", 200),
        ("HTTP://Gate.Example", 200), ("http://127.0.0.1:9090", 403), ("http://evil.example", 403),
        ("null", 403), ("", 403), ("http://evil-127.0.0.1:8080", 403), ("http://127.0.0.1:8080.evil", 403),
        ("http://127.0.0.1", 403), ("127.0.0.1:8080", 403), ("ftp://127.0.0.1:8080", 403), ("http://", 403),
        ("http://evil-gate.example", 403), ("http://gate.example.evil", 403), ("http://example", 403),
        ("http://gate.example/", 403), ("http://user@gate.example", 403), ("http://gate.example:8080", 403),
    ])
    func `a page of another site is refused`(origin: String, status: UInt32) async throws {
        let scene = try RouterScene({ $0.hosts = ["gate.example"] })
        #expect(await scene.ask("GET", "/state", ["origin": origin]).status == status)
        scene.end()
    }

    @Test(arguments: [
        ("http://localhost:8080", 200), ("HTTPS://LOCALHOST:8080", 200), ("http://evil-localhost:8080", 403),
        ("http://localhost:80800", 403), ("http://localhost:808", 403), ("http://localhost", 403),
        ("http://127.0.0.1:8080", 403),
    ])
    func `a page is of this server where its Origin is what the request calls the server, and no other`(
        origin: String, status: UInt32
    ) async throws {
        let scene = try RouterScene()
        let answer = await scene.ask("GET", "/state", ["host": "localhost:8080", "origin": origin])
        #expect(answer.status == status)
        scene.end()
    }

    @Test func `without a file of a token nobody changes anything, and is told which setting names it`()
        async throws
    {
        let scene = try RouterScene({ $0.tokenFile = "" })
        for (path, body) in [
            ("/actions", "{}"), ("/control", #"{"jsonrpc":"2.0","id":1,"method":"gate"}"#),
        ] {
            let answer = await scene.ask("POST", path, open.merging(json) { $1 }, body)
            #expect(answer.status == 403)
            #expect(
                answer.text
                    == #"{"error":"nobody may change anything here; name the file of a token as \"tokenFile\" in the settings of the instance http"}"#
                    + "\n")
        }
        #expect(scene.brought.withLock { $0 } == [])
        scene.end()
    }

    @Test(arguments: [
        (nil, #"expected the token as \"Authorization: Bearer …\", found none"#),
        ("Basic b3Blbg==", #"expected the token as \"Authorization: Bearer …\", found none"#),
        ("Bearer close", "expected the token of the instance http, found another one"),
        ("Bearer ", "expected the token of the instance http, found another one"),
    ])
    func `whoever shows another token, or none, changes nothing`(field: String?, sentence: String)
        async throws
    {
        let scene = try RouterScene()
        let answer = await scene.ask("POST", "/actions", field.map { ["authorization": $0] } ?? [:], "{}")
        #expect(answer.status == 401)
        #expect(answer.field("WWW-Authenticate") == "Bearer")
        #expect(answer.text == "{\"error\":\"\(sentence)\"}\n")
        #expect(scene.brought.withLock { $0 } == [])
        scene.end()
    }

    @Test func `a socket in the file system has no name, and whoever reaches it may call it anything`()
        async throws
    {
        let place = try #require(ListenAddress("unix:/run/http.sock"))
        let scene = try RouterScene({ $0.listen = place })
        for host in ["evil.example", "", "["] {
            #expect(await scene.ask("GET", "/health", ["host": host]).status == 200)
        }
        scene.end()
    }

    @Test func `what is refused is told to the operator, each kind by itself`() async throws {
        let scene = try RouterScene()
        _ = await scene.ask("POST", "/actions", ["authorization": "Bearer close"].merging(json) { $1 }, "{}")
        _ = await scene.ask("GET", "/state", ["host": "evil.example"])
        scene.tick()
        #expect(
            scene.told.withLock { $0 } == [
                "warning: a client showed a wrong token for /actions",
                "warning: a client asked for the host \"evil.example\"; it was refused",
            ])
        scene.end()
        let other = try RouterScene()
        _ = await other.ask("GET", "/state", ["origin": "http://evil.example"])
        #expect(
            other.told.withLock { $0 } == [
                "warning: a page of \"http://evil.example\" asked for /state; it was refused"
            ])
        other.end()
    }

    @Test func `a token that cannot be read keeps everybody out for now, and is told`() async throws {
        let scene = try RouterScene({ $0.tokenFile += ".none" })
        let answer = await scene.ask("POST", "/actions", open.merging(json) { $1 }, "{}")
        #expect(answer.status == 503)
        #expect(
            answer.text
                == "{\"error\":\"the token of the instance http cannot be read; look at its health\"}\n")
        #expect(scene.told.withLock { $0.count } == 1)
        #expect(scene.told.withLock { $0.first?.contains("it cannot be read: No such file") } == true)
        scene.end()
    }

    @Test func `looking takes the token only where that is set`() async throws {
        for path in ["/state", "/metrics", "/events"] {
            let open = try RouterScene()
            #expect(await open.ask("GET", path).status != 401)
            open.end()
            let closed = try RouterScene({ $0.reading = .token })
            #expect(await closed.ask("GET", path).status == 401)
            #expect(await closed.ask("GET", path, self.open).status != 401)
            #expect(await closed.ask("GET", "/health").status == 200)
            closed.end()
        }
    }

    // MARK: - Paths

    @Test(arguments: [
        ("GET", "/nothing", 404), ("GET", "/hooks", 404), ("GET", "/actions", 405), ("POST", "/state", 405),
        ("DELETE", "/health", 405), ("HEAD", "/health", 200), ("GET", "/", 200), ("POST", "/", 405),
        ("POST", "/hooks/", 404),
    ])
    func `what is not there, or not asked for in this way, is told`(
        method: String, path: String, status: UInt32
    ) async throws {
        let scene = try RouterScene()
        #expect(await scene.ask(method, path, open).status == status)
        scene.end()
    }

    @Test func `the path after state is a place in the state`() async throws {
        let scene = try RouterScene()
        #expect(await scene.ask("GET", "/state").text == #"{"pointer":""}"# + "\n")
        #expect(await scene.ask("GET", "/state/a~1b/0").text == #"{"pointer":"/a~1b/0"}"# + "\n")
        scene.end()
    }

    // MARK: - Actions

    @Test func `lines are handed over as they came, and one action on one line`() async throws {
        let scene = try RouterScene()
        let text = "{\"type\":\n\"a\"}"
        #expect(await scene.ask("POST", "/actions", open, text).status == 200)
        #expect(await scene.ask("POST", "/actions", open.merging(json) { $1 }, text).status == 200)
        #expect(scene.brought.withLock { $0 } == [text, "{\"type\":\r\"a\"}"])
        scene.end()
    }

    @Test func `what became of lines is told, with those that were not taken`() async throws {
        let scene = try RouterScene()
        var receipt = HostIngress.Receipt()
        (receipt.lines, receipt.accepted, receipt.duplicates, receipt.refused) = (4, 1, 1, 2)
        receipt.refusals = [
            .init(line: 2, column: 3, reason: "no"), .init(line: 4, column: nil, reason: "never"),
        ]
        scene.receipt.withLock { [receipt] in $0 = .success(receipt) }
        let answer = await scene.ask("POST", "/actions", open, "…")
        #expect(answer.status == 422)
        #expect(
            answer.text
                == #"{"accepted":1,"duplicates":1,"refused":2,"refusals":[{"line":2,"column":3,"reason":"no"},{"line":4,"reason":"never"}]}"#
                + "\n")
        receipt.isCut = true
        scene.receipt.withLock { [receipt] in $0 = .success(receipt) }
        let cut = await scene.ask("POST", "/actions", open, "…")
        #expect(cut.status == 503)
        #expect(cut.text.contains("send the lines after 4 again"))
        scene.end()
    }

    @Test func `a host that takes nothing now lets the client come again`() async throws {
        let scene = try RouterScene()
        for failure in [HostIngress.Failure.refused("the gate is closed"), .ended] {
            scene.receipt.withLock { $0 = .failure(failure) }
            let answer = await scene.ask("POST", "/actions", open, "{}")
            #expect(answer.status == 503)
            #expect(answer.field("Retry-After") == "1")
        }
        scene.end()
    }

    // MARK: - Control

    @Test(arguments: ["status", "state", "plan", "deadLetters", "metrics", "history"])
    func `methods that look need no token`(method: String) async throws {
        let scene = try RouterScene()
        let answer = await scene.ask(
            "POST", "/control", json, #"{"jsonrpc":"2.0","id":"a","method":"\#(method)","params":{"x":1}}"#)
        #expect(
            answer.text
                == #"{"jsonrpc":"2.0","id":"a","result":{"method":"\#(method)","value":{"x":1}}}"# + "\n")
        scene.end()
    }

    @Test(arguments: ["gate", "dispatch", "redispatch", "release", "reload", "stop", "gone"])
    func `all others need it`(method: String) async throws {
        let scene = try RouterScene()
        let call = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"#
        #expect(await scene.ask("POST", "/control", json, call).status == 401)
        let answer = await scene.ask("POST", "/control", json.merging(open) { $1 }, call)
        #expect(answer.status == 200)
        #expect(
            answer.text
                == (method == "gone"
                    ? #"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown","data":{"method":"gone"}}}"#
                    : #"{"jsonrpc":"2.0","id":1,"result":{"method":"\#(method)","value":{}}}"#) + "\n")
        scene.end()
    }

    @Test(arguments: [
        ("{", 200, "-32700"), ("[]", 200, "-32600"), (#"{"method":"status"}"#, 200, "-32600"),
        (#"{"jsonrpc":"2.0","id":1,"method":"watch"}"#, 200, "ask for /events"),
    ])
    func `what is no request of the protocol is told in its form`(
        body: String, status: UInt32, part: String
    ) async throws {
        let scene = try RouterScene()
        let answer = await scene.ask("POST", "/control", json, body)
        #expect(answer.status == status)
        #expect(answer.text.contains(part))
        #expect(await scene.ask("POST", "/control", ["content-type": "text/plain"], body).status == 415)
        scene.end()
    }

    @Test func `whoever listens to events gets a sign of life in each third round of the server`()
        async throws
    {
        let scene = try RouterScene()
        let (silence, _) = AsyncStream<Value>.makeStream()
        scene.news.withLock { news in
            news = HostNews { () async throws(HostControl.Failure) in
                for await item in silence { return item }
                return nil
            }
        }
        guard case .stream(let stream) = await scene.ask("GET", "/events").body else {
            Issue.record("expected a stream")
            return
        }
        let signs = Atomic(0)
        stream.onArrival { signs.wrappingAdd(1, ordering: .relaxed) }
        for _ in 0..<6 { scene.tick() }
        #expect(signs.load(ordering: .relaxed) == 2)
        stream.close()
        scene.end()
    }

    @Test func `a server that ends opens no events any more, whether anybody has listened to them or not`()
        async throws
    {
        let scene = try RouterScene()
        scene.news.withLock { news in
            news = HostNews { () async throws(HostControl.Failure) in nil }
        }
        #expect(await scene.ask("GET", "/events").status == 200)
        scene.stop()
        for path in ["/events", "/events?types=a"] {
            #expect(await scene.ask("GET", path).status == 503)
        }
        scene.end()
    }

    @Test func `a filter of events that makes no sense is refused in the words of the host`() async throws {
        let scene = try RouterScene()
        let answer = await scene.ask("GET", "/events?types=a,b&types=c&state=/x")
        #expect(answer.status == 400)
        #expect(answer.text == #"{"error":"/params/types: wrong"}"# + "\n")
        let request = HTTPRequest(
            method: "GET", path: "/events",
            query: [("types", "a,b"), ("types", "c"), ("state", "/x"), ("other", "1")])
        #expect(EventHub.filter(request) == ["types": ["a", "b", "c"], "state": ["/x"]])
        scene.end()
    }
}
