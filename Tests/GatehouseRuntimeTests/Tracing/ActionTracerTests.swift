// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import GatehouseRuntime
@testable import GatehouseSupport

/// The spans of actions.
@Suite(.timeLimit(.minutes(10))) struct ActionTracerTests {
    /// The spans that a collector gets of some actions, each dispatched when the one before has come to rest; waits for so many.
    private func spans(of actions: [AnyAction], sample: Double = 1, count: Int) async throws -> [Value] {
        let arrivals = AsyncStream.makeStream(of: String.self)
        let collector = try ScriptedServer { request, _ in
            arrivals.continuation.yield(request.body)
            return .status(200)
        }
        let exporter = SpanExporter(
            endpoint: collector.url("/v1/traces"), host: "shop", version: "1.0.0"
        ) { _ in }
        try await TestThread.value {
            let host = Host(
                try .empty(),
                reports: Reporter { _ in }
            ) { _ in }
            let tracer = ActionTracer(sample: sample, exporter: exporter)
            host.turn { _ in host.store.trace(by: tracer) }
            for (line, action) in actions.enumerated() {
                host.dispatch(
                    action, from: ActionSource(file: "in", function: "", line: UInt(line + 1), info: nil))
                host.settle()
            }
            // Other tests of this process are not traced.
            host.turn { _ in host.store.trace(by: nil) }
            exporter.finish()
        }
        var spans: [Value] = []
        var bodies = arrivals.stream.makeAsyncIterator()
        while spans.count < count, let body = await bodies.next() {
            let whole = try JSONText.parse(body)
            spans += whole["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.arrayValue ?? []
        }
        #expect(exporter.counts.lost == 0)
        withExtendedLifetime(collector) {}
        return spans
    }

    @Test func `each action that follows from none begins a trace, and its span ends at rest`() async throws {
        let spans = try await spans(of: [AnyAction("a"), AnyAction("b")], count: 2)
        #expect(spans.map { $0["name"] } == ["a", "b"])
        for span in spans {
            #expect(span["parentSpanId"] == nil)
            #expect(span["kind"] == 1)
            #expect(span["traceId"]?.stringValue?.utf8.count == 32)
        }
        #expect(Set(spans.map { $0["traceId"] }).count == 2)
        #expect(Set(spans.map { $0["spanId"] }).count == 2)
        #expect(spans.map { $0["attributes"]?[0]?["value"]?["intValue"] } == ["1", "2"])
    }

    @Test func `the trace of a client goes on, if that wants it`() async throws {
        let trace = "0af7651916cd43dd8448eb211c80319c"
        let actions = ["01", "00"].map { flags in
            AnyAction("a", meta: ["traceparent": .string("00-\(trace)-b7ad6b7169203331-\(flags)")])
        }
        let spans = try await spans(of: actions, count: 1)
        #expect(spans.count == 1)
        #expect(spans.first?["traceId"] == .string(trace))
        #expect(spans.first?["parentSpanId"] == "b7ad6b7169203331")
        #expect(spans.first?["kind"] == 2)
    }

    @Test func `nothing is sent of a trace that nobody wants`() async throws {
        let unwanted = AnyAction("a")
        let wanted = AnyAction(
            "b", meta: ["traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"])
        let spans = try await spans(of: [unwanted, wanted], sample: 0, count: 1)
        #expect(spans.map { $0["name"] } == ["b"])
    }
}
