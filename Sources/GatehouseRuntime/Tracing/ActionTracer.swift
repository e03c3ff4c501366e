// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Glibc

/// Makes a span of each action whose trace is wanted, below the span of its cause.
///
/// A trace begins with an action that follows from none: an input, or what something outside of an action's pass emits. Whether it
/// is wanted is decided there, once, by the client that sends `meta.traceparent`, or else by chance. Numbers of spans are computed
/// from those of actions, so that the cause of an action, which the host keeps anyway, names the span of that cause.
///
/// An action's span ends when the next one comes in hand or nothing is left to do.
///
/// `@unchecked Sendable`: used in the drain only, apart from constants.
package final class ActionTracer: @unchecked Sendable {
    /// Takes the spans.
    package let exporter: SpanExporter
    /// The share of the traces that begin here which are wanted, from 0 to 1.
    package var sample: Double
    /// What numbers are computed from; another one in each run.
    private let seed = UInt64.random(in: .min ... .max)
    /// The traces of the latest actions that have one, by the numbers of the actions.
    private var traces: [UInt64: TraceContext.ID] = [:]
    /// Their numbers, in a ring.
    private var order: [UInt64] = []
    /// The place of the oldest one once the ring is full.
    private var oldest = 0
    /// The span of the action in hand, and the generation that has it in hand.
    private var open: (span: ActionSpan, type: ActionType, generation: Int)?
    /// Whether something in the queue is going to end the span.
    private var isEnding = false

    /// Of so many actions the trace is remembered, for what follows from them: a few megabytes.
    static let remembered = 1 << 16

    /// A tracer that wants a share of the traces.
    package init(sample: Double, exporter: SpanExporter) {
        self.exporter = exporter
        self.sample = sample
    }

    /// The hooks, with the tracer after the one for actions.
    func following(_ hooks: RunHooks, in store: HostStore) -> RunHooks {
        var heard = hooks
        heard.onAction = { [self, unowned store, onAction = hooks.onAction] dispatched in
            onAction?(dispatched)
            begin(dispatched, in: store)
        }
        return heard
    }

    /// The span of the action that the calling thread has in hand, or that began the effect whose output it has in hand; nil where
    /// there is none, or it is not wanted.
    func context(in store: HostStore) -> TraceContext? {
        guard store.queue.isCurrent, store.queue.mark != 0 else { return nil }
        let number = store.queue.mark & ~Drain.effectMark
        return traces[number].map { TraceContext(trace: $0, span: span(of: number), isSampled: true) }
    }

    /// Notes what went wrong in the action in hand; called in the drain.
    func note(_ error: String) {
        guard let count = open?.span.errors.count, count < ActionSpan.mostErrors else { return }
        open?.span.errors.append(error)
    }

    // MARK: - Spans

    /// Begins the span of an action that comes in hand, if it is wanted.
    private func begin(_ dispatched: DispatchedAction<AnyAction>, in store: HostStore) {
        let source = dispatched.dispatcher
        // One that an instance applies to its own state comes while another one is in hand.
        let isOwn = source.cause.kind == .own
        if !isOwn { end(in: store) }
        let number =
            store.recorder.map { $0.sequence &+ 1 }
            ?? UInt64(store.dependencies.pass.progress.actions + (isOwn ? 0 : 1))
        guard let (trace, parent, isRemote) = trace(of: dispatched, number) else { return }
        remember(trace, of: number)
        let now = Self.now
        let span = ActionSpan(
            context: TraceContext(trace: trace, span: span(of: number), isSampled: true), parent: parent,
            isParentRemote: isRemote, name: dispatched.action.type.name, source: source, sequence: number,
            start: now, end: now)
        if isOwn { return exporter.add(span) }
        open = (span, dispatched.action.type, store.generation?.number ?? 0)
        guard !isEnding else { return }
        isEnding = true
        store.queue.enqueue { [weak self, weak store] in
            self?.isEnding = false
            if let store { self?.end(in: store) }
        }
    }

    /// Ends the span of the action that was in hand, if it has one.
    private func end(in store: HostStore) {
        guard let (span, type, generation) = open.take() else { return }
        var ended = span
        ended.end = max(span.start, Self.now)
        if let now = store.generation, now.number == generation { ended.gated = now.missed(type) }
        exporter.add(ended)
    }

    // MARK: - Traces

    /// The trace of an action and the span that it follows from, 0 for none; nil where it is not wanted.
    private func trace(
        of dispatched: DispatchedAction<AnyAction>, _ number: UInt64
    ) -> (trace: TraceContext.ID, parent: UInt64, isRemote: Bool)? {
        let cause = dispatched.dispatcher.cause
        switch cause.kind {
        case .output, .own, .effect:
            if let parent = cause.number(notAbove: number &- 1), parent > 0 {
                return traces[parent].map { ($0, span(of: parent), false) }
            }
        case .unknown, .input, .interception: break
        }
        let action = dispatched.action
        if action.hasMeta, let text = action.meta?["traceparent"]?.stringValue,
            let remote = TraceContext(text)
        {
            return remote.isSampled ? (remote.trace, remote.span, true) : nil
        }
        let low = Self.mix(seed &+ 2 &* number)
        guard Double(low >> 11) < sample * Double(1 << 53 as UInt64) else { return nil }
        return (TraceContext.ID(high: Self.mix(seed ^ low), low: low | 1), 0, false)
    }

    /// Remembers the trace of an action, in the place of the oldest one where there are too many.
    private func remember(_ trace: TraceContext.ID, of number: UInt64) {
        traces[number] = trace
        if order.count < Self.remembered { return order.append(number) }
        traces[order[oldest]] = nil
        order[oldest] = number
        oldest = (oldest + 1) % Self.remembered
    }

    /// The number of an action's span; never 0.
    private func span(of number: UInt64) -> UInt64 {
        let mixed = Self.mix(seed &+ 2 &* number &+ 1)
        return mixed == 0 ? 1 : mixed
    }

    /// Spreads the bits of a number; different numbers stay different. The finalizer of SplitMix64.
    private static func mix(_ number: UInt64) -> UInt64 {
        var bits = number &+ 0x9e37_79b9_7f4a_7c15
        bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        return bits ^ bits >> 31
    }

    /// The present moment, in nanoseconds since 1970.
    private static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec)) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
