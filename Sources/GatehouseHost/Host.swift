// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK
public import GatehouseSupport
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
        /// Effects that had not ended, which the journal keeps and the next run begins again, in chain order.
        public var left: [UnfinishedWork] = []
        /// What went on in the background without having emitted anything when the inputs had ended by themselves, in chain order.
        public var cut: [UnfinishedWork] = []

        /// A summary of a run in which nothing has happened.
        public init() {}

        /// Lines that were not taken although something stands on them.
        public var turnedAway: Int { rejected + refused }
    }

    /// The part that all generations share.
    let core: HostCore
    /// The actions that wait; gives the generation its turns. Kept here as well, so that a dispatch counts no reference.
    let queue: DrainQueue<Generation>
    /// Makes the instances of later generations; nil for plugins that are linked in.
    let assembler: Assembler?
    /// The configuration that says what input may carry.
    let ingress: IngressConfiguration
    /// Takes what goes wrong on the way.
    let reports: ReportDesk
    /// Asks the run to end; nil where nobody does.
    let stop: StopRequest?
    /// Wakes the thread that reads and waits: the last effect has finished, an input is ready, somebody asks to end.
    let idle = WakePipe()
    /// The inputs that have something to read, where there are several.
    let ready: ReadyInputs
    /// What the inputs of a run have brought.
    let inputs = InputAccounts()
    /// Keeps what comes in and what is reduced; nil for a host without a journal.
    let journal: HostJournal?
    /// Takes what comes in for a cluster's partitions; nil for a host that is in none.
    let inlet: ClusterInlet?
    /// What was read and waits for the journal or the cluster to keep it; belongs to the thread that reads.
    var accepted = AcceptedActions()
    /// Reads the lines that instances bring; belongs to the thread that reads.
    private(set) lazy var postedLines = PostedLineTaker(ingress)
    /// What the run before has left to be done; nil when it is done.
    var left: Recovery?
    /// Why inputs are not processed any more: by their places, and by their numbers in the journal; set before a run.
    private(set) var setAside: (places: [String: String], numbers: [UInt64: String]) = ([:], [:])
    /// Told about each action, for printing.
    let onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?

    /// A host over an assembly, ready to take actions.
    ///
    /// - Parameters:
    ///   - stop: asks the run to end; nil where nobody does.
    ///   - onAction: told about each action before it is processed, in the drain; not about those that interceptors stop.
    public convenience init(
        _ assembly: sending Assembly, reports: ReportDesk, stop: StopRequest? = nil,
        onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)? = nil
    ) {
        self.init(assembly, journal: nil, reports: reports, stop: stop, onAction: onAction)
        queue.withExclusiveAccess { generation.start() }
    }

    /// A host that goes on where the run before ended, and keeps a journal of what it does from there.
    ///
    /// - Parameter recovery: has made the assembly. What it has left to be done is done at the beginning of the run.
    public convenience init(
        recovering assembly: sending Assembly, from recovery: Recovery, journal: HostJournal,
        reports: ReportDesk, stop: StopRequest? = nil,
        onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)? = nil
    ) {
        self.init(assembly, journal: journal, reports: reports, stop: stop, onAction: onAction)
        core.dependencies.letters.keep(in: journal.writer, behind: recovery.letters)
        left = recovery
        core.onSwap = { [journal] in journal.begin($0, by: $1, made: $2, patch: $3) }
        queue.withExclusiveAccess {
            if let plan = recovery.plan {
                journal.begin(
                    generation, by: plan, made: generation.instances.filter(recovery.isMade),
                    patch: recovery.patch(to: core.configuredState))
            }
            // The next start need not go over it again.
            if recovery.replayed > 0 { takeSnapshot() } else { journal.beginKept() }
            generation.start()
        }
    }

    /// A host that is a member's front: what comes in, and what its instances emit and do not hear, goes to the partitions.
    ///
    /// - Parameter front: knows which of its outputs go there.
    public convenience init(
        front assembly: sending Assembly, before front: ClusterFront, reports: ReportDesk,
        stop: StopRequest? = nil, onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)? = nil
    ) {
        self.init(
            assembly, journal: nil, inlet: front.inlet, elsewhere: front, reports: reports, stop: stop,
            onAction: onAction)
        front.stand(before: core)
        queue.withExclusiveAccess { generation.start() }
    }

    /// A host that is the store of a partition; its instances are not started.
    convenience init(
        partition assembly: sending Assembly, recorder: ActionRecorder, elsewhere: any OutputRoute,
        inlet: ClusterInlet, reports: ReportDesk,
        onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
    ) {
        self.init(
            assembly, journal: nil, recorder: recorder, inlet: inlet, elsewhere: elsewhere,
            reports: reports, stop: nil, onAction: onAction)
    }

    /// A host that looks back: its instances are not started, and what they are made for is not done.
    convenience init(
        lookingBack assembly: sending Assembly, reports: ReportDesk,
        onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
    ) {
        self.init(assembly, journal: nil, reports: reports, stop: nil, onAction: onAction)
    }

    /// A host whose instances are not started.
    private init(
        _ assembly: sending Assembly, journal: HostJournal?, recorder: ActionRecorder? = nil,
        inlet: ClusterInlet? = nil, elsewhere: (any OutputRoute)? = nil, reports: ReportDesk,
        stop: StopRequest?, onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
    ) {
        self.journal = journal
        self.inlet = inlet
        ingress = assembly.configuration.ingress
        self.reports = reports
        self.stop = stop
        ready = ReadyInputs(waking: idle)
        stop?.wake(idle)
        assembler = assembly.assembler
        self.onAction = onAction
        core = HostCore(
            assembly,
            StoreTerms(
                recorder: journal?.recorder ?? recorder, elsewhere: elsewhere, report: { reports.send($0) },
                onAction: onAction))
        queue = core.queue
        assembly.dependencies.posted.onArrival { [idle] in idle.wake() }
        assembly.dependencies.listeners.onEnd { [idle] in idle.wake() }
        queue.activity.onIdle(orAt: Self.maximumEffects / 2) { [idle] in idle.wake() }
        if let journal {
            core.onSettled = { [weak core, journal] in
                guard let core, let generation = core.generation else { return }
                journal.snapshot(of: generation, configured: core.configuredState)
            }
            journal.recorder.every(journal.snapshotEvery) { [weak core] in core?.onSettled?() }
        }
    }

    /// Instances let go of what they hold before this returns: the queue would leave it to a thread that happens to drain.
    deinit {
        core.dependencies.control.settle(nil)
        queue.withExclusiveAccess { core.close() }
    }

    /// Processes one action; outputs that are emitted at once are processed before this returns.
    public func dispatch(_ action: AnyAction, from source: ActionSource) {
        queue.dispatch(DispatchedAction(action, dispatcher: source))
    }

    /// Whether an instance listens, so that the run goes on when its inputs have ended; may be looked at from any thread.
    public var listens: Bool { core.dependencies.listeners.areUsed }

    /// How far the run is; may be looked at from any thread.
    public var progress: RunProgress { core.dependencies.pass.progress }

    /// Sets what the action `host/reload` does; it is called in the drain and should only ask for something.
    public func onReload(_ body: @escaping @Sendable () -> Void) {
        queue.withExclusiveAccess { core.onReload = body }
    }

    /// Leaves out inputs that have ended the host too often; set before a run.
    public func leaveOut(_ ledger: CrashLedger) {
        setAside = (ledger.setAsidePlaces, ledger.setAsideNumbers)
    }

    /// Sets what the action `host/release` does, with the digest of a library in quarantine; it is called in the drain and should
    /// only ask for something.
    public func onRelease(_ body: @escaping @Sendable (String) -> Void) {
        queue.withExclusiveAccess { core.onRelease = body }
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
        try queue.withExclusiveAccess { CopiedState(of: generation, configured: core.configuredState) }
            .saved()
    }

    /// What the host and its instances have done so far.
    public var counts: HostCounts {
        queue.withExclusiveAccess { HostCounts(generation, queue.cuts) }
    }

    // MARK: - Implementation details

    /// What runs now; looked at in the drain.
    var generation: Generation {
        guard let generation = core.generation else {
            preconditionFailure("a host has a generation as long as it lives")
        }
        return generation
    }
}
