// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
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
        /// Whether another process goes on, so that nothing of this run is told or kept at its end.
        package var isHandedOver = false
        /// What went on in the background without having emitted anything when the inputs had ended by themselves, in chain order.
        package var cut: [UnfinishedWork] = []

        /// A summary of a run in which nothing has happened.
        package init() {}

        /// Lines that were not taken although something stands on them.
        package var turnedAway: Int { rejected + refused }
    }

    /// The store that the host runs.
    package let store: HostStore
    /// The way in which actions come to the store; changed once, by the thread that reads, when another process goes on.
    package internal(set) var admission: any Admission
    /// The journal that the host keeps; nil without one.
    package let journal: HostJournal?
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
    /// Reads the lines that instances bring; belongs to the thread that reads.
    private(set) lazy var postedLines = PostedLineTaker(ingress)
    /// Lets the run stand still.
    package let standstill: Standstill
    /// Whether another process goes on; touched by the thread that reads.
    var isHandedOver = false
    /// The connections, files and pipes of another process that the run goes on with; set before it.
    package var handed: [HandedConnection] = []
    /// The inputs that are not processed any more; set before a run.
    package var skipped = SkippedInputs()
    /// Called with each action, for printing.
    package let onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?

    /// A host over an assembly, ready to take actions.
    ///
    /// - Parameters:
    ///   - admission: the host's mode: how actions come to its store, and what is kept of them.
    ///   - starts: whether the instances are started; not those of a host that looks back, nor of a partition before its time.
    ///   - stop: asks the run to end; nil where nobody does.
    ///   - onAction: called with each action before it is processed, in the drain; not with those that interceptors stop.
    ///   - tracer: makes spans of actions; nil where nobody wants them.
    package init(
        _ assembly: sending Assembly, by admission: any Admission = DirectAdmission(), starts: Bool = true,
        reports: Reporter, stop: StopRequest? = nil,
        onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)? = nil, tracer: ActionTracer? = nil
    ) {
        self.admission = admission
        journal = admission.journal
        standstill = Standstill(waking: idle)
        ingress = assembly.configuration.ingress
        self.reports = reports
        self.stop = stop
        ready = ReadyInputs(waking: idle)
        stop?.wake(idle)
        assembler = assembly.assembler
        self.onAction = onAction
        store = HostStore(
            assembly,
            StoreTerms(
                recorder: admission.recorder, elsewhere: admission.elsewhere, report: { reports.send($0) },
                onAction: onAction, tracer: tracer))
        assembly.dependencies.posted.onArrival { [idle] in idle.wake() }
        assembly.dependencies.listeners.onEnd { [idle] in idle.wake() }
        queue.activity.onIdle(orAt: Self.maximumEffects / 2) { [idle] in idle.wake() }
        store.inputHold.onEnd { [idle] in idle.wake() }
        admission.elsewhere?.stand(before: store)
        queue.withExclusiveAccess {
            admission.open(store)
            if starts { generation.start() }
        }
    }

    /// Instances let go of what they hold before this returns: the queue would leave it to a thread that happens to drain.
    deinit {
        store.dependencies.control.settle(nil)
        queue.withExclusiveAccess { store.close() }
    }

    /// Processes one action; outputs that are emitted at once are processed before this returns.
    package func dispatch(_ action: AnyAction, from source: ActionSource) {
        store.dispatch(action, from: source)
    }

    /// Whether an instance listens, so that the run goes on when its inputs have ended; may be looked at from any thread.
    package var listens: Bool { store.dependencies.listeners.areUsed }

    /// How far the run is; may be looked at from any thread.
    package var progress: RunProgress { store.dependencies.pass.progress }

    /// Sets what the action `host/reload` does; it is called in the drain and should only ask for something.
    package func onReload(_ body: @escaping @Sendable () -> Void) {
        queue.withExclusiveAccess { store.onReload = body }
    }

    /// Sets what the action `host/release` does, with the digest of a library in quarantine; it is called in the drain and should
    /// only ask for something.
    package func onRelease(_ body: @escaping @Sendable (String) -> Void) {
        queue.withExclusiveAccess { store.onRelease = body }
    }

    /// Lets a library be put into quarantine that has ended its worker too often, by its digest, its plugin's id and the reason.
    package func onQuarantine(
        _ body: @escaping @Sendable (_ digest: String, _ plugin: String, _ reason: String) -> Void
    ) {
        queue.withExclusiveAccess { store.onQuarantine = body }
    }

    /// Ends the workers of all instances, without waiting for that; nothing that they still tell counts.
    package func endWorkers() {
        store.queue.enqueue { [store] in
            for instance in store.generation?.instances ?? [] { instance.worker?.end() }
        }
    }

    /// The ids of the instances, in chain order.
    package var instanceIDs: [String] { turn { $0.instances.map(\.id) } }

    /// The state as it is between two actions.
    ///
    /// - Throws: when a plugin's state does not encode.
    package func snapshot() throws(CodingFailure) -> Value {
        try turn { turn throws(CodingFailure) in try turn.state.snapshot() }
    }

    /// The state with all that the next run needs to go on from it.
    ///
    /// - Throws: when a plugin's state does not encode.
    package func saved() throws(CodingFailure) -> SavedState {
        try turn { $0.copy() }.saved()
    }

    /// What the host and its instances have done so far.
    package var counts: HostCounts { queue.withExclusiveAccess { HostCounts(generation, queue.cuts) } }

    // MARK: - Implementation details

    /// On which terms all inputs of a run are read.
    var readingTerms: ReadingTerms { ReadingTerms(maximumLineBytes: ingress.maximumLineBytes, stop: stop) }

    /// The waiting actions.
    package var queue: DrainQueue<Generation> { store.queue }

    /// Keeps the state with which the run ends, and releases the journal to the next host; called when the run is over.
    ///
    /// - Throws: why the last actions could not be kept.
    package func closeJournal() throws(JournalFailure) { try admission.close(store) }

    /// Skips an action that has ended the host too often: reports it, and keeps it as a dead letter.
    func skip(_ action: AnyAction, from source: ActionSource, because reason: String) {
        store.dependencies.letters.add(.setAside, action, from: source, instance: nil, reason: reason)
        reports.send(.setAside(source: source, type: action.type.name, reason: reason))
    }

    /// Skips the action of a line that has ended the host too often; returns whether it is one.
    func skips(_ action: AnyAction, from source: ActionSource) -> Bool {
        guard let reason = skipped.places["\(source.file):\(source.line)"] else { return false }
        skip(action, from: source, because: reason)
        return true
    }

    /// Has a turn between two actions; not called in the drain.
    package func turn<Result, Failure>(
        _ body: (Turn) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try queue.withExclusiveAccess {
            Swift.Result { () throws(Failure) in try body(Turn(generation: generation)) }
        }.get()
    }

    /// What runs now; looked at in the drain.
    var generation: Generation {
        guard let generation = store.generation else {
            preconditionFailure("a host has a generation as long as it lives")
        }
        return generation
    }
}
