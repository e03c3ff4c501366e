// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Dispatch
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// Sends spans to a collector in batches, as OTLP over HTTP in JSON; nobody waits for it, and it keeps a bounded number of them.
///
/// Callable from any thread.
package final class SpanExporter: Sendable {
    /// What was done with the spans so far.
    package struct Counts: Equatable, Sendable {
        /// Spans that the collector has taken.
        package var sent = 0
        /// Spans that were dropped: there was no room, or the collector did not take them.
        package var lost = 0
    }

    /// What the lock guards.
    private struct State {
        /// The spans that wait, in order.
        var waiting: [ActionSpan] = []
        /// Whether a thread sends, or is about to.
        var isSending = false
        /// Where to send them.
        var endpoint: String
        /// What was done.
        var counts = Counts()
        /// How many had been lost before that was last told; nil while the collector takes spans.
        var told: Int?

        /// What is told when some spans are lost, which are counted; nil if that was told before.
        mutating func tell(_ reason: String, lost: Int) -> HostReport? {
            guard told == nil else { return nil }
            told = counts.lost - lost
            return .traces(
                "spans are lost until \(endpoint) takes them: \(reason); see \"traces\" in the configuration"
            )
        }
    }

    /// Everything; the lock is held for a few instructions.
    private let state: Mutex<State>
    /// What spans come from, in OTLP's JSON.
    private let resource: Value
    /// Tells the operator that spans are lost, and when that is over.
    private let report: @Sendable (HostReport) -> Void
    /// Wakes the thread that sends from a pause.
    private let alarm = WakePipe()
    /// Whether the host ends, so that nothing pauses any more.
    private let isEnding = Atomic(false)
    /// Signalled when the thread that sends has ended after that.
    private let ended = DispatchSemaphore(value: 0)

    /// So many spans wait at most.
    static let room = 8_192
    /// So many spans are sent together.
    static let batch = 512
    /// How long spans wait for more to come, in milliseconds.
    private static let pause: Int32 = 500
    /// How often a batch is sent that the collector does not take.
    static let attempts: Int32 = 3
    /// How long the collector may take, in milliseconds; at the end of the host, less.
    private static let limits = (usual: 10_000, last: 1_000)

    /// An exporter for a host.
    ///
    /// - Parameters:
    ///   - host: the name of the host, which becomes that of the service.
    ///   - report: takes one report when spans begin to be lost, and one when that is over.
    package init(
        endpoint: String, host: String, version: String, report: @escaping @Sendable (HostReport) -> Void
    ) {
        state = Mutex(State(endpoint: endpoint))
        resource = [
            "attributes": [
                ActionSpan.attribute("service.name", host), ActionSpan.attribute("service.version", version),
            ]
        ]
        self.report = report
    }

    /// What was done so far.
    package var counts: Counts { state.withLock { $0.counts } }

    /// Sends what comes from here on, and what waits, to another collector.
    package func follow(_ endpoint: String) { state.withLock { $0.endpoint = endpoint } }

    /// Takes a span that has ended; counts it as lost if there is no room.
    func add(_ span: ActionSpan) {
        let (begins, full) = state.withLock { state -> (Bool, HostReport?) in
            guard state.waiting.count < Self.room else {
                state.counts.lost += 1
                return (false, state.tell("\(Self.room.grouped) wait already", lost: 1))
            }
            state.waiting.append(span)
            defer { state.isSending = true }
            return (!state.isSending, nil)
        }
        if let full { report(full) }
        if begins { BackgroundThread.perform { [self] in sendAll() } }
    }

    /// Sends what waits, as far as the collector takes it within a second.
    package func finish() {
        alarm.wake { isEnding.store(true, ordering: .sequentiallyConsistent) }
        // A collector that takes nothing is not waited for.
        guard state.withLock({ $0.isSending && $0.told == nil }) else { return }
        _ = ended.wait(timeout: .now() + .milliseconds(Self.limits.last + 200))
    }

    // MARK: - Sending

    /// Sends batches until nothing waits; on a thread of its own.
    private func sendAll() {
        while true {
            if state.withLock({ $0.waiting.count < Self.batch }) { pause(Self.pause) }
            let next = state.withLock { state -> (spans: [ActionSpan], endpoint: String)? in
                guard !state.waiting.isEmpty else {
                    state.isSending = false
                    return nil
                }
                let spans = Array(state.waiting.prefix(Self.batch))
                state.waiting.removeFirst(spans.count)
                return (spans, state.endpoint)
            }
            guard let next else { break }
            settle(next.spans.count, send(body(of: next.spans), to: next.endpoint), at: next.endpoint)
        }
        if isEnding.load(ordering: .sequentiallyConsistent) { ended.signal() }
    }

    /// Waits for so many milliseconds, or until the host ends.
    private func pause(_ milliseconds: Int32) {
        if !isEnding.load(ordering: .sequentiallyConsistent) { alarm.wait(atMost: milliseconds) }
    }

    /// Sends a body, again after a pause where that may help; why the collector has not taken it, nil if it has.
    private func send(_ body: [UInt8], to endpoint: String) -> String? {
        var attempt: Int32 = 0
        while true {
            attempt += 1
            let isLast = isEnding.load(ordering: .sequentiallyConsistent)
            let outcome = Self.post(
                body, to: endpoint, within: isLast ? Self.limits.last : Self.limits.usual)
            guard let failure = outcome.failure else { return nil }
            if isLast || attempt == Self.attempts || !outcome.mayRecover { return failure }
            pause(1_000 * attempt)
        }
    }

    /// Counts a batch, and reports the first one that is lost, or the first one that is not lost any more.
    private func settle(_ count: Int, _ failure: String?, at endpoint: String) {
        let told = state.withLock { state -> HostReport? in
            guard let failure else {
                state.counts.sent += count
                guard let before = state.told.take() else { return nil }
                return .traces(
                    "spans reach \(endpoint) again; \(Counted.text(state.counts.lost - before, "span"))"
                        + " had been lost")
            }
            state.counts.lost += count
            return state.tell(failure, lost: count)
        }
        if let told { report(told) }
    }

    /// Posts a body; why the collector has not taken it, nil if it has, and whether another attempt may help.
    private static func post(
        _ body: [UInt8], to endpoint: String, within milliseconds: Int
    ) -> (failure: String?, mayRecover: Bool) {
        var reason = [CChar](repeating: 0, count: 256)
        let status = unsafe gatehouse_post_json(
            endpoint, body, body.count, milliseconds, &reason, reason.count)
        switch status {
        case 200..<300: return (nil, false)
        case 0:
            let end = reason.firstIndex(of: 0) ?? reason.endIndex
            return (String(decoding: reason[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self), true)
        default: return ("it answers \(status)", [429, 502, 503, 504].contains(status))
        }
    }

    /// The body for some spans.
    private func body(of spans: [ActionSpan]) -> [UInt8] {
        let value: Value = [
            "resourceSpans": [
                [
                    "resource": resource,
                    "scopeSpans": [
                        ["scope": ["name": "gatehouse"], "spans": .array(spans.map(\.value))]
                    ],
                ]
            ]
        ]
        var bytes: [UInt8] = []
        value.writeJSON(to: &bytes, style: .compact)
        return bytes
    }
}
