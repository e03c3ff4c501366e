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
        /// Lines with an action that may not come in.
        public var refused = 0
        /// Why the run was asked to end; nil when it ended by itself.
        public var stop: StopRequest.Reason?
        /// Whether strictness ended the run at bad data.
        public var stoppedAtBadData = false
        /// What had not finished when the time for it was over, in chain order.
        public var givenUp: [UnfinishedWork] = []

        /// Nothing yet.
        public init() {}

        /// Lines that were not taken although something stands on them.
        public var turnedAway: Int { rejected + refused }
    }

    /// What all generations share.
    let core: HostCore
    /// The actions that wait; gives the generation its turns. Kept here as well, so that a dispatch counts no reference.
    let queue: DrainQueue<Generation>
    /// Makes the instances of later generations; nil for plugins that are linked in.
    let assembler: Assembler?
    /// What input may contain.
    private let ingress: IngressConfiguration
    /// Takes what goes wrong on the way.
    let reports: ReportDesk
    /// Asks the run to end; nil where nobody does.
    let stop: StopRequest?
    /// Told about each action, for printing.
    let onAction: (@Sendable (AnyAction) -> Void)?
    /// Becomes readable when the last effect has finished.
    private let idle = WakePipe()

    /// A host over an assembly, ready to take actions.
    ///
    /// - Parameters:
    ///   - stop: asks the run to end; nil where nobody does.
    ///   - onAction: told about each action before it is processed, in the drain; not about those that interceptors stop.
    public init(
        _ assembly: sending Assembly, reports: ReportDesk, stop: StopRequest? = nil,
        onAction: (@Sendable (AnyAction) -> Void)? = nil
    ) {
        ingress = assembly.configuration.ingress
        self.reports = reports
        self.stop = stop
        assembler = assembly.assembler
        self.onAction = onAction
        core = HostCore(
            assembly.dependencies, tree: assembly.tree, limits: assembly.configuration.limits.drain,
            report: { reports.send($0) }, onAction: onAction)
        core.configuredState = assembly.configuration.state
        queue = core.queue
        for instance in assembly.instances { instance.connect(to: core.output) }
        core.run(Generation(assembly.instances.map { ChainLink($0) }, in: core))
        queue.activity.onIdle(orAt: Self.maximumEffects / 2) { [idle] in idle.wake() }
        queue.withExclusiveAccess { generation.start() }
    }

    /// Instances let go of what they hold before this returns: the queue would leave it to a thread that happens to drain.
    deinit {
        queue.withExclusiveAccess { core.close() }
    }

    /// Processes one action; outputs that are emitted at once are processed before this returns.
    public func dispatch(_ action: AnyAction, from source: ActionSource) {
        queue.dispatch(DispatchedAction(action, dispatcher: source))
    }

    /// Reads actions until the input and the effects it started are finished, or somebody asks to end.
    ///
    /// At the end, also when the input has ended by itself, the instances are told by `stopping`, and effects that are
    /// finishing are waited for.
    ///
    /// - Parameters:
    ///   - descriptor: where the lines come from.
    ///   - name: the input's name in messages.
    ///   - isStrict: whether the first bad line, or payload that does not fit, ends the run.
    ///   - grace: how long effects may take to finish once the end has begun.
    ///   - mostTurnedAway: how many lines may be rejected or refused; one more ends the reading.
    ///   - onLine: told how many lines have been read, every 1,024 lines.
    ///   - onWait: told true before it waits for input or effects, false when it goes on; for input only
    ///     where somebody may ask to end.
    ///   - onGrace: told what it waits for at the end, if there is anything.
    /// - Throws: when the input cannot be read.
    public func run(
        descriptor: Int32, name: String, isStrict: Bool, mostTurnedAway: Int = .max,
        grace: Duration = .seconds(10), onLine: ((Int) -> Void)? = nil, onWait: ((Bool) -> Void)? = nil,
        onGrace: (([UnfinishedWork]) -> Void)? = nil
    ) throws(IngressError) -> Summary {
        let progress = progress
        var summary = Summary()
        var input = ActionInput(
            descriptor: descriptor, name: name, ingress: ingress, reports: reports,
            wakeDescriptor: stop?.descriptor, onWait: onWait)
        queue.withExclusiveAccess { generation.isReading(input.source) }
        reading: while true {
            if let stop, stop.isAsked { input.stop() }
            switch try input.next() {
            case .action(let action, let text):
                progress.note(lines: input.lines, rejected: input.rejected)
                queue.dispatch(DispatchedAction(action, dispatcher: input.source)) { $0.isReading(text) }
            case .nothing: progress.note(lines: input.lines, rejected: input.rejected)
            case .interrupted: continue
            case .end: break reading
            }
            // While an effect's thread drains, dispatching only queues: wait now and then for the queue to empty, or a fast
            // input would fill the memory.
            if input.lines & 63 == 0 {
                queue.withExclusiveAccess {}
                waitForRoom(onWait)
                if input.lines & 1023 == 0 { onLine?(input.lines) }
            }
            if isStrict, reports.badDataCount > 0 {
                summary.stoppedAtBadData = true
                break
            }
            if input.rejected + input.refused > mostTurnedAway { break }
        }
        summary.lines = input.lines
        summary.blank = input.blank
        summary.rejected = input.rejected
        summary.refused = input.refused
        if summary.stoppedAtBadData {
            queue.withExclusiveAccess { generation.cancelEffects() }
        } else {
            onWait?(true)
            waitForEffects()
            finish(grace, &summary, onGrace)
            onWait?(false)
            if isStrict, reports.badDataCount > 0 { summary.stoppedAtBadData = true }
        }
        summary.stop = stop?.reason
        return summary
    }

    /// How far the run is; may be looked at from any thread.
    public var progress: RunProgress { core.dependencies.pass.progress }

    /// Sets what the action `host/reload` does; it is called in the drain and should only ask for something.
    public func onReload(_ body: @escaping @Sendable () -> Void) {
        queue.withExclusiveAccess { core.onReload = body }
    }

    /// Gives the id of the instance whose code the calling thread runs; nil outside of the drain.
    public var instanceInHand: @Sendable () -> String? {
        { [queue, progress] in queue.isCurrent ? progress.instanceInHand : nil }
    }

    /// The ids of the instances, in chain order.
    public var instanceIDs: [String] { queue.withExclusiveAccess { generation.instances.map(\.id) } }

    /// The state as it is between two actions.
    ///
    /// - Throws: when a plugin's state does not encode.
    public func snapshot() throws(CodingFailure) -> Value {
        try queue.withExclusiveAccess {
            Result { () throws(CodingFailure) in try generation.state.state.snapshot() }
        }.get()
    }

    /// The state with all that the next run needs to go on from it.
    ///
    /// - Throws: when a plugin's state does not encode.
    public func saved() throws(CodingFailure) -> SavedState {
        try queue.withExclusiveAccess {
            Result { () throws(CodingFailure) in try SavedState(of: generation, configured: core.configuredState) }
        }.get()
    }

    /// What the host and its instances have done so far.
    public var counts: HostCounts {
        queue.withExclusiveAccess { HostCounts(generation, queue.cuts) }
    }

    // MARK: - Implementation details

    /// What runs now; looked at in the drain.
    private var generation: Generation { core.generation }

    /// So many effects that finish may be running, and those of 64 lines more, before input is held back.
    static let maximumEffects = 4_096

    /// So long may input be held back without a word.
    static let patience = Duration.seconds(3)

    /// Waits, when many effects are finishing what was promised, until half of them have ended or somebody asks to end: what
    /// they hold would fill the memory otherwise.
    private func waitForRoom(_ onWait: ((Bool) -> Void)?) {
        guard queue.activity.finishing > Self.maximumEffects else { return }
        onWait?(true)
        defer { onWait?(false) }
        let end = ContinuousClock.now.advanced(by: Self.patience)
        var isTold = false
        while queue.activity.finishing > Self.maximumEffects / 2, stop?.isAsked != true {
            idle.wait(or: stop?.descriptor, atMost: isTold ? nil : 1_000)
            if !isTold, ContinuousClock.now > end {
                isTold = true
                reports.send(
                    .heldInput(effects: queue.activity.finishing, until: Self.maximumEffects / 2))
            }
        }
    }

    /// Waits until no effect holds the run open, or somebody asks to end.
    private func waitForEffects() {
        holdUntilRest()
        while !queue.activity.isIdle, stop?.isAsked != true { idle.wait(or: stop?.descriptor) }
    }

    /// Counts what was done last like an effect that ends here: a thread that happens to drain may still have to do what it
    /// led to.
    private func holdUntilRest() {
        queue.activity.begin(.foreground)
        queue.activity.end(.foreground, atRestOf: queue)
    }

    /// Tells the instances that the end has come, and waits for what they finish.
    private func finish(_ grace: Duration, _ summary: inout Summary, _ onGrace: (([UnfinishedWork]) -> Void)?)
    {
        let end = ContinuousClock.now.advanced(by: grace)
        queue.withExclusiveAccess { generation.stop() }
        holdUntilRest()
        var isTold = false
        while !queue.activity.isIdle {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else {
                summary.givenUp = queue.withExclusiveAccess { generation.unfinished }
                break
            }
            if !isTold, let onGrace {
                isTold = true
                let unfinished = queue.withExclusiveAccess { generation.unfinished }
                if !unfinished.isEmpty { onGrace(unfinished) }
                continue
            }
            idle.wait(atMost: Int32(clamping: Int((left / .milliseconds(1)).rounded(.up))))
        }
        queue.withExclusiveAccess { generation.cancelEffects() }
    }
}
