// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
package import GatehouseSDK
package import GatehouseSupport
private import Glibc

/// Runs actions through the instances of an assembly: reads input, dispatches, waits for effects, gives the state.
///
/// Used from one thread; effects may emit from others.
package final class Host {
    /// What a run has seen.
    package struct Summary: Equatable, Sendable {
        /// Lines of input, blank ones included.
        package var lines = 0
        /// Lines without anything on them.
        package var blank = 0
        /// Lines that are no action.
        package var rejected = 0
        /// Lines with an action that may not come in.
        package var refused = 0
        /// Why the run was asked to end; nil when it ended by itself.
        package var stop: StopRequest.Reason?
        /// Whether strictness ended the run at bad data.
        package var stoppedAtBadData = false
        /// What had not finished when the time for it was over, in chain order.
        package var givenUp: [UnfinishedWork] = []
        /// Effects that had not ended, which the journal keeps and the next run begins again, in chain order.
        package var left: [UnfinishedWork] = []
        /// What went on in the background without having emitted anything when the inputs had ended by themselves, in chain order.
        package var cut: [UnfinishedWork] = []

        /// A summary of a run in which nothing has happened.
        package init() {}

        /// Lines that were not taken although something stands on them.
        package var turnedAway: Int { rejected + refused }
    }

    /// The part that all generations share.
    package let core: HostCore
    /// The actions that wait; gives the generation its turns. Kept here as well, so that a dispatch counts no reference.
    package let queue: DrainQueue<Generation>
    /// Makes the instances of later generations; nil for plugins that are linked in.
    package let assembler: Assembler?
    /// The configuration that says what input may carry.
    package let ingress: IngressConfiguration
    /// Takes what goes wrong on the way.
    package let reports: Reporter
    /// Asks the run to end; nil where nobody does.
    package let stop: StopRequest?
    /// Wakes the thread that reads and waits: the last effect has finished, an input is ready, somebody asks to end.
    package let idle = WakePipe()
    /// The inputs that have something to read, where there are several.
    package let ready: ReadyInputs
    /// What the inputs of a run have brought.
    package let inputs = InputAccounts()
    /// Keeps what comes in and what is reduced; nil for a host without a journal.
    package let journal: HostJournal?
    /// Takes what comes in for a cluster's partitions; nil for a host that is in none.
    package let router: ClusterRouter?
    /// What was read and waits for the journal or the cluster to keep it; belongs to the thread that reads.
    package var accepted = AcceptedActions()
    /// Reads the lines that instances bring; belongs to the thread that reads.
    private(set) lazy var postedLines = PostedLineTaker(ingress)
    /// What the run before has left to be done; nil when it is done.
    package var left: Recovery?
    /// Why inputs are not processed any more: by their places, and by their numbers in the journal; set before a run.
    package var setAside: (places: [String: String], numbers: [UInt64: String]) = ([:], [:])
    /// Told about each action, for printing.
    package let onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?

    /// A host over an assembly, ready to take actions.
    ///
    /// - Parameters:
    ///   - stop: asks the run to end; nil where nobody does.
    ///   - onAction: told about each action before it is processed, in the drain; not about those that interceptors stop.
    package convenience init(
        _ assembly: sending Assembly, reports: Reporter, stop: StopRequest? = nil,
        onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)? = nil
    ) {
        self.init(assembly, journal: nil, reports: reports, stop: stop, onAction: onAction)
        queue.withExclusiveAccess { generation.start() }
    }

    /// A host that goes on where the run before ended, and keeps a journal of what it does from there.
    ///
    /// - Parameter recovery: has made the assembly. What it has left to be done is done at the beginning of the run.
    package convenience init(
        recovering assembly: sending Assembly, from recovery: Recovery, journal: HostJournal,
        reports: Reporter, stop: StopRequest? = nil,
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

    /// A host that is a member's gateway: what comes in, and what its instances emit and do not hear, goes to the partitions.
    ///
    /// - Parameter gateway: knows which of its outputs go there.
    package convenience init(
        gateway assembly: sending Assembly, before gateway: ClusterGateway, reports: Reporter,
        stop: StopRequest? = nil, onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)? = nil
    ) {
        self.init(
            assembly, journal: nil, router: gateway.router, elsewhere: gateway, reports: reports, stop: stop,
            onAction: onAction)
        gateway.stand(before: core)
        queue.withExclusiveAccess { generation.start() }
    }

    /// A host that is the store of a partition; its instances are not started.
    package convenience init(
        partition assembly: sending Assembly, recorder: ActionRecorder, elsewhere: any OutputRoute,
        router: ClusterRouter, reports: Reporter,
        onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
    ) {
        self.init(
            assembly, journal: nil, recorder: recorder, router: router, elsewhere: elsewhere,
            reports: reports, stop: nil, onAction: onAction)
    }

    /// A host that looks back: its instances are not started, and what they are made for is not done.
    package convenience init(
        lookingBack assembly: sending Assembly, reports: Reporter,
        onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
    ) {
        self.init(assembly, journal: nil, reports: reports, stop: nil, onAction: onAction)
    }

    /// A host whose instances are not started.
    private init(
        _ assembly: sending Assembly, journal: HostJournal?, recorder: ActionRecorder? = nil,
        router: ClusterRouter? = nil, elsewhere: (any OutputRoute)? = nil, reports: Reporter,
        stop: StopRequest?, onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
    ) {
        self.journal = journal
        self.router = router
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
            core.onIdle = { [weak core, journal] in
                guard let core, let generation = core.generation else { return }
                journal.snapshot(of: generation, configured: core.configuredState)
            }
            journal.recorder.every(journal.snapshotEvery) { [weak core] in core?.onIdle?() }
        }
    }

    /// Instances let go of what they hold before this returns: the queue would leave it to a thread that happens to drain.
    deinit {
        core.dependencies.control.settle(nil)
        queue.withExclusiveAccess { core.close() }
    }

    /// Processes one action; outputs that are emitted at once are processed before this returns.
    package func dispatch(_ action: AnyAction, from source: ActionSource) {
        core.dispatch(action, from: source)
    }

    /// Whether an instance listens, so that the run goes on when its inputs have ended; may be looked at from any thread.
    package var listens: Bool { core.dependencies.listeners.areUsed }

    /// How far the run is; may be looked at from any thread.
    package var progress: RunProgress { core.dependencies.pass.progress }

    /// Sets what the action `host/reload` does; it is called in the drain and should only ask for something.
    package func onReload(_ body: @escaping @Sendable () -> Void) {
        queue.withExclusiveAccess { core.onReload = body }
    }

    /// Sets what the action `host/release` does, with the digest of a library in quarantine; it is called in the drain and should
    /// only ask for something.
    package func onRelease(_ body: @escaping @Sendable (String) -> Void) {
        queue.withExclusiveAccess { core.onRelease = body }
    }

    /// The ids of the instances, in chain order.
    package var instanceIDs: [String] { queue.withExclusiveAccess { generation.instances.map(\.id) } }

    /// The state as it is between two actions.
    ///
    /// - Throws: when a plugin's state does not encode.
    package func snapshot() throws(CodingFailure) -> Value {
        try queue.withExclusiveAccess {
            Result { () throws(CodingFailure) in try generation.state.state.snapshot() }
        }.get()
    }

    /// The state with all that the next run needs to go on from it.
    ///
    /// - Throws: when a plugin's state does not encode.
    package func saved() throws(CodingFailure) -> SavedState {
        try queue.withExclusiveAccess { CopiedState(of: generation, configured: core.configuredState) }
            .saved()
    }

    /// What the host and its instances have done so far.
    package var counts: HostCounts {
        queue.withExclusiveAccess { HostCounts(generation, queue.cuts) }
    }

    // MARK: - Implementation details

    /// What runs now; looked at in the drain.
    package var generation: Generation {
        guard let generation = core.generation else {
            preconditionFailure("a host has a generation as long as it lives")
        }
        return generation
    }
}
