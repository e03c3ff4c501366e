// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// The traces of a run: spans of its actions for a collector, as its configuration asks, also after a reload.
final class RunTraces: RunComponent, Sendable {
    /// The name of the host, which is that of the service in its traces.
    private let name: String
    /// Takes what there is to tell about spans.
    private let reports: Reporter
    /// Makes spans, once a configuration has asked for them.
    private let made = Mutex<ActionTracer?>(nil)

    /// Traces that `tracer` begins.
    init(of name: String, _ context: RunContext) {
        self.name = name
        reports = context.reports
    }

    /// What makes spans as a configuration asks; nil where it asks for none. The same object each time.
    func tracer(for configuration: TracesConfiguration?) -> ActionTracer? {
        guard let configuration else { return nil }
        return made.withLock { made in
            if let made {
                made.exporter.follow(configuration.endpoint)
                return made
            }
            let exporter = SpanExporter(
                endpoint: configuration.endpoint, host: name,
                version: "\(SDKIdentity.current.sdkVersion)"
            ) { [reports] in reports.send($0) }
            let tracer = ActionTracer(sample: configuration.sample, exporter: exporter)
            made = tracer
            return tracer
        }
    }

    /// Lets a host follow its configuration from here on; callable from any thread but in the drain.
    func follow(_ configuration: TracesConfiguration?, in store: HostStore) {
        let tracer = tracer(for: configuration)
        store.queue.enqueue {
            if let configuration { tracer?.sample = configuration.sample }
            store.trace(by: tracer)
        }
    }

    /// Sends what waits, within about a second.
    func finish() { made.withLock { $0 }?.exporter.finish() }

    func stop(_ code: ExitCode) -> ExitCode {
        finish()
        return code
    }
}
