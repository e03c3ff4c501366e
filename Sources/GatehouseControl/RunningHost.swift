// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
package import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// A running host under control.
///
/// The methods are called on the event loop and never block it: work that needs a turn in the drain is left there.
@EventLoop
class RunningHost {
    /// The host's name for operators.
    private let name: String
    /// When the host started.
    private let start = ContinuousClock.now
    /// The host's store.
    nonisolated let store: ControlledStore
    /// The queue and the state.
    nonisolated var core: HostStore { store.core }
    /// The progress of the run.
    private let progress: RunProgress
    /// Counts reports of problems.
    private nonisolated let reports: Reporter
    /// The accounts of the run's inputs.
    private nonisolated let inputs: InputAccounts
    /// Asks the run to end; nil where that is not possible.
    private let stopping: StopRequest?
    /// Records dispatched actions; nil without a journal.
    private nonisolated let journal: HostJournal?
    /// Plans and reloads; nil where there is no configuration to read again.
    private let reloading: (any ControlReloading)?
    /// Lets another process go on; nil where none can.
    private let upgrading: (any ControlUpgrading)?
    /// Looks into the past; nil where nothing is recorded.
    private let past: (any ControlPast)?
    /// Returns facts about crashes; nil where none are recorded.
    private let crashes: (@Sendable () -> CrashAccount)?
    /// The number of the last request that dispatched something.
    private var lastRequest: UInt = 0

    /// Creates the control of a host.
    ///
    /// - Parameter patience: how long a request waits for its turn in the drain.
    nonisolated init(
        _ host: Host, name: String, at place: StorePlace = .host, reloading: (any ControlReloading)?,
        upgrading: (any ControlUpgrading)? = nil, past: (any ControlPast)?,
        crashes: (@Sendable () -> CrashAccount)? = nil, patience: Duration
    ) {
        self.name = name
        self.reloading = reloading
        self.upgrading = upgrading
        self.past = past
        self.crashes = crashes
        store = ControlledStore(
            host.store, at: place, patience: patience, printing: host.onAction, reports: host.reports)
        progress = host.progress
        reports = host.reports
        stopping = host.stop
        journal = host.journal
        inputs = host.inputs
    }

    /// The host's cluster; nil for none.
    nonisolated var cluster: (any ControlCluster)? { nil }

    // MARK: - What there is

    /// Returns the host's current status.
    func status() async throws(ControlError) -> ControlStatus {
        var status = ControlStatus()
        status.store = try await store.status { [journal] in $0.journal = journal?.status }
        status.name = name
        status.process = Int(getpid())
        status.version = "\(SDKIdentity.current.sdkVersion)"
        status.uptime = start.duration(to: .now)
        status.lines = progress.lines
        status.rejected = progress.rejected
        status.inputs = inputs.statuses(progress)
        status.crashes = crashes?()
        status.spans = CurrentTrace.counts
        return status
    }

    /// Returns the instances that run, in chain order, and the number of their generation.
    func planned() async throws(ControlError) -> RunningPlan {
        try await store.inDrain { turn throws(ControlError) in RunningPlan(turn) }
    }

    /// Returns the effects of some instances, or of all, that actions have started and that have not ended, in order of beginning.
    func effects(of chosen: [String]?) async throws(ControlError) -> [JournalEffect] {
        try await store.inDrain { turn throws(ControlError) in Self.effects(of: chosen, in: turn) }
    }

    /// The same of one store; called in the drain.
    nonisolated static func effects(of chosen: [String]?, in turn: Turn) -> [JournalEffect] {
        let instances = turn.instances.filter { chosen?.contains($0.id) ?? true }
        return instances.flatMap(\.effectsUnderWay).sorted { $0.number < $1.number }
    }

    /// The number of pauses of some instances, or of all of a plan, that `endPauses` would end.
    nonisolated func pauses(of instances: [String]) -> Int {
        core.dependencies.pauses.map { pauses in instances.reduce(0) { $0 + pauses.count(of: $1) } } ?? 0
    }

    /// Ends the pauses of an instance, as if their time had come; returns how many.
    func endPauses(of id: String, for caller: ControlCaller) async throws(ControlError) -> Int {
        try await permit(caller)
        return try await store.inDrain { [core] turn throws(ControlError) in
            guard let instance = turn.instances.first(where: { $0.id == id }) else {
                throw .unknownInstance(id, as: "id", among: turn.instances.map(\.id))
            }
            guard let pauses = core.dependencies.pauses, instance.worker == nil else {
                throw .refused(
                    "the instance \(id) runs in a worker, where no pause can be ended; wait for its end")
            }
            return pauses.end(of: id)
        }
    }

    /// Returns the counters of the host at this moment; a turn in the drain that reads them, and no more.
    func sample() async throws(ControlError) -> HourSample {
        var sample = try await store.inDrain { [core] turn throws(ControlError) in HourSample(core, in: turn)
        }
        sample.memory = await BackgroundThread.value { ProcessUse(of: getpid())?.memory }
        return sample
    }

    /// Returns the state at a place.
    func state(at pointer: JSONPointer) async throws(ControlError) -> StateAnswer {
        try await store.state(at: pointer)
    }

    /// Starts writing the actions and changes that a filter selects.
    func watch(_ subscription: WatchSubscription) async throws(ControlError) {
        try await store.watch(subscription)
    }

    /// Ends the watch; nothing more is written once it returns, unless the drain is busy.
    func unwatch(_ subscription: WatchSubscription) { store.unwatch(subscription) }

    /// The dead letters.
    nonisolated var letters: DeadLetters { core.dependencies.letters }

    // MARK: - The past

    /// Returns the past once everything that watchers have seen, and that nothing follows from any more, is written.
    ///
    /// It takes no turn in the drain.
    func journalled() async throws(ControlError) -> any ControlPast {
        guard let past, let journal else { throw .refused(reasonForNoPast) }
        let written = PendingAnswer<JournalFailure?>()
        // On a thread that may block: the writer may lag.
        BackgroundThread.perform { journal.recorder.handOver { written.finish($0) } }
        if let failure = await written.value() { throw .refused("\(failure)") }
        return past
    }

    /// Why the host has no past, and what to do.
    var reasonForNoPast: String {
        "this host keeps no journal, so it has no history; add \"journal\" to its configuration"
    }

    // MARK: - The plan

    /// Plans and reloads.
    func reloader() throws(ControlError) -> any ControlReloading {
        guard let reloading else {
            throw .refused("this host was started without a configuration file, so it cannot reload")
        }
        return reloading
    }

    /// How the shadows are doing; empty where there are none.
    var shadows: [ShadowStatus] { reloading?.shadows ?? [] }

    /// The same when they have heard what was recorded before this is asked, or after a while.
    func shadowsUpToDate() async throws(ControlError) -> [ShadowStatus] {
        guard let journal, try !reloader().shadows.isEmpty else { return [] }
        _ = try await journalled()
        return try await reloader().shadows(after: journal.status.recorded)
    }

    /// Lets another process go on.
    func upgrader() throws(ControlError) -> any ControlUpgrading {
        guard let upgrading else {
            throw .refused("this host is part of another program, which can only start it again")
        }
        return upgrading
    }

    /// Releases a library from quarantine by name; returns its digest, and the actions its instances skip.
    func release(_ name: String, for caller: ControlCaller) async throws(ControlError) -> Value {
        let source = nextSource(caller)
        return try await store.turn(for: caller) { [core] turn throws(ControlError) in
            let digest = try Self.quarantined(name, in: turn)
            let skipping = turn.instances.filter { $0.planned.digest?.hex == digest }
                .compactMap { instance -> Value? in
                    guard let value = instance.standing?.value, value.missed > 0 else { return nil }
                    var members: Members = ["id": .string(instance.id), "missed": Value(value.missed)]
                    if !instance.slice.isEmpty { members["at"] = .unsigned(value.at) }
                    return .object(members)
                }
            core.dispatch(AnyAction(HostRequest.releaseType, payload: .string(name)), from: source)
            return { ["released": .string(digest), "skipped": .array(skipping)] }
        }
    }

    /// Releases a library after its instances have reduced what they missed; returns the changes.
    func release(
        catchingUp name: String, for caller: ControlCaller
    ) async throws(ControlError) -> Value {
        let reloader = try reloader()
        let digest = try await store.inDrain { turn throws(ControlError) in
            if let objection = caller.objection() { throw .refused(objection) }
            return try Self.quarantined(name, in: turn)
        }
        return try await reloader.release(catchingUp: digest)
    }

    /// Returns the digest of a quarantined library by name; called in the drain.
    private nonisolated static func quarantined(
        _ name: String, in turn: Turn
    ) throws(ControlError) -> String {
        if let digest = turn.quarantined(name) { return digest }
        let known = turn.instances.filter { $0.planned.quarantine != nil }.map(\.id)
        throw .parameter(
            "name", expected: "an instance, a plugin or a digest in quarantine", found: Quotation.of(name),
            advice: known.isEmpty
                ? "none is in quarantine" : "in quarantine are \(known.joined(separator: ", "))")
    }

    // MARK: - Actions

    /// Refuses callers that may change nothing at this moment.
    func permit(_ caller: ControlCaller) async throws(ControlError) {
        try await store.inDrain { _ throws(ControlError) in
            if let objection = caller.objection() { throw .refused(objection) }
        }
    }

    /// Opens or closes the gate of an instance.
    func moveGate(
        of id: String, to position: GateState, for caller: ControlCaller
    ) async throws(ControlError) -> GateMove {
        let action = AnyAction(position.action, payload: .string(id))
        let accepted = try await accepted([action], for: caller)
        let others = cluster?.instances.map(\.id) ?? []
        return try await turn(for: caller, with: accepted) { [core] turn throws(ControlError) in
            guard let instance = turn.instances.first(where: { $0.id == id }) else {
                throw .unknownInstance(id, as: "id", among: turn.instances.map(\.id) + others)
            }
            try instance.permitGateMove()
            let before = instance.gate
            for source in accepted.take() { core.dispatch(action, from: source) }
            return { GateMove(was: before.word) }
        }
    }

    /// Processes actions one after the other, with their immediate consequences; a member of a cluster appends those that belong to
    /// partitions to the cluster.
    func dispatch(_ actions: [AnyAction], for caller: ControlCaller) async throws(ControlError) -> Dispatched
    {
        let accepted = try await accepted(actions, for: caller)
        return try await turn(for: caller, with: accepted) { [core, reports] _ in
            let before = reports.badDataCount
            for (action, source) in zip(actions, accepted.take()) { core.dispatch(action, from: source) }
            return { Dispatched(reported: reports.badDataCount - before) }
        }
    }

    /// Processes the action of a dead letter with its immediate consequences; afterwards the letter is gone or another one has
    /// replaced it.
    func redispatch(
        _ action: AnyAction, of letter: DeadLetter, for caller: ControlCaller
    ) async throws(ControlError) -> Redispatch {
        let accepted = try await accepted([action], for: caller)
        return try await turn(for: caller, with: accepted) { [core, letters] _ in
            let first = letters.next
            let source = accepted.take()[0]
            core.dispatch(action, from: source)
            return {
                let again = letters.list(from: first).first {
                    $0.isAgain(letter, as: action.type.name, from: source)
                }
                letters.remove(letter.id)
                return again.map { .dead($0) } ?? .processed
            }
        }
    }

    /// Does what a caller asks for with accepted actions, which are over where that is refused.
    private func turn<Success: Sendable>(
        for caller: ControlCaller, with accepted: AcceptedActions,
        _ body: @escaping @Sendable (Turn) throws(ControlError) -> @Sendable () -> Success
    ) async throws(ControlError) -> Success {
        do throws(ControlError) {
            return try await store.turn(for: caller, body)
        } catch {
            let withdrawal = Task { await accepted.withdraw(from: core) }
            // While the host stands still, it is decided soon who does what the journal has accepted.
            let isDecidedSoon = error == .handedOver || journal?.isStandingStill == true
            if isDecidedSoon, await withdrawal.value { throw .takenAlong }
            throw error
        }
    }

    /// Returns a client's actions, once a strict journal has committed them.
    private func accepted(
        _ actions: [AnyAction], for caller: ControlCaller
    ) async throws(ControlError) -> AcceptedActions {
        let source = nextSource(caller)
        guard let journal, journal.isStrict else {
            return AcceptedActions(actions.map { _ in source }, in: nil)
        }
        while true {
            // While the host stands still, this waits until it is decided which process goes on.
            try await permit(caller)
            do throws(JournalFailure) {
                if let sources = try await journal.commit(actions, from: source) {
                    return AcceptedActions(sources, in: journal)
                }
            } catch {
                throw .refused("\(error)")
            }
        }
    }

    /// Returns the source for the actions of the next request.
    private func nextSource(_ caller: ControlCaller) -> ActionSource {
        lastRequest += 1
        return ActionSource(file: "control", function: "", line: lastRequest, info: caller.instance)
    }

    /// Stops the run in good order.
    func stop() throws(ControlError) {
        guard let stopping else { throw .refused("this host ends with the program that it is part of") }
        stopping.ask(.control)
    }
}

/// The instances of a store as they were planned.
struct RunningPlan: Sendable {
    /// The number of the generation.
    let generation: Int
    /// The instances, in chain order.
    var instances: [PlannedInstance]

    /// Reads the plan of a store; called in the drain.
    init(_ turn: Turn) {
        generation = turn.number
        instances = turn.instances.map(\.planned)
    }
}

/// The outcome of a request to move a gate.
struct GateMove: Sendable {
    /// The position before, in the words of `status`; nil where unknown here.
    let was: String?
    /// In how many partitions the gate moves, each at its turn; nil if it has moved already, being in none.
    var partitions: Int?
}

/// The outcome of a dispatch.
struct Dispatched: Sendable {
    /// Reports about bad data during processing here.
    var reported = 0
    /// Actions appended to the cluster for its partitions; nil without a cluster.
    var appended: Int?
}

extension GateState {
    /// The type of the action that moves a gate to this position.
    package var action: ActionType { self == .active ? HostActions.openGate : HostActions.closeGate }
}

extension Instance {
    /// Refuses to move a gate by hand that follows the state.
    func permitGateMove() throws(ControlError) {
        guard let pointer = statePointer else { return }
        throw .refused(
            "the gate of \(id) follows the state at \(pointer); change it with \(HostActions.mergeState)")
    }
}
