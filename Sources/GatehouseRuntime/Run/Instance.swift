// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
package import GatehouseManifest
package import GatehousePlan
package import GatehouseSDK
package import GatehouseSupport

/// One use of a plugin in the configuration: lifted to the host's types, behind its gate.
///
/// The lift is spread over where it is known once: the route gives the local type, the slice is the instance's own, the
/// services are injected here, and `InstanceOutput` gives outputs their global types. The gate stands outside the lift.
/// It has many stored properties because a dispatch should find all it needs of an instance behind one pointer.
/// Belongs to the generations of one host and is used in its drain. What belongs to the action in hand is in the `Pass`.
package final class Instance {
    /// The id in the configuration.
    package let id: String
    /// What the flight recorder knows it by.
    package let number: Int
    /// The same as it stands in the record of what runs.
    package let mark: UInt64
    /// What others may know of the run at any moment.
    let progress: RunProgress
    /// What the configuration makes of it in the running generation.
    package private(set) var planned: PlannedInstance { didSet { followsStops = asksForStops } }
    /// Its state; empty for a plugin without. A variable, because the reducer is given it to change.
    package private(set) var slice: Slice
    /// Takes what the plugin emits, through gate and lift.
    package private(set) var output: AnyActionHandler<AnyAction>

    /// The plugin's middlewares, composed.
    private let plugin: AnyMiddleware<AnyAction, AnyAction, Slice>
    /// Decides about actions ahead of everybody's middlewares; nil for a plugin that does not.
    let interceptor: AnyInterceptor<AnyAction, Slice>?
    /// Actions that it stopped, or has not let pass yet.
    package internal(set) var stoppedActions = 0
    /// Reads the slice; made once.
    let state: GetState<Slice>
    /// The reducer that changes the slice; nil for a plugin without one.
    private let reducer: Reducer<AnyAction, Slice>?
    /// Decides which actions and outputs pass.
    private var decision: Gate<AnyAction, Void>
    /// Looks at the state for a gate that follows it; nil for one that actions move.
    private var follower: StateGate?
    /// Outputs that gates have dropped which it had before.
    private var droppedBefore = 0
    /// What becomes of running effects when the gate closes.
    var onClose: GateClosing
    /// What it was made from.
    package let exports: PluginExports
    /// Lets its outputs out.
    package let outlet: InstanceOutput
    /// What its interceptor reads, and changes by actions of its own; nil before it is connected, and for a plugin without one.
    var own: OwnState<AnyAction, Slice>?
    /// Counts its running effects.
    package private(set) var activity = Activity()
    /// What is known of the action in hand.
    let pass: Pass
    /// Where dropped actions are kept, if its entry asks for it; nil before it is connected.
    var letters: DeadLetters?
    /// Told about what its interceptor stops; nil while nobody wants to know, nor what its gate keeps from it.
    var onStop: (@Sendable (TurnedAwayAction) -> Void)? { didSet { followsStops = asksForStops } }
    /// Whether anybody wants to know what its interceptor stops and its gate keeps from it, so that an action asks once.
    private(set) var followsStops: Bool
    /// The same, found out anew.
    private var asksForStops: Bool { onStop != nil || planned.entry.keep != nil }
    /// Knows those that have not ended; nil before it is connected.
    var log: InstanceEffectLog?
    /// Effects that are to begin again; touched in the drain, or before anybody else knows the instance.
    var inherited: [JournalEffect] = []
    /// How their work is run.
    private let execution: EffectExecution
    /// What was counted where it hears actions.
    package var account = InstanceAccount()
    /// What it says about itself.
    package let status: PluginStatus
    /// Where its slice stands, because its library is in quarantine and not loaded; nil for one that runs.
    package private(set) var standing: StandingInstance?

    /// Leads to the worker that it runs in; nil for one that runs here.
    package let worker: WorkerLink?

    /// What the gate is given to read.
    private let gateState: GetState<Void>

    /// Lifts, gates and injects the parts of a plugin.
    ///
    /// - Parameters:
    ///   - tree: the state that a gate may follow.
    ///   - standing: what the exports count in, where they stand for a library in quarantine.
    ///   - worker: where they lead, where they stand for an instance in a worker.
    /// - Throws: `CodingFailure` when the settings do not fit the plugin.
    package init(
        _ planned: PlannedInstance, exports: PluginExports, tree: StateTree, dependencies: HostDependencies,
        standing: StandingInstance? = nil, worker: WorkerLink? = nil
    ) throws(CodingFailure) {
        let configuration = planned.entry
        let id = configuration.id
        let gate = InstanceGate(planned, in: tree, report: dependencies.report)
        let decision = gate.decision
        let outlet = InstanceOutput(
            id: id, names: planned.names, gate: decision, letters: dependencies.letters,
            report: dependencies.report)
        let parts = try exports.makeParts(
            settings: configuration.settings, decoded: dependencies.shared[exports]
        ) { [pass = dependencies.pass] in
            outlet.report($0, in: pass)
        }
        dependencies.shared[exports] = parts.decoded
        let services = dependencies.services(for: configuration, through: outlet)
        let middlewares = parts.readers.map { $0.inject(services) }
        let slice = parts.slice
        if let clock = services.clock {
            parts.time.ask { [pass = dependencies.pass] in pass.time(by: clock.unixTime) }
        }
        status = services.status
        execution = dependencies.execution(of: id)
        pass = dependencies.pass
        gateState = pass.gateState
        self.id = id
        progress = pass.progress
        number = progress.flightRecorder.enter(
            id, plugin: planned.manifest.id, digest: planned.library?.imageHex,
            isInPartition: progress.partition != nil)
        mark = UInt64(number) << 8
        self.planned = planned.withoutSources
        followsStops = planned.entry.keep != nil
        self.exports = exports
        self.slice = slice
        self.outlet = outlet
        self.decision = decision
        follower = gate.follower
        output = AnyActionHandler { _ in }
        plugin =
            middlewares.count == 1 ? middlewares[0] : ComposedMiddleware(middlewares).eraseToAnyMiddleware()
        interceptor = parts.interceptor.map { $0(services) }
        let state = GetState { slice }
        self.state = state
        reducer = parts.reducer
        onClose = GateClosing(configuration.onClose)
        self.standing = standing
        self.worker = worker
    }

    /// Makes the same instance once more, with nothing of its state.
    ///
    /// - Throws: `CodingFailure` when its settings do not fit, or its worker does not begin.
    package func anew(
        as planned: PlannedInstance, tree: StateTree, dependencies: HostDependencies
    ) throws(CodingFailure) -> Instance {
        guard let link = worker?.anew() else {
            return try Instance(
                planned, exports: exports, tree: tree, dependencies: dependencies, standing: standing)
        }
        link.launch()
        do {
            return try link.instance(as: planned, tree: tree, dependencies: dependencies)
        } catch {
            throw error as? CodingFailure
                ?? CodingFailure(pointer: .whole, expected: "a worker that begins", found: "\(error)")
        }
    }

    deinit {
        progress.flightRecorder.leave(number)
        worker?.end()
    }

    /// The plugin it is a use of.
    package var manifest: PluginManifest { planned.manifest }

    /// The place of the slice in the state.
    var slicePointer: JSONPointer { planned.entry.slice }

    /// Says where its outputs go, and who applies its own actions; called before it is started.
    package func connect(to store: HostStore) {
        let parent = store.output
        standing?.connect(to: store, as: self)
        let log = InstanceEffectLog(
            of: id, number, isOfWorker: worker != nil, recovery: EffectRecovery(manifest.onInterruption),
            in: store.dependencies.pass, store.recorder, store.queue)
        self.log = log
        letters = store.dependencies.letters
        if let rules = planned.entry.keep { letters?.bound(id, by: rules) }
        activity = Activity(within: parent.sink.activity, execution: execution, log: log)
        output = AnyActionHandler(
            outlet.sink(
                before: parent.sink, in: store.queue, during: store.dependencies.pass, counting: activity))
        worker?.connect(to: store, as: self)
        guard interceptor != nil else { return }
        own = OwnState(state) { [weak self, weak store] in
            if let self { store?.apply($0, by: self) }
        }
    }

    // MARK: - The gate

    /// Whether its gate is open.
    package var gate: GateState { decision.position }

    /// The place of the state that moves its gate, nil for a gate that actions move.
    package var statePointer: JSONPointer? { follower?.pointer }

    /// Outputs that its gate has dropped.
    package var droppedOutputs: Int { droppedBefore + decision.droppedOutputs }

    /// Outputs that it may not emit, and actions that may not become what its interceptor changed them to.
    package var refusedOutputs: Int { outlet.refused }

    /// Actions that it says it has not done.
    package var failures: Int { worker?.standing.account.failures ?? status.failures }

    /// Lets an action move the gate, or the gate look at the state, where its stop asks for that; tells whether it may pass.
    @inline(__always)
    package func lets(_ action: AnyAction, pass stop: Route.Stop) -> Bool {
        stop.asksGate ? askGate(action) : decision.position == .active
    }

    /// Lets an action move the gate, or the gate look at the state.
    private func askGate(_ action: AnyAction) -> Bool {
        // Most looks at the state find what the last one found.
        if let follower, follower.position == decision.position { return decision.position == .active }
        return decision.lets(action, pass: gateState, onChange: gateChanged)
    }

    /// Lets an action that came before the instance move its gate; tells whether it would have passed.
    func wouldHaveLet(_ action: AnyAction, pass stop: Route.Stop) -> Bool {
        if let follower {
            if follower.position != .active { standing?.interrupt() }
            return follower.position == .active
        }
        guard stop.asksGate else { return decision.position == .active }
        return decision.lets(action, pass: gateState) { [standing] _ in standing?.interrupt() }
    }

    /// Looks at a gate that follows the state again.
    func refreshGate() { decision.refresh(onChange: gateChanged) }

    /// Takes another place in the configuration without being made anew; called in the drain, between two actions.
    ///
    /// - Parameters:
    ///   - gate: the gate it has from here on; nil to keep the one it has.
    ///   - position: where that stands unless it follows the state; nil for its first position.
    ///   - end: sees to the end of the effects where the gate has closed that way; nil to end them at once.
    package func adapt(
        to planned: PlannedInstance, behind gate: InstanceGate?, at position: GateState? = nil,
        endingEffects end: (() -> Void)? = nil
    ) {
        if let rules = planned.entry.keep, rules != self.planned.entry.keep {
            letters?.bound(id, anewBy: rules)
        }
        self.planned = planned.withoutSources
        onClose = GateClosing(planned.entry.onClose)
        if let gate {
            let before = decision.position
            droppedBefore += decision.droppedOutputs
            decision = gate.decision
            follower = gate.follower
            decision.start(gateState)
            if let position, follower == nil { decision.move(to: position) }
            if decision.position != before { gateChanged(decision.position, endingEffects: end) }
        }
        outlet.adapt(to: planned.names, behind: decision)
        standing?.interrupt()
        worker?.interruptMissed()
    }

    /// Whether its state came from a run before.
    private(set) var hasTakenState = false

    /// Takes over what the instance of a run before has left; called before it is started.
    ///
    /// - Throws: why its state cannot be taken over.
    package func take(_ entry: SavedState.Entry, as planned: PlannedInstance) throws(Diagnostic) {
        if let standing, let earlier = entry.standing { standing.take(earlier) }
        if let position = entry.position, entry.gate == "\(planned.entry.gate)" {
            decision.move(to: position)
        }
        if let state = entry.state { try take(state, as: planned) }
    }

    /// Takes over a state; called before it is started.
    ///
    /// - Throws: why it cannot be taken over.
    package func take(_ state: VersionedState, as planned: PlannedInstance) throws(Diagnostic) {
        guard !slice.isEmpty else { return }
        do throws(StateRefusal) {
            progress.take()
            try progress.during(.migrate, of: self) { () throws(StateRefusal) in
                try state.restore(slice, of: exports)
            }
        } catch {
            throw planned.refusal(["\(error)"])
        }
        hasTakenState = true
    }

    /// Looks for the state that its gate follows anew, because slices have other places.
    func forgetSlices() { follower?.forget() }

    /// Moves the gate to where the gate of the instance stood that this one replaces, unless it follows the state.
    func takeGate(of other: Instance) {
        if other.follower == nil { moveGate(to: other.decision.position) }
    }

    /// Moves the gate, unless it follows the state.
    func moveGate(to position: GateState) {
        if follower == nil, decision.position != position { decision.move(to: position) }
    }

    /// Whether actions of a run before are gone through once more, of which the plugin hears nothing.
    var isReplaying = false

    /// Lets its slice stand while actions are gone through once more, because its reducer has ended a process that did.
    ///
    /// - Parameter sequence: the last action that it has reduced.
    func fall(at sequence: UInt64) {
        standing = StandingInstance(Standing(at: sequence), state: nil, stopsActions: false)
    }

    /// Acts on a gate that has moved.
    private func gateChanged(_ position: GateState) { gateChanged(position, endingEffects: nil) }

    /// The same for one that ends its effects in another way.
    private func gateChanged(_ position: GateState, endingEffects end: (() -> Void)?) {
        standing?.interrupt()
        if isReplaying { return }
        progress.during(.gate, of: self) {
            if position == .bypass, onClose == .cancel { end?() ?? endEffects() }
            interceptor?.gateChanged(to: position)
            plugin.gateChanged(to: position)
        }
    }

    /// Tells the plugin of a gate that stands elsewhere, and has moved; called in the drain.
    func tellGate(_ position: GateState) {
        progress.during(.gate, of: self) { plugin.gateChanged(to: position) }
    }

    // MARK: - The plugin

    /// Whether it changes the state.
    var reduces: Bool { reducer != nil }

    /// Called once, before the first action; returns the plugin's answer.
    package func start() -> IO<AnyAction> {
        decision.start(gateState)
        return plugin.start(state: state)
    }

    /// Called once, after the last input; returns what the plugin wants done at the end.
    package func stopping() -> IO<AnyAction> { plugin.stopping(state: state) }

    /// Cancels running effects that are not finishing, because the host takes the instance out of service; called in the drain.
    package func stopEffects() { leaving { plugin.stopEffects() } }

    /// Shows an action to the plugin under its local type, and returns the plugin's answer.
    @inline(__always)
    package func handle(_ action: AnyAction, from dispatcher: ActionSource) -> IO<AnyAction> {
        plugin.handle(action: action, from: dispatcher, state: state)
    }

    /// Applies the plugin's reducer to an action under its local type.
    @inline(__always)
    package func reduce(_ action: AnyAction) -> StateChange { reducer?.apply(action, &slice) ?? .unchanged }

    /// Reduces an action that it has missed, and does nothing else with it; called in the drain.
    ///
    /// - Throws: that its payload cannot be written for the worker that the instance runs in.
    func reduce(_ late: LateAction, in store: HostStore) throws(CodingFailure) {
        if let worker { return try worker.reduce(late) }
        let pass = store.dependencies.pass
        if let time = late.time { pass.came(at: time) }
        store.state.change { pass.progress.during(.reduce, of: self) { _ = reduce(late.action) } }
        pass.end()
    }

    /// Applies the plugin's reducer to an action of the past, which a worker does later; called in the drain.
    ///
    /// - Returns: whether the state has changed, as far as this process knows.
    func reduce(past action: AnyAction, of replayed: ReplayedAction) -> StateChange {
        guard let worker else { return reduce(action) }
        // What was recorded could be written.
        try? worker.reduce(
            LateAction(
                action, under: replayed.action.type, at: replayed.time, as: replayed.sequence))
        return .unchanged
    }

    /// Cancels every running effect, because the host takes the instance out of service; called in the drain.
    package func cancelEffects() { leaving { plugin.cancelEffects() } }

    /// Cancels every running effect, which ends by that, because the gate has closed; called in the drain.
    func endEffects() {
        plugin.cancelEffects()
        log?.endAll()
    }

    /// Cancels effects that have not ended by that.
    private func leaving(_ body: () -> Void) {
        if let log { log.leaving(body) } else { body() }
    }
}

extension EffectRecovery {
    /// What a manifest says of effects that hold a run open.
    fileprivate init(_ answer: InterruptedEffect?) {
        switch answer {
        case nil, .again: self = .again
        case .tell: self = .tell
        case .forget: self = .forget
        }
    }
}

extension GateClosing {
    /// What the configuration says about it.
    fileprivate init(_ onClose: GateConfiguration.OnClose) { self = onClose == .keep ? .keep : .cancel }
}
