// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseValue
import Testing

@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What becomes of spans on their way to a collector.
@Suite(.timeLimit(.minutes(10))) struct SpanExporterTests {
    /// What an exporter tells, one sentence after the other.
    private final class Told: Sendable {
        private let sentences = AsyncStream.makeStream(of: String.self)

        func note(_ report: HostReport) { sentences.continuation.yield(report.description) }

        /// The next sentence.
        func next() async -> String? { await sentences.stream.first { _ in true } }

        /// All that is left, once nothing more comes.
        func rest() async -> [String] {
            sentences.continuation.finish()
            return await sentences.stream.reduce(into: []) { $0.append($1) }
        }
    }

    /// Waits for the end of an exporter, on a thread that may sleep.
    private func finish(_ exporter: SpanExporter) async {
        await withCheckedContinuation { continuation in
            BackgroundThread.perform {
                exporter.finish()
                continuation.resume()
            }
        }
    }

    /// A collector that answers as told by the number of a request, and an exporter for it.
    private func scene(
        _ reply: @escaping @Sendable (Int) -> ScriptedServer.Reply
    ) throws -> (collector: ScriptedServer, exporter: SpanExporter, told: Told) {
        let told = Told()
        let collector = try ScriptedServer { _, number in reply(number) }
        let exporter = SpanExporter(
            endpoint: collector.url("/v1/traces"), host: "shop", version: "1.0.0"
        ) { told.note($0) }
        return (collector, exporter, told)
    }

    /// A span with a number.
    private func span(_ sequence: UInt64) -> ActionSpan {
        let trace = TraceContext.ID(high: 1, low: 2)
        return ActionSpan(
            context: TraceContext(trace: trace, span: sequence, isSampled: true), parent: 0,
            isParentRemote: false, name: "sold",
            source: ActionSource(file: "in", function: "", line: 3, info: nil), sequence: sequence, start: 4,
            end: 5)
    }

    @Test func `a span has the form of OTLP`() throws {
        var span = span(7)
        span.errors = ["no", "never"]
        #expect(
            span.value.json()
                == #"{"traceId":"00000000000000010000000000000002","spanId":"0000000000000007","name":"sold","kind":1,"startTimeUnixNano":"4","endTimeUnixNano":"5","attributes":[{"key":"gatehouse.sequence","value":{"intValue":"7"}},{"key":"gatehouse.input","value":{"stringValue":"in:3"}}],"status":{"code":2,"message":"no; never"}}"#
        )
    }

    @Test func `what waits is sent at the end`() async throws {
        let (collector, exporter, told) = try scene { _ in .status(200) }
        for number in 1...600 { exporter.add(span(UInt64(number))) }
        await finish(exporter)
        #expect(exporter.counts == SpanExporter.Counts(sent: 600, lost: 0))
        #expect(collector.requests.count >= 2)
        #expect(collector.requests.first?.headers["content-type"] == "application/json")
        #expect(await told.rest() == [])
    }

    @Test(arguments: [429, 502, 503, 504])
    func `a collector that has no time is asked again`(status: Int) async throws {
        let arrivals = AsyncStream.makeStream(of: Int.self)
        let (collector, exporter, told) = try scene { number in
            arrivals.continuation.yield(number)
            return .status(number == 0 ? status : 200)
        }
        exporter.add(span(1))
        #expect(await arrivals.stream.first { $0 == 1 } == 1)
        await finish(exporter)
        #expect(exporter.counts == SpanExporter.Counts(sent: 1, lost: 0))
        #expect(collector.requests.count == 2)
        #expect(await told.rest() == [])
    }

    @Test func `a loss is told once, and its end`() async throws {
        let (collector, exporter, told) = try scene { .status($0 == 0 ? 400 : 200) }
        exporter.add(span(1))
        #expect(
            await told.next()
                == "traces: spans are lost until \(collector.url("/v1/traces")) takes them: it answers 400; see \"traces\" in the configuration"
        )
        #expect(exporter.counts == SpanExporter.Counts(sent: 0, lost: 1))
        exporter.add(span(2))
        #expect(
            await told.next()
                == "traces: spans reach \(collector.url("/v1/traces")) again; 1 span had been lost")
        #expect(exporter.counts == SpanExporter.Counts(sent: 1, lost: 1))
    }

    @Test func `there is room for so many, and no more`() async throws {
        let (collector, exporter, told) = try scene { _ in .silence }
        for number in 1...(SpanExporter.room + SpanExporter.batch + 10) { exporter.add(span(UInt64(number))) }
        #expect(
            await told.next()
                == "traces: spans are lost until \(collector.url("/v1/traces")) takes them: 8,192 wait already; see \"traces\" in the configuration"
        )
        #expect(exporter.counts.lost >= 10)
        #expect(await told.rest() == [])
        await finish(exporter)
    }
}
