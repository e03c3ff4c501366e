// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK
private import Glibc

/// Runs actions through the instances of an assembly: reads input, dispatches, waits for effects, gives the state.
///
/// Used from one thread; effects may emit from others.
public final class Host {
    /// What a run has seen.
    public struct Summary: Equatable, Sendable {
        /// Lines of input, blank ones included.
        public var lines = 0
        /// Lines without anything on them.
        public var blank = 0
        /// Lines that are no action.
        public var rejected = 0
        /// The number of the signal that ended the run early, nil when it ended by itself.
        public var signal: Int32?
        /// Whether strictness ended the run at bad data.
        public var stoppedAtBadData = false

        /// Nothing yet.
        public init() {}
    }

    /// The actions that wait; gives the generation its turns.
    private let queue: DrainQueue<Generation>
    /// Instances, routes and state.
    private let generation: Generation
    /// What input may contain.
    private let ingress: IngressConfiguration
    /// Takes what goes wrong on the way.
    private let reports: ReportDesk
    /// Becomes readable when a signal asks the run to end; nil without such signals.
    private let signals: Int32?
    /// Becomes readable when the last effect has finished.
    private let idle = WakePipe()

    /// A host over an assembly, ready to take actions.
    ///
    /// - Parameters:
    ///   - signals: a descriptor that becomes readable when a signal asks to finish; nil for none.
    ///   - onAction: told about each action before it is processed, in the drain; not about those that interceptors stop.
    public init(
        _ assembly: sending Assembly, reports: ReportDesk, signals: Int32? = nil,
        onAction: (@Sendable (AnyAction) -> Void)? = nil
    ) {
        ingress = assembly.configuration.ingress
        self.reports = reports
        self.signals = signals
        let hooks = StoreHooks<AnyAction>(onLoop: { [instances = assembly.instances.map(\.outlet)] loop in
            reports.send(.cut(CutReport(loop, emittedBy: instances)))
        })
        queue = DrainQueue(limits: assembly.configuration.limits, hooks: hooks.ofQueue)
        generation = Generation(
            assembly, in: queue, report: { reports.send($0) }, onAction: onAction)
        queue.open(generation)
        queue.activity.onIdle { [idle] in idle.wake() }
        queue.withExclusiveAccess { generation.start() }
    }

    /// Instances let go of what they hold before this returns: the queue would leave it to a thread that happens to drain.
    deinit {
        queue.withExclusiveAccess {
            generation.retire()
            queue.close()
        }
    }

    /// Processes one action; outputs that are emitted at once are processed before this returns.
    public func dispatch(_ action: AnyAction, from source: ActionSource) {
        queue.dispatch(DispatchedAction(action, dispatcher: source))
    }

    /// Reads actions until the input and the effects it started are finished, or a signal asks to finish.
    ///
    /// - Parameters:
    ///   - descriptor: where the lines come from.
    ///   - name: the input's name in messages.
    ///   - isStrict: whether the first bad line, or payload that does not fit, ends the run.
    ///   - onLine: told how many lines have been read, every 1,024 lines.
    ///   - onWait: told true before it waits for input or effects, false when it goes on; for input only
    ///     where there is a descriptor for signals.
    /// - Throws: when the input cannot be read.
    public func run(
        descriptor: Int32, name: String, isStrict: Bool, onLine: ((Int) -> Void)? = nil,
        onWait: ((Bool) -> Void)? = nil
    ) throws(IngressError) -> Summary {
        var summary = Summary()
        var input = ActionInput(
            descriptor: descriptor, name: name, ingress: ingress, reports: reports, wakeDescriptor: signals,
            onWait: onWait)
        reading: while true {
            switch try input.next() {
            case .action(let action, let text):
                queue.dispatch(DispatchedAction(action, dispatcher: input.source)) { $0.isReading(text) }
                fallthrough
            case .nothing:
                // While an effect's thread drains, dispatching only queues: wait now and then for the queue to empty, or
                // a fast input would fill the memory.
                if input.lines & 63 == 0 { queue.withExclusiveAccess {} }
                if input.lines & 1023 == 0 { onLine?(input.lines) }
            case .interrupted:
                summary.signal = takeSignal()
                if summary.signal != nil { break reading }
            case .end:
                break reading
            }
            if isStrict, reports.badDataCount > 0 {
                summary.stoppedAtBadData = true
                break
            }
        }
        summary.lines = input.lines
        summary.blank = input.blank
        summary.rejected = input.rejected
        if summary.signal != nil || summary.stoppedAtBadData {
            queue.withExclusiveAccess { generation.cancelEffects() }
        } else {
            onWait?(true)
            waitForEffects(&summary)
            onWait?(false)
            if isStrict, reports.badDataCount > 0 { summary.stoppedAtBadData = true }
        }
        return summary
    }

    /// The state as it is between two actions.
    ///
    /// - Throws: when a plugin's state does not encode.
    public func snapshot() throws(CodingFailure) -> Value {
        try queue.withExclusiveAccess {
            Result { () throws(CodingFailure) in try generation.state.state.snapshot() }
        }.get()
    }

    /// What the host and its instances have done so far.
    public var counts: HostCounts {
        queue.withExclusiveAccess { HostCounts(generation, queue.cuts) }
    }

    // MARK: - Implementation details

    /// The number of the signal that arrived, nil when none is waiting.
    private func takeSignal() -> Int32? {
        signals.flatMap(SignalDescriptor.take)
    }

    /// Waits until no effect holds the run open, or a signal asks to finish.
    private func waitForEffects(_ summary: inout Summary) {
        // The input counts like an effect that ends here: a thread that happens to drain may still have to do what it led to.
        queue.activity.begin(background: false)
        queue.activity.end(background: false, atRestOf: queue)
        while !queue.activity.isIdle {
            idle.wait(or: signals)
            summary.signal = takeSignal()
            if summary.signal != nil { return queue.withExclusiveAccess { generation.cancelEffects() } }
        }
    }
}
