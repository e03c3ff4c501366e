// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// The plugin http in the built program.
@Suite(.timeLimit(.minutes(10))) struct HTTPRunTests {
    private let increment = #"{"type":"counter/increment"}"#

    // MARK: - Actions

    @Test func `lines are processed before they are answered, and each that is none is named`() throws {
        let host = try HTTPHost()
        let first = try host.bring(increment + "\n" + increment + "\r\n\n")
        #expect(first.status == 200)
        #expect(first.body == #"{"accepted":2}"# + "\n")
        #expect(try host.ask("GET", "/state/counter/count").body == "2\n")
        let second = try host.bring(
            "\(increment)\nnope\n{\"tipe\":1}\n\(increment)\n{\"type\":\"host/state/merge\",\"payload\":{}}")
        #expect(second.status == 422)
        #expect(
            second.body
                == #"{"accepted":2,"refused":3,"refusals":[{"line":2,"column":1,"reason":"expected a value, found nope; bare words are true, false and null"},{"line":3,"column":2,"reason":"expected only the members type, payload, error and meta, found \"tipe\"; did you mean \"type\"?"},{"line":5,"reason":"host/state/merge: it belongs to the host; let the instance http send it by \"allow\""}]}"#
                + "\n")
        #expect(try host.ask("GET", "/state/counter").body == "{\"count\":4}\n")
        #expect(try host.ask("GET", "/state/nowhere").status == 404)
        let outcome = try host.finish()
        #expect(outcome.exitCode == 0)
        #expect(!outcome.errors.contains("given up"))
    }

    @Test(arguments: [
        "", #""journal": { "directory": "journal", "mode": "strict" }, "#,
        #""journal": { "directory": "journal", "mode": "relaxed" }, "#,
    ])
    func `more lines than have their turn at once are all taken, in order`(members: String) throws {
        let host = try HTTPHost(HTTPHost.configuration(members: members))
        let count = 10_000
        let lines = (1...count).map {
            $0.isMultiple(of: 1_000) ? "?\n" : "{\"type\":\"counter/increment\",\"payload\":{\"by\":\($0)}}\n"
        }
        let answer = try JSONText.parse(try host.bring(lines.joined()).body)
        #expect(answer["accepted"] == Value(count - 10))
        #expect(
            answer["refusals"]?.arrayValue?.compactMap { $0["line"]?.intValue } == (1...10).map { $0 * 1_000 }
        )
        let sum = count * (count + 1) / 2 - (1...10).reduce(0) { $0 + $1 * 1_000 }
        #expect(try host.ask("GET", "/state/counter/count").body == "\(sum)\n")
        #expect(try host.finish().exitCode == 0)
    }

    @Test
    func
        `a webhook of Slack comes in by a name that the host does not know, and its time is that of the host`()
        throws
    {
        let host = try HTTPHost(
            HTTPHost.configuration().replacing(
                #""hooks": {"#, with: #""hooks": { "slack": { "form": "slack", "secretFiles": ["secret"] },"#)
        )
        let send = { (time: Int) in
            let body = #"{"type":"event_callback","event":{"type":"app_mention"},"event_id":"Ev\#(time)"}"#
            return try host.ask(
                "POST", "/hooks/slack",
                [
                    "Host": "hooks.example.org", "Content-Type": "application/json",
                    "X-Slack-Request-Timestamp": "\(time)",
                    "X-Slack-Signature": "v0="
                        + HTTPHost.signature(of: "v0:\(time):\(body)", with: HTTPHost.secret),
                ], body)
        }
        let now = Int(time(nil))
        #expect(try send(now).status == 200)
        #expect(try send(now).body == "")
        #expect(try send(now - 86_400).status == 401)
        #expect(try host.ask("GET", "/state/http/delivered").body == "[\"slack/Ev\(now)\"]\n")
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `columns of errors in a body are those of its own lines`() throws {
        let host = try HTTPHost()
        let body = "{\n  \"type\": \"counter/increment\",\n  \"payload\": nope\n}"
        let answer = try host.ask(
            "POST", "/actions",
            ["Authorization": "Bearer " + HTTPHost.token, "Content-Type": "application/json"], body)
        #expect(
            answer.body
                == #"{"accepted":0,"refused":1,"refusals":[{"line":3,"column":14,"reason":"expected a value, found nope; bare words are true, false and null"}]}"#
                + "\n")
        #expect(
            try host.deliver("one", body: "{\n  \"é\": nope\n}").body
                == #"{"error":"line 2, column 8 of the body: expected a value, found nope; bare words are true, false and null"}"#
                + "\n")
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `what the ingress keeps out does not come in by HTTP either`() throws {
        let host = try HTTPHost(
            HTTPHost.configuration(members: #""ingress": { "deny": ["counter/decrement"] }, "#))
        let answer = try host.bring(#"{"type":"counter/decrement"}"#)
        #expect(answer.status == 422)
        #expect(
            answer.body.contains(
                #"counter/decrement: input may not carry it: \"ingress\"/\"deny\" lists \"counter/decrement\""#
            ))
        _ = try host.finish()
    }

    @Test func `what a strict journal has answered survives the death of the host, and is not taken twice`()
        throws
    {
        let host = try HTTPHost(
            HTTPHost.configuration(members: #""journal": { "directory": "journal", "mode": "strict" }, "#))
        let line = #"{"type":"counter/increment","meta":{"id":"a"}}"#
        #expect(try host.bring(line + "\n" + increment).body == #"{"accepted":2}"# + "\n")
        #expect(try host.bring(line).body == #"{"accepted":0,"duplicates":1}"# + "\n")
        #expect(try host.deliver("one").body == #"{"accepted":1}"# + "\n")
        host.child.signal(SIGKILL)
        #expect(try host.child.finish().exitCode == nil)
        let again = try HTTPHost(in: host.scene)
        #expect(try again.ask("GET", "/state/counter/count").body == "2\n")
        #expect(try again.bring(line).body == #"{"accepted":0,"duplicates":1}"# + "\n")
        #expect(try again.deliver("one").body == #"{"accepted":0,"duplicates":1}"# + "\n")
        _ = try again.finish()
    }

    @Test func `while the gate is closed nothing comes in, and everything can be looked at`() throws {
        let host = try HTTPHost()
        let moved = try host.control("gate", #"{"id":"http","position":"close"}"#)
        #expect(moved["result"]?["gate"] == "bypass")
        let refused = try host.bring(increment)
        #expect(refused.status == 503)
        #expect(refused.fields["retry-after"] == "1")
        #expect(refused.body == #"{"error":"the gate of the instance http is closed"}"# + "\n")
        #expect(try host.deliver("one").status == 503)
        #expect(try host.ask("GET", "/ready").status == 503)
        #expect(try host.ask("GET", "/health").status == 200)
        #expect(try host.ask("GET", "/state/counter/count").body == "0\n")
        let answer = try host.control("gate", #"{"id":"http","position":"open"}"#)
        #expect(answer["error"]?["message"] == "the gate of the instance http is closed")
        _ = try host.finish()
    }

    @Test func `an instance that is granted nothing serves nobody, and says so`() throws {
        let scene = try Scene(
            HTTPHost.configuration(lift: #""dependencies": ["clock"]"#),
            libraries: ["HTTPPlugin", "CounterPlugin"])
        let outcome = try scene.run()
        #expect(
            outcome.errors.contains(
                #"it is granted neither "ingress" nor "control", so it serves nobody; list them in "lift"/"dependencies""#
            ), "\(outcome.errors)")
        #expect(!outcome.errors.contains("listening"))
    }

    // MARK: - Webhooks

    @Test func `deliveries are dispatched once each, and wrong ones not at all`() throws {
        let host = try HTTPHost(HTTPHost.configuration(), ["--print", "actions"])
        let body = #"{"action":"opened","number":12345678901234567890123}"#
        #expect(try host.deliver("a", event: "issues", body: body).status == 200)
        #expect(
            try host.deliver("a", event: "issues", body: body).body == #"{"accepted":0,"duplicates":1}"#
                + "\n")
        #expect(try host.deliver("b", body: body + " ", secret: "new").status == 200)
        #expect(try host.deliver("captured", event: "delete", body: body).status == 409)
        for (id, body, secret, status) in [
            ("c", body, "wrong", 401), ("d", "{", HTTPHost.secret, 422),
            ("e", #"1,"meta":{}"#, HTTPHost.secret, 422), ("f", #"1,"other":2"#, HTTPHost.secret, 422),
            ("g", "1}\n{\"type\":\"counter/increment\"", HTTPHost.secret, 422),
            ("h", "", HTTPHost.secret, 422), ("i i", "{}", HTTPHost.secret, 400),
        ] {
            #expect(try host.deliver(id, body: body, secret: secret).status == status, "\(id)")
        }
        #expect(try host.ask("POST", "/hooks/other", [:], "{}").status == 404)
        let outcome = try host.finish()
        #expect(
            outcome.output == """
                {"type":"github/issues","payload":{"action":"opened","number":12345678901234567890123},"meta":{"hook":"github","id":"github/a"}}
                {"type":"http/delivered","payload":{"hook":"github","id":"a","body":"=fb2d8571d1c22fd5079b906bb94af5f3f4c8ff435f08914ef4f9bf29d20c2aba"}}
                {"type":"github/push","payload":{"action":"opened","number":12345678901234567890123},"meta":{"hook":"github","id":"github/b"}}
                {"type":"http/delivered","payload":{"hook":"github","id":"b","body":"=1c43fc30884dc09a39aef5efb8bb281cb9505b4d8b1201170f050180848f383c"}}

                """)
        #expect(outcome.errors.contains("http: 127.0.0.1 sent to the hook github with a wrong signature\n"))
        #expect(!outcome.errors.contains("wrong\n") && !outcome.errors.contains(HTTPHost.secret))
    }

    @Test func `of generated deliveries, many at a time and some twice, each is dispatched once`() throws {
        let events = ["push", "issues", "release", "star"]
        let entries = events.map {
            #", { "id": "\#($0)", "library": "libCounterPlugin.so", "lift": { "input": { "github/\#($0)": "increment" } } }"#
        }
        let host = try HTTPHost(HTTPHost.configuration(entries: entries.joined()))
        let deliveries = (0..<400).map { number in
            (id: "id-\(number % 250)", event: events[number % 250 % 4])
        }.shuffled()
        let connections = try (0..<20).map { _ in try host.connect() }
        for (place, delivery) in deliveries.enumerated() {
            let body = #"{"text":"\#(String(repeating: "é", count: place * 10))"}"#
            connections[place % 20].send(
                "POST", "/hooks/github",
                HTTPHost.delivery(delivery.id, event: delivery.event, body: body), body)
        }
        var (new, known) = (0, 0)
        for place in deliveries.indices {
            let answer = try connections[place % 20].receive()
            #expect(answer.status == 200)
            if answer.body.contains("duplicates") { known += 1 } else { new += 1 }
        }
        #expect((new, known) == (250, 150))
        for (place, event) in events.enumerated() {
            #expect(try host.ask("GET", "/state/\(event)/count").body == "\(place < 2 ? 63 : 62)\n")
        }
        #expect(try host.finish().exitCode == 0)
    }

    // MARK: - Reload

    @Test func `a reload keeps the port, and knows the deliveries of before`() throws {
        let port = try LocalPort.free()
        let host = try HTTPHost(HTTPHost.configuration(port: port))
        #expect(try host.deliver("one").status == 200)
        try host.scene.folder.write(
            HTTPHost.configuration(port: port, #""maximumBody": 2000"#), to: "plugins.json")
        host.child.signal(SIGHUP)
        try host.child.waitForErrors("generation 2 runs")
        #expect(try host.deliver("one").body == #"{"accepted":0,"duplicates":1}"# + "\n")
        #expect(try host.bring(String(repeating: " ", count: 3_000)).status == 413)
        // A port that somebody else has: the change is undone.
        let other = try HTTPHost()
        try host.scene.folder.write(HTTPHost.configuration(port: other.port), to: "plugins.json")
        host.child.signal(SIGHUP)
        try host.child.waitForErrors("runs on")
        #expect(try host.bring(increment).status == 200)
        _ = try other.finish()
        let outcome = try host.finish()
        #expect(
            outcome.errors.contains(
                "127.0.0.1:\(other.port): nobody can listen there: Address already in use; end what does, or choose another place"
            ), "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `IPv6 and a Unix socket serve as well`() throws {
        let scene = try Scene(
            HTTPHost.configuration().replacing("127.0.0.1:0", with: "unix:http.sock"),
            libraries: ["HTTPPlugin", "CounterPlugin"])
        try FileSystem.write(Array("t".utf8), to: scene.folder("token"), mode: 0o600)
        for name in ["secret", "secret.new"] {
            try FileSystem.write(Array("s".utf8), to: scene.folder(name), mode: 0o600)
        }
        let child = try scene.start()
        try child.waitForErrors("http: listening at unix:http.sock")
        let client = HTTPConnection(try LocalConnection(scene.folder("http.sock")))
        client.send("GET", "/health", ["Host": "anything"])
        #expect(try client.receive().status == 200)
        child.signal(SIGTERM)
        _ = try child.finish()
        #expect(!FileSystem.exists(scene.folder("http.sock")))
        try scene.folder.write(
            HTTPHost.configuration().replacing("127.0.0.1:0", with: "[::1]:0"), to: "plugins.json")
        let six = try scene.start()
        try six.waitForErrors("http: listening at http://[::1]:")
        six.signal(SIGTERM)
        _ = try six.finish()
    }

    // MARK: - Events

    @Test func `events are told as they pass, and who comes back goes on where it was`() throws {
        let host = try HTTPHost()
        let listener = try host.connect()
        listener.send("GET", "/events?types=counter/*")
        let (status, fields) = try listener.receiveHeader()
        #expect(status == 200)
        #expect(fields["content-type"] == "text/event-stream")
        _ = try listener.line(with: ": watching")
        #expect(try host.bring(increment + "\n{\"type\":\"other\"}").status == 200)
        let id = String(try listener.line(with: "id: ").dropFirst("id: ".count))
        #expect(
            try listener.line(with: "data: ")
                == #"data: {"action":{"type":"counter/increment"},"source":{"instance":"http"}}"#)
        listener.raw.close()
        #expect(try host.bring(#"{"type":"counter/increment","payload":{"by":5}}"#).status == 200)
        let again = try host.connect()
        again.send("GET", "/events?types=counter/*", ["Last-Event-ID": id])
        #expect(try again.line(with: "data: ").contains(#""payload":{"by":5}"#))
        let stranger = try host.connect()
        stranger.send("GET", "/events?types=counter/*", ["Last-Event-ID": "elsewhere-7"])
        _ = try stranger.line(with: "event: lost")
        let watcher = try host.connect()
        watcher.send("GET", "/events?state=/counter/count")
        #expect(
            try watcher.line(with: "data: ") == #"data: {"state":{"pointer":"/counter/count","value":6}}"#)
        #expect(try host.ask("GET", "/events?types=*a").status == 400)
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `metrics are told as Prometheus reads them`() throws {
        let host = try HTTPHost()
        _ = try host.bring(increment)
        let answer = try host.ask("GET", "/metrics")
        #expect(answer.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(answer.body.contains("gatehouse_actions_total{host=\"shop\"} 1\n"))
        _ = try host.finish()
    }

    // MARK: - The README

    @Test func `the configuration of the README serves what it says`() throws {
        let page = try GuidePage.text("Plugins/HTTP/README.md")
        let block = page.split(separator: "```json\n", maxSplits: 1).last?.split(separator: "```").first
        let host = try HTTPHost(
            String(try #require(block)).replacing("127.0.0.1:8080", with: "127.0.0.1:0")
                .replacing("[\"github.secret\"]", with: "[\"secret\"]"))
        #expect(try host.bring(increment + "\n" + increment + "\n").body == "{\"accepted\":2}\n")
        #expect(try host.ask("GET", "/state/counter/count").body == "2\n")
        #expect(try host.deliver("one").status == 200)
        #expect(try host.finish().exitCode == 0)
    }
}
