// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK
private import Glibc
private import Synchronization

/// A host as those see it who control it.
///
/// Everything it asks of the drain is left there by a thread that may wait, and answered on the event loop; the loop itself
/// never drains.
@EventLoop
final class RunningHost: ControlTarget {
    /// What operators call the host.
    private let name: String
    /// Since when it is there.
    private let start = ContinuousClock.now
    /// How long a request waits for its turn in the drain.
    private let patience: Duration
    /// Queue, state and the generation that runs.
    private nonisolated let core: HostCore
    /// Told about each action, for printing.
    private nonisolated let printing: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
    /// Whom to tell what; used in the drain.
    private nonisolated let desk = WatchDesk()
    /// Whether a change of the state is on its way to those who watch; touched in the drain.
    private nonisolated let isChangeNoticed = Atomic(false)
    /// How far the run is.
    private let progress: RunProgress
    /// Counts what goes wrong.
    private nonisolated let reports: ReportDesk
    /// The accounts of the inputs that the run reads.
    private nonisolated let inputs: InputAccounts
    /// Asks the run to end; nil where nobody may.
    private let stopping: StopRequest?
    /// Keeps what is dispatched; nil where nothing does.
    private nonisolated let journal: HostJournal?
    /// Plans and reloads; nil where there is nothing to read again.
    private let reloading: (any ControlReloading)?
    /// Looks back; nil where nothing is kept.
    private let past: (any ControlPast)?
    /// The number of the last request that dispatched something.
    private var lastRequest: UInt = 0
    /// When the state was told last.
    private var lastTold = ContinuousClock.now - shortestPause

    /// Changes of the state are told no faster.
    private nonisolated static let shortestPause = Duration.milliseconds(50)

    /// The control of a host.
    nonisolated init(
        _ host: Host, name: String, reloading: (any ControlReloading)?, past: (any ControlPast)?,
        patience: Duration
    ) {
        self.name = name
        self.reloading = reloading
        self.past = past
        self.patience = patience
        core = host.core
        printing = host.onAction
        progress = host.progress
        reports = host.reports
        stopping = host.stop
        journal = host.journal
        inputs = host.inputs
    }

    /// Lets the host tell what somebody wants to hear, and nothing else; called in the drain.
    private nonisolated func connect() {
        var hooks = RunHooks(onAction: printing)
        if desk.hearsActions {
            hooks.onAction = { [desk, printing, recorder = core.recorder] in
                printing?($0)
                // It is counted when those who are told of it have been.
                desk.take($0, sequence: recorder.map { $0.sequence + 1 })
            }
        }
        if desk.hearsState { hooks.onChange = { [weak self] in self?.noticeChange() } }
        core.hooks = hooks
    }

    // MARK: - Turns in the drain

    /// Lets a closure have its turn in the drain, and waits until it ends the call, but not for ever.
    private func turn<Success: Sendable>(
        _ body: @escaping @Sendable (Generation, PendingAnswer<Result<Success, ControlError>>) -> Void
    ) async throws(ControlError) -> Success {
        let call = PendingAnswer<Result<Success, ControlError>>()
        let timer = LoopTimer(after: patience) { [self] in
            call.finish { .failure(busy(hasBegun: $0)) }
        }
        // By a thread that may wait: it comes to drain when nobody else does. The threads of tasks are the plugins' too.
        BackgroundThread.perform { [self] in
            core.queue.enqueue { [self] in
                if call.begin() { body(core.generation, call) }
            }
        }
        let result = await call.value()
        timer.cancel()
        return try result.get()
    }

    /// The same for a closure that needs no more than its turn.
    private func inDrain<Success: Sendable>(
        _ body: @escaping @Sendable (Generation) throws(ControlError) -> Success
    ) async throws(ControlError) -> Success {
        try await turn { (generation, call: PendingAnswer<Result<Success, ControlError>>) in
            call.finish(Result { () throws(ControlError) in try body(generation) })
        }
    }

    /// Why a request had to be given up.
    private func busy(hasBegun: Bool) -> ControlError {
        .busy(
            "\(DrainBusy(instance: core.busyInstance, limit: patience)); "
                + (hasBegun ? "what was asked for has begun and goes on" : "nothing was done, ask again"))
    }

    // MARK: - What clients ask for

    func status() async throws(ControlError) -> ControlStatus {
        var status = try await inDrain { [core, journal] generation throws(ControlError) in
            var status = ControlStatus()
            status.journal = journal?.status
            status.generation = generation.number
            status.lastReload = core.lastReload
            status.actions = generation.progress.actions
            status.waiting = core.queue.waiting
            status.effects = core.queue.activity.running
            status.cutOutputs = core.queue.cuts.dropped
            status.lateOutputs = core.lateOutputs
            status.deadLetters = core.dependencies.letters.counts.kept
            status.instances = generation.instances.map(InstanceStatus.init)
            status.images = core.images
            return status
        }
        status.name = name
        status.process = Int(getpid())
        status.version = "\(SDKIdentity.current.sdkVersion)"
        status.uptime = start.duration(to: .now)
        status.lines = progress.lines
        status.rejected = progress.rejected
        status.inputs = inputs.statuses(progress)
        return status
    }

    func plan() async throws(ControlError) -> Value {
        guard let reloading else { throw Self.nothingToRead }
        return try await reloading.plan()
    }

    func reload(
        expecting generation: Int?, trying trial: HistoryTrial?
    ) async throws(ControlError) -> Value {
        guard let reloading else { throw Self.nothingToRead }
        return try await reloading.reload(expecting: generation, trying: trial)
    }

    /// The refusal where there is nothing to read again.
    private static let nothingToRead = ControlError.refused(
        "this host was started without a configuration that it could read again")

    func permit(_ caller: ControlCaller) async throws(ControlError) {
        try await inDrain { _ throws(ControlError) in
            if let objection = caller.objection() { throw .refused(objection) }
        }
    }

    func moveGate(
        of id: String, to position: GateState, for caller: ControlCaller
    ) async throws(ControlError) -> GateState {
        let type = position == .active ? HostActions.openGate : HostActions.closeGate
        let action = AnyAction(type, payload: .string(id))
        let source = try await accepted([action], from: nextSource(caller), for: caller)
        return try await turn { [core] generation, call in
            if let objection = caller.objection() { return call.finish(.failure(.refused(objection))) }
            guard let instance = generation.instances.first(where: { $0.id == id }) else {
                return call.finish(.failure(Self.unknown(id, generation.instances.map(\.id))))
            }
            if position == .active, let reason = instance.planned.lockedGate {
                return call.finish(.failure(.refused(reason)))
            }
            if let pointer = instance.statePointer {
                return call.finish(
                    .failure(
                        .refused(
                            "the gate of \(id) follows the state at \(pointer); change it with \(HostActions.mergeState)"
                        )))
            }
            let before = instance.gate
            core.queue.dispatch(DispatchedAction(action, dispatcher: source[0]))
            core.queue.enqueueAtRest { call.finish(.success(before)) }
        }
    }

    func release(_ name: String, for caller: ControlCaller) async throws(ControlError) -> String {
        let source = nextSource(caller)
        return try await turn { [core] generation, call in
            if let objection = caller.objection() { return call.finish(.failure(.refused(objection))) }
            guard let digest = generation.quarantined(name) else {
                let known = generation.instances.filter { $0.planned.quarantine != nil }.map(\.id)
                return call.finish(
                    .failure(
                        .parameter(
                            at: JSONPointer(tokens: ["params", "name"]),
                            expected: "an instance, a plugin or a digest in quarantine",
                            found: Quotation.of(name),
                            advice: known.isEmpty
                                ? "none is in quarantine"
                                : "in quarantine are \(known.joined(separator: ", "))"
                        )))
            }
            core.queue.dispatch(
                DispatchedAction(
                    AnyAction(HostRequest.releaseType, payload: .string(name)), dispatcher: source))
            core.queue.enqueueAtRest { call.finish(.success(digest)) }
        }
    }

    func dispatch(_ actions: [AnyAction], for caller: ControlCaller) async throws(ControlError) -> Int {
        let sources = try await accepted(actions, from: nextSource(caller), for: caller)
        return try await turn { [core, reports] _, call in
            if let objection = caller.objection() { return call.finish(.failure(.refused(objection))) }
            let before = reports.badDataCount
            for (action, source) in zip(actions, sources) {
                core.queue.dispatch(DispatchedAction(action, dispatcher: source))
            }
            core.queue.enqueueAtRest { call.finish(.success(reports.badDataCount - before)) }
        }
    }

    /// What actions of a client have as their sources, once a strict journal has committed them.
    private func accepted(
        _ actions: [AnyAction], from source: ActionSource, for caller: ControlCaller
    ) async throws(ControlError) -> [ActionSource] {
        guard let journal, journal.isStrict else { return actions.map { _ in source } }
        try await permit(caller)
        do {
            return try await journal.commit(actions, from: source)
        } catch {
            throw .refused("\(error)")
        }
    }

    nonisolated var letters: DeadLetters { core.dependencies.letters }

    func redispatch(
        _ action: AnyAction, of letter: DeadLetter, for caller: ControlCaller
    ) async throws(ControlError) -> Redispatch {
        let source = try await accepted([action], from: nextSource(caller), for: caller)[0]
        return try await turn { [core, letters] _, call in
            if let objection = caller.objection() { return call.finish(.failure(.refused(objection))) }
            let first = letters.next
            core.queue.dispatch(DispatchedAction(action, dispatcher: source))
            core.queue.enqueueAtRest {
                let again = letters.list(from: first).first { $0.isAgain(letter, from: source) }
                letters.remove(letter.id)
                call.finish(.success(again.map { .dead($0) } ?? .processed))
            }
        }
    }

    func state(at pointer: JSONPointer) async throws(ControlError) -> Value? {
        try await inDrain { generation throws(ControlError) in
            do {
                return try generation.state.state.value(at: pointer)
            } catch {
                throw .refused("the state cannot be written as JSON: \(error)")
            }
        }
    }

    func history(_ query: HistoryQuery) async throws(ControlError) -> Value {
        try await journalled().history(query)
    }

    func state(_ query: PastStateQuery) async throws(ControlError) -> Value {
        try await journalled().state(query)
    }

    /// Who looks back, once everything is written down that watchers have been told, and that nothing follows from any more.
    private func journalled() async throws(ControlError) -> any ControlPast {
        guard let past, let journal else {
            throw .refused(
                "this host keeps no journal, so it knows no past; add \"journal\" to its configuration")
        }
        let written = PendingAnswer<JournalFailure?>()
        // By a thread that may wait: the writer may be behind.
        BackgroundThread.perform { journal.recorder.handOver { written.finish($0) } }
        if let failure = await written.value() { throw .refused("\(failure)") }
        return past
    }

    func watch(_ subscription: WatchSubscription) async throws(ControlError) {
        try await inDrain { [self] generation throws(ControlError) in
            desk.add(subscription)
            connect()
            desk.tellState(generation.state.state)
        }
    }

    func unwatch(_ subscription: WatchSubscription) {
        BackgroundThread.perform { [self] in
            core.queue.enqueue { [self] in
                desk.remove(subscription)
                connect()
            }
        }
    }

    func stop() throws(ControlError) {
        guard let stopping else { throw .refused("this host ends when the program does that it is part of") }
        stopping.ask(.control)
    }

    /// What actions of the next request have as their source.
    private func nextSource(_ caller: ControlCaller) -> ActionSource {
        lastRequest += 1
        return ActionSource(file: "control", function: "", line: lastRequest, info: caller.instance)
    }

    /// The refusal of an id that no instance has.
    private nonisolated static func unknown(_ id: String, _ known: [String]) -> ControlError {
        .parameter(
            at: JSONPointer(tokens: ["params", "id"]), expected: "the id of an instance",
            found: Quotation.of(id),
            advice: NearMiss.suggestion(for: id, among: known).map { "did you mean \(Quotation.of($0))?" }
                ?? (known.isEmpty ? "there are none" : "the instances are \(known.joined(separator: ", "))"))
    }

    // MARK: - Changes of the state

    /// Takes note of a change, unless the one before has not been told; called in the drain.
    private nonisolated func noticeChange() {
        guard !isChangeNoticed.exchange(true, ordering: .relaxed) else { return }
        EventLoop.perform { [self] in
            let left = ContinuousClock.now.duration(to: lastTold + Self.shortestPause)
            if left > .zero { _ = LoopTimer(after: left) { self.tellChange() } } else { tellChange() }
        }
    }

    /// Tells those who watch the state what it is now.
    private func tellChange() {
        lastTold = .now
        BackgroundThread.perform { [self] in
            core.queue.enqueue { [self] in
                isChangeNoticed.store(false, ordering: .relaxed)
                desk.tellState(core.state.state)
            }
        }
    }
}
