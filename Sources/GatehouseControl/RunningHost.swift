// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
package import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// A running host under control.
@EventLoop
final class RunningHost: ControlTarget {
    /// The host's name for operators.
    private let name: String
    /// When the host started.
    private let start = ContinuousClock.now
    /// The host's store.
    nonisolated let store: ControlledStore
    /// Queue, state and current generation.
    private nonisolated var core: HostStore { store.core }
    /// The progress of the run.
    private let progress: RunProgress
    /// Counts reports of problems.
    private nonisolated let reports: Reporter
    /// The accounts of the run's inputs.
    private nonisolated let inputs: InputAccounts
    /// Asks the run to end; nil where that is not possible.
    private let stopping: StopRequest?
    /// Records dispatched actions; nil without a journal.
    nonisolated let journal: HostJournal?
    /// Plans and reloads; nil where there is no configuration to read again.
    private let reloading: (any ControlReloading)?
    /// Looks into the past; nil where nothing is recorded.
    let past: (any ControlPast)?
    /// Returns facts about crashes; nil where none are recorded.
    private let crashes: (@Sendable () -> CrashAccount)?
    /// The number of the last request that dispatched something.
    private var lastRequest: UInt = 0

    /// Creates the control of a host.
    nonisolated init(
        _ host: Host, name: String, at place: StorePlace = .host, reloading: (any ControlReloading)?,
        past: (any ControlPast)?, crashes: (@Sendable () -> CrashAccount)? = nil, patience: Duration
    ) {
        self.crashes = crashes
        self.name = name
        self.reloading = reloading
        self.past = past
        store = ControlledStore(host.store, at: place, patience: patience, printing: host.onAction)
        progress = host.progress
        reports = host.reports
        stopping = host.stop
        journal = host.journal
        inputs = host.inputs
    }

    // MARK: - What clients ask for

    func status() async throws(ControlError) -> ControlStatus {
        var status = try await store.status { [journal] in $0.journal = journal?.status }
        status.name = name
        status.process = Int(getpid())
        status.version = "\(SDKIdentity.current.sdkVersion)"
        status.uptime = start.duration(to: .now)
        status.lines = progress.lines
        status.rejected = progress.rejected
        status.inputs = inputs.statuses(progress)
        status.crashes = crashes?()
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

    /// The refusal where there is no configuration to read again.
    private static let nothingToRead = ControlError.refused(
        "this host was started without a configuration file, so it cannot reload")

    func permit(_ caller: ControlCaller) async throws(ControlError) {
        try await store.inDrain { _ throws(ControlError) in
            if let objection = caller.objection() { throw .refused(objection) }
        }
    }

    func moveGate(
        of id: String, to position: GateState, for caller: ControlCaller
    ) async throws(ControlError) -> GateMove {
        try await moveGate(of: id, to: position, for: caller, besides: [])
    }

    /// Moves a gate; the ids of further instances beside the host's serve as suggestions for a mistyped one.
    func moveGate(
        of id: String, to position: GateState, for caller: ControlCaller, besides others: [String]
    ) async throws(ControlError) -> GateMove {
        let action = AnyAction(position.action, payload: .string(id))
        let source = try await accepted([action], from: nextSource(caller), for: caller)
        return try await store.turn { [core] generation, call in
            if let objection = caller.objection() { return call.finish(.failure(.refused(objection))) }
            guard let instance = generation.instances.first(where: { $0.id == id }) else {
                return call.finish(.failure(Self.unknown(id, generation.instances.map(\.id) + others)))
            }
            if let refusal = instance.gateRefusal { return call.finish(.failure(refusal)) }
            let before = instance.gate
            core.dispatch(action, from: source[0])
            core.queue.enqueueAtRest { call.finish(.success(GateMove(was: before.word))) }
        }
    }

    func release(_ name: String, for caller: ControlCaller) async throws(ControlError) -> Value {
        let source = nextSource(caller)
        return try await store.turn { [core] generation, call in
            do throws(ControlError) {
                let digest = try Self.quarantined(name, in: generation, for: caller)
                let skipping = generation.instances.filter { $0.planned.digest?.hex == digest }
                    .compactMap { instance -> Value? in
                        guard let value = instance.standing?.value, value.missed > 0 else { return nil }
                        var members: Members = ["id": .string(instance.id), "missed": Value(value.missed)]
                        if !instance.slice.isEmpty { members["at"] = .unsigned(value.at) }
                        return .object(members)
                    }
                core.dispatch(AnyAction(HostRequest.releaseType, payload: .string(name)), from: source)
                core.queue.enqueueAtRest {
                    call.finish(.success(["released": .string(digest), "skipped": .array(skipping)]))
                }
            } catch {
                call.finish(.failure(error))
            }
        }
    }

    func release(
        catchingUp name: String, for caller: ControlCaller
    ) async throws(ControlError) -> Value {
        guard let reloading else { throw Self.nothingToRead }
        let digest = try await store.inDrain { generation throws(ControlError) in
            try Self.quarantined(name, in: generation, for: caller)
        }
        return try await reloading.release(catchingUp: digest)
    }

    /// Returns the digest of a quarantined library by name; called in the drain.
    private nonisolated static func quarantined(
        _ name: String, in generation: Generation, for caller: ControlCaller
    ) throws(ControlError) -> String {
        if let objection = caller.objection() { throw .refused(objection) }
        if let digest = generation.quarantined(name) { return digest }
        let known = generation.instances.filter { $0.planned.quarantine != nil }.map(\.id)
        throw .parameter(
            at: JSONPointer(tokens: ["params", "name"]),
            expected: "an instance, a plugin or a digest in quarantine", found: Quotation.of(name),
            advice: known.isEmpty
                ? "none is in quarantine" : "in quarantine are \(known.joined(separator: ", "))")
    }

    func dispatch(_ actions: [AnyAction], for caller: ControlCaller) async throws(ControlError) -> Dispatched
    {
        let sources = try await accepted(actions, from: nextSource(caller), for: caller)
        return try await store.turn { [core, reports] _, call in
            if let objection = caller.objection() { return call.finish(.failure(.refused(objection))) }
            let before = reports.badDataCount
            for (action, source) in zip(actions, sources) {
                core.dispatch(action, from: source)
            }
            core.queue.enqueueAtRest {
                call.finish(.success(Dispatched(reported: reports.badDataCount - before)))
            }
        }
    }

    /// Returns the sources of a client's actions, once a strict journal has committed them.
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
        return try await store.turn { [core, letters] _, call in
            if let objection = caller.objection() { return call.finish(.failure(.refused(objection))) }
            let first = letters.next
            core.dispatch(action, from: source)
            core.queue.enqueueAtRest {
                let again = letters.list(from: first).first {
                    $0.isAgain(letter, as: action.type.name, from: source)
                }
                letters.remove(letter.id)
                call.finish(.success(again.map { .dead($0) } ?? .processed))
            }
        }
    }

    func state(at pointer: JSONPointer) async throws(ControlError) -> Value? {
        try await store.state(at: pointer)
    }

    func watch(_ subscription: WatchSubscription) async throws(ControlError) {
        try await store.watch(subscription)
    }

    func unwatch(_ subscription: WatchSubscription) { store.unwatch(subscription) }

    nonisolated var cluster: (any ControlCluster)? { nil }

    func stop() throws(ControlError) {
        guard let stopping else { throw .refused("this host ends with the program that it is part of") }
        stopping.ask(.control)
    }

    /// Returns the source for the actions of the next request.
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
}

extension GateState {
    /// The type of the action that moves a gate to this position.
    package var action: ActionType { self == .active ? HostActions.openGate : HostActions.closeGate }
}

extension Instance {
    /// Why the gate cannot be moved by hand; nil when it can.
    var gateRefusal: ControlError? {
        guard let pointer = statePointer else { return nil }
        return .refused(
            "the gate of \(id) follows the state at \(pointer); change it with \(HostActions.mergeState)")
    }
}
