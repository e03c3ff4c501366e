// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// Spans of actions, from a client's request over the host to a service, as a collector gets them.
@Suite(.timeLimit(.minutes(10))) struct TracesRunTests {
    /// A collector of traces, and a service that is called.
    private final class Services: Sendable {
        /// Takes spans.
        let collector: ScriptedServer
        /// Is called by the host.
        let service: ScriptedServer
        /// Gets an element with each call of the service.
        private let calls: AsyncStream<Void>
        /// Gets an element with each request to the collector.
        private let posts: AsyncStream<Void>

        init() throws {
            let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
            let (posts, post) = AsyncStream.makeStream(of: Void.self)
            collector = try ScriptedServer { _, _ in
                post.yield()
                return .status(200, body: "{}")
            }
            service = try ScriptedServer { _, _ in
                continuation.yield()
                return .status(200, body: "ok")
            }
            self.calls = calls
            self.posts = posts
        }

        /// Waits until the service has been called so many times more.
        func waitForCalls(_ count: Int) async {
            for _ in 0..<count { _ = await calls.first { _ in true } }
        }

        /// Waits until the collector has so many spans: a host that ends waits for a busy one for a second only.
        func waitForSpans(_ count: Int) async throws {
            while try spans.count < count { _ = await posts.first { _ in true } }
        }

        /// The spans so far, in the order of their numbers.
        var spans: [Span] {
            get throws {
                try collector.requests.flatMap { request in
                    #expect(request.method == "POST" && request.target == "/v1/traces")
                    #expect(request.headers["content-type"] == "application/json")
                    let body = try JSONText.parse(request.body)
                    let resource = try #require(body["resourceSpans"]?.arrayValue?.first)
                    #expect(
                        resource["resource"]?["attributes"]?.arrayValue?.first == [
                            "key": "service.name", "value": ["stringValue": "shop"],
                        ])
                    return try #require(resource["scopeSpans"]?.arrayValue?.first?["spans"]?.arrayValue)
                }.map(Span.init).sorted { $0.sequence < $1.sequence }
            }
        }
    }

    /// A span as a collector reads it.
    private struct Span {
        let trace, id, name: String
        let parent: String?
        let sequence: Int
        let attributes: [String: Value]
        let status: Value?

        init(_ value: Value) throws {
            func text(_ key: String) throws -> String { try #require(value[key]?.stringValue) }
            (trace, id, name) = (try text("traceId"), try text("spanId"), try text("name"))
            parent = value["parentSpanId"]?.stringValue
            attributes = Dictionary(
                uniqueKeysWithValues: try #require(value["attributes"]?.arrayValue).map {
                    (try #require($0["key"]?.stringValue), try #require($0["value"]))
                })
            sequence = try #require(
                attributes["gatehouse.sequence"]?["intValue"]?.stringValue.flatMap { Int($0) })
            status = value["status"]
            let (start, end) = (try text("startTimeUnixNano"), try text("endTimeUnixNano"))
            #expect(try #require(UInt64(start)) <= #require(UInt64(end)))
        }
    }

    private let trace = "0af7651916cd43dd8448eb211c80319c"
    private var header: String { "00-\(trace)-b7ad6b7169203331-01" }

    /// A host with a rule after a counter, and a client of the service.
    private func host(_ services: Services, _ traces: String, rules placement: String = "host") throws
        -> HTTPHost
    {
        try HTTPHost(
            HTTPHost.configuration(
                members: #""journal": {}, "log": { "format": "text" }, "traces": \#(traces), "#,
                entries: #"""
                    , { "id": "rules", "placement": "\#(placement)", "allow": ["mail/send", "seen/*"], "settings": { "rules": [
                        { "when": "order/placed", "emit": "mail/send", "payload": { "id": "$/id" } },
                        { "when": "mail/succeeded", "emit": "seen/mail" } ] } },
                      { "id": "mail", "library": "libHTTPClientPlugin.so",
                        "settings": { "url": "\#(services.service.url("/orders"))" } },
                      { "id": "closed", "library": "libCounterPlugin.so", "gate": "bypass",
                        "lift": { "input": { "order/placed": "increment" } } }
                    """#), libraries: ["RulesPlugin", "HTTPClientPlugin"])
    }

    /// The settings of traces that go to the collector.
    private func traces(_ services: Services, sample: Double) -> String {
        #"{ "endpoint": "\#(services.collector.url("/v1/traces"))", "sample": \#(sample) }"#
    }

    /// Places an order.
    private func order(_ host: HTTPHost, _ fields: [String: String] = [:]) throws {
        let answer = try host.ask(
            "POST", "/actions",
            ["Authorization": "Bearer " + HTTPHost.token, "Content-Type": "application/json"]
                .merging(fields) { $1 }, #"{"type":"order/placed","payload":{"id":7}}"#)
        #expect(answer.status == 200, "\(answer.body)")
    }

    /// Replaces a text in the configuration of a host, and waits until that has an outcome.
    private func reload(
        _ host: HTTPHost, replacing text: String, with other: String, expecting outcome: String
    ) throws {
        let before = try String(decoding: FileSystem.read(host.scene.folder("plugins.json")), as: UTF8.self)
        try host.scene.folder.write(before.replacing(text, with: other), to: "plugins.json")
        host.child.signal(1)
        try host.child.waitForErrors(outcome)
    }

    /// The actions that a host has recorded, each with the number of its cause, as `gatehouse history` gives them.
    private func recorded(
        _ host: HTTPHost, _ arguments: [String] = []
    ) throws -> [(sequence: Int, type: String, cause: Int?)] {
        try ChildProcess.run(
            arguments: ["history", "--json"] + arguments, in: host.scene.folder.path,
            environment: host.scene.environment
        ).output.split(separator: "\n").map {
            let record = try JSONText.parse(String($0))
            return (
                try #require(record["sequence"]?.intValue),
                try #require(record["action"]?["type"]?.stringValue), record["cause"]?["of"]?.intValue
            )
        }.sorted { $0.0 < $1.0 }
    }

    @Test func `the spans of a trace are the tree of causes, and a service gets the span that calls it`()
        async throws
    {
        let services = try Services()
        let host = try host(services, traces(services, sample: 0))
        try order(host)
        try order(host, ["traceparent": header])
        try order(host, ["traceparent": String(header.dropLast(2)) + "00"])
        await services.waitForCalls(3)
        try await services.waitForSpans(4)
        #expect(try host.finish().exitCode == 0)

        let spans = try services.spans
        let records = try recorded(host)
        #expect(Set(spans.map(\.trace)) == [trace])
        let traced = try #require(spans.first)
        #expect(traced.name == "order/placed")
        #expect(traced.parent == "b7ad6b7169203331")
        #expect(
            traced.attributes["gatehouse.gated"] == ["arrayValue": ["values": [["stringValue": "closed"]]]])
        // The order, what the rule makes of it, the answer of the service, and what another rule makes of that.
        #expect(spans.map(\.name) == ["order/placed", "mail/send", "mail/succeeded", "seen/mail"])
        let ids = Dictionary(uniqueKeysWithValues: spans.map { ($0.sequence, $0.id) })
        for span in spans.dropFirst() {
            let record = try #require(records.first { $0.sequence == span.sequence })
            #expect(record.type == span.name)
            #expect(span.parent == ids[try #require(record.cause)])
        }
        #expect(spans[1].attributes["gatehouse.instance"] == ["stringValue": "rules"])
        let family = try recorded(host, ["--causes", "\(traced.sequence)"])
        #expect(family.map(\.sequence) == spans.map(\.sequence))

        let headers = services.service.requests.compactMap { $0.headers["traceparent"] }
        #expect(headers == ["00-\(trace)-\(spans[1].id)-01"])
    }

    @Test(arguments: ["host", "worker"])
    func `every trace is sent with a sample of 1, and each has a number of its own`(
        placement: String
    ) async throws {
        let services = try Services()
        let host = try host(services, traces(services, sample: 1), rules: placement)
        for _ in 1...3 { try order(host) }
        await services.waitForCalls(3)
        try await services.waitForSpans(12)
        #expect(try host.finish().exitCode == 0)
        let spans = try services.spans
        let records = try recorded(host)
        #expect(spans.map(\.sequence) == records.map(\.sequence))
        #expect(spans.map(\.name) == records.map(\.type))
        let parents = spans.map { span in spans.first { $0.id == span.parent }?.sequence }
        #expect(parents == records.map(\.cause))
        let roots = spans.filter { $0.parent == nil }
        #expect(Set(roots.map(\.trace)).count == roots.count)
        #expect(Set(spans.map(\.id)).count == spans.count)
    }

    @Test func `a misfit is an error of the span, and its entry in the log has the trace`() throws {
        let services = try Services()
        let host = try host(services, traces(services, sample: 0))
        try reload(host, replacing: #""text""#, with: #""json""#, expecting: "change the host: log")
        let answer = try host.ask(
            "POST", "/actions",
            ["Authorization": "Bearer " + HTTPHost.token, "traceparent": header],
            #"{"type":"counter/increment","payload":"?"}"# + "\n")
        #expect(answer.status == 200)
        let outcome = try host.finish()
        let span = try #require(try services.spans.first)
        #expect(span.status?["code"] == 2)
        let message = try #require(span.status?["message"]?.stringValue)
        #expect(message.contains("counter/increment for counter: the payload does not fit"))
        let entry = try JSONText.parse(
            try #require(outcome.errorLines.first { $0.contains("the payload does not fit") }))
        #expect(entry["trace_id"]?.stringValue == trace)
        #expect(entry["span_id"]?.stringValue == span.id)
    }

    @Test func `a dead collector is told of once, and delays nothing`() throws {
        let services = try Services()
        services.collector.stop()
        let host = try host(services, traces(services, sample: 1))
        for _ in 1...3 { try order(host) }
        try host.child.waitForErrors("traces: spans are lost until ")
        let status = try host.control("status", "{}")
        #expect(status["result"]?["spans"]?["sent"] == 0)
        #expect((status["result"]?["spans"]?["lost"]?.intValue ?? 0) > 0)
        try order(host)
        let outcome = try host.finish()
        #expect(outcome.exitCode == 0)
        #expect(outcome.errorLines.count { $0.hasPrefix("traces: ") } == 1, "\(outcome.errors)")
    }

    @Test func `a reload changes where spans go`() async throws {
        let (first, second) = (try Services(), try Services())
        let host = try host(first, traces(first, sample: 0))
        try order(host, ["traceparent": header])
        await first.waitForCalls(1)
        try reload(
            host, replacing: first.collector.url(), with: second.collector.url(),
            expecting: "change the host: traces")
        try order(host, ["traceparent": header])
        await first.waitForCalls(1)
        #expect(try host.finish().exitCode == 0)
        #expect(try second.spans.contains { $0.name == "order/placed" })
    }

    @Test func `a reload changes how many traces are sent`() throws {
        let services = try Services()
        let host = try host(services, traces(services, sample: 0))
        try order(host)
        try reload(
            host, replacing: #""sample": 0.0"#, with: #""sample": 1.0"#,
            expecting: "change the host: traces")
        try order(host)
        #expect(try host.finish().exitCode == 0)
        #expect(try services.spans.count { $0.name == "order/placed" } == 1)
    }

    @Test func `without traces a request's trace is left alone`() throws {
        let host = try HTTPHost(HTTPHost.configuration(members: #""journal": {}, "#))
        try order(host, ["traceparent": header])
        #expect(try host.finish().exitCode == 0)
        #expect(try !host.scene.call("history", "--json").output.contains("traceparent"))
    }
}
