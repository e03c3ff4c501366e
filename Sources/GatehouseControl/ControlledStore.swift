// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// One store under control: turns in its drain, its counts, and its watchers.
///
/// Every request to the drain is left there by a thread that may block, and answered on the event loop; the loop itself
/// never drains.
@EventLoop
final class ControlledStore {
    /// Queue and state; outlives the store where requests come too late.
    nonisolated let core: HostStore
    /// Which of the process's stores this is.
    private nonisolated let place: StorePlace
    /// How long a request waits for its turn in the drain.
    nonisolated let patience: Duration
    /// Called with each action, for printing.
    private nonisolated let printing: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
    /// The watchers; used in the drain.
    private nonisolated let watchService: WatchService
    /// Those among them who hear what comes to nothing.
    private nonisolated let turnedAway: TurnedAwayWatchers
    /// Tells what is refused; nil where another store's control listens.
    private nonisolated let reports: Reporter?
    /// Whether actions have numbers that others know them by.
    private nonisolated let isNumbered: Bool
    /// Whether a change of the state is on its way to watchers; touched in the drain.
    private nonisolated let isChangeNoticed = Atomic(false)
    /// The store's final counts once its partition has gone; nil before.
    var counted: HostCounts?
    /// When the state was last reported.
    private var lastTold = ContinuousClock.now - shortestPause

    /// The shortest interval between reports of the state.
    private nonisolated static let shortestPause = Duration.milliseconds(50)

    /// Creates the control of a store.
    ///
    /// - Parameters:
    ///   - place: which of a member's stores it is.
    ///   - reports: tells what is refused; nil where another store's control listens.
    nonisolated init(
        _ core: HostStore, at place: StorePlace, patience: Duration,
        printing: (@Sendable (DispatchedAction<AnyAction>) -> Void)?, reports: Reporter? = nil
    ) {
        self.core = core
        self.place = place
        self.patience = patience
        self.printing = printing
        self.reports = reports
        watchService = WatchService(place)
        turnedAway = TurnedAwayWatchers(place)
        isNumbered = place == .host
    }

    // MARK: - Turns in the drain

    /// Gives a closure a turn in the drain, and waits for its answer up to `patience`; refused in a store that has ended or was handed over.
    private func turn<Success: Sendable>(
        _ body: @escaping @Sendable (Turn, PendingAnswer<Result<Success, ControlError>>) -> Void
    ) async throws(ControlError) -> Success {
        try await turnOrEnd { [core, place] turn, call in
            guard let turn else {
                return call.finish(.failure(core.isHandedOver ? .handedOver : place.ended))
            }
            body(turn, call)
        }
    }

    /// Gives a closure a turn; passes nil in a store that has ended.
    private func turnOrEnd<Success: Sendable>(
        _ body: @escaping @Sendable (Turn?, PendingAnswer<Result<Success, ControlError>>) -> Void
    ) async throws(ControlError) -> Success {
        let call = PendingAnswer<Result<Success, ControlError>>()
        let timer = LoopTimer(after: patience) { [self] in
            call.finish { .failure(busy(hasBegun: $0)) }
        }
        // On a thread that may block: it drains when nobody else does. Plugins use the task threads too.
        BackgroundThread.perform { [self] in
            core.queue.enqueue { [self] in
                if call.begin() { body(core.turn, call) }
            }
        }
        let result = await call.value()
        timer.cancel()
        return try result.get()
    }

    /// Does what a caller asks for, and answers once all that immediately follows from it is processed.
    ///
    /// - Parameter body: called in the drain, as is what it returns, which makes the answer.
    func turn<Success: Sendable>(
        for caller: ControlCaller,
        _ body: @escaping @Sendable (Turn) throws(ControlError) -> @Sendable () -> Success
    ) async throws(ControlError) -> Success {
        try await turn { [core] (turn, call: PendingAnswer<Result<Success, ControlError>>) in
            do throws(ControlError) {
                if let objection = caller.objection() { throw .refused(objection) }
                let answer = try body(turn)
                core.queue.enqueueAtRest { call.finish(.success(answer())) }
            } catch {
                call.finish(.failure(error))
            }
        }
    }

    /// Gives a turn to a closure that needs no more than that.
    func inDrain<Success: Sendable>(
        _ body: @escaping @Sendable (Turn) throws(ControlError) -> Success
    ) async throws(ControlError) -> Success {
        try await turn { (turn, call: PendingAnswer<Result<Success, ControlError>>) in
            call.finish(Result { () throws(ControlError) in try body(turn) })
        }
    }

    /// Returns the failure of a request that timed out.
    nonisolated func busy(hasBegun: Bool) -> ControlError {
        .busy(
            "\(DrainBusy(instance: core.busyInstance, limit: patience)); "
                + (hasBegun ? "the request has begun and continues" : "nothing was done, ask again"))
    }

    // MARK: - What there is

    /// Returns the store's status.
    ///
    /// - Parameter more: adds further facts of the same moment; called in the drain.
    func status(
        _ more: @escaping @Sendable (inout StoreStatus) -> Void = { _ in }
    ) async throws(ControlError) -> StoreStatus {
        try await inDrain { [self] turn throws(ControlError) in
            var status = status(in: turn)
            more(&status)
            return status
        }
    }

    /// Returns the store's status; called in the drain.
    nonisolated func status(in turn: Turn) -> StoreStatus {
        let letters = core.dependencies.letters.counts
        return StoreStatus(
            generation: turn.number, actions: turn.actions, waiting: core.queue.waiting,
            effects: core.queue.activity.running, cutOutputs: core.queue.cuts.dropped,
            lateOutputs: core.past.lateOutputs, deadLetters: letters.kept,
            forgottenLetters: letters.forgotten,
            instances: turn.instances.map(InstanceStatus.init), images: core.configuration.images,
            limits: core.dependencies.limits,
            lastReload: core.configuration.lastReload,
            degraded: core.configuration.degraded)
    }

    /// Returns the state at a place.
    func state(at pointer: JSONPointer) async throws(ControlError) -> StateAnswer {
        try await inDrain { turn throws(ControlError) in try StateAnswer(in: turn, at: pointer) }
    }

    /// Returns the state at a place, nil when there is nothing; called in the drain.
    nonisolated static func state(
        in turn: Turn, at pointer: JSONPointer
    ) throws(ControlError) -> Value? {
        do {
            return try turn.state.value(at: pointer)
        } catch {
            throw .refused("the state cannot be written as JSON: \(error)")
        }
    }

    // MARK: - Watching

    /// Starts a watch; a store that has ended has nothing to report.
    func watch(_ subscription: WatchSubscription) async throws(ControlError) {
        try await turnOrEnd { [self] turn, call in
            if let turn {
                watchService.add(subscription)
                turnedAway.add(subscription)
                connect()
                watchService.tellState(turn.state)
            }
            call.finish(.success(()))
        }
    }

    /// Ends a watch; nothing more is written once it returns, unless the drain is busy.
    func unwatch(_ subscription: WatchSubscription) {
        BackgroundThread.perform { [self] in
            core.queue.enqueue { [self] in
                watchService.remove(subscription)
                turnedAway.remove(subscription)
                connect()
            }
        }
    }

    /// Installs the hooks that watchers need, and no others; called in the drain.
    private nonisolated func connect() {
        var hooks = RunHooks(onAction: printing)
        if watchService.hearsActions {
            hooks.onAction = { [watchService, printing, recorder = isNumbered ? core.recorder : nil] in
                printing?($0)
                // The recorder counts the action after its watchers have it.
                watchService.take($0, sequence: recorder.map { $0.sequence + 1 })
            }
        }
        if watchService.hearsState { hooks.onChange = { [weak self] in self?.noticeChange() } }
        let isFollowed = turnedAway.areAny
        if isFollowed { hooks.onStop = { [turnedAway] in turnedAway.tell($0) } }
        core.hooks = hooks
        guard isFollowed else {
            reports?.tell(nil)
            return
        }
        reports?.tell { [turnedAway] report in
            if let news = TurnedAwayAction(report) { turnedAway.tell(news) }
        }
    }

    /// Schedules a report of a change, unless one is pending; called in the drain.
    private nonisolated func noticeChange() {
        guard !isChangeNoticed.exchange(true, ordering: .relaxed) else { return }
        EventLoop.perform { [self] in
            let left = ContinuousClock.now.duration(to: lastTold + Self.shortestPause)
            if left > .zero { _ = LoopTimer(after: left) { self.tellChange() } } else { tellChange() }
        }
    }

    /// Reports the current state to those watching it.
    private func tellChange() {
        lastTold = .now
        BackgroundThread.perform { [self] in
            core.queue.enqueue { [self] in
                isChangeNoticed.store(false, ordering: .relaxed)
                // Watchers of a store that has ended have been notified.
                if let turn = core.turn { watchService.tellState(turn.state) }
            }
        }
    }
}

/// Identifies one of the stores of a process.
enum StorePlace: Equatable {
    /// The only store.
    case host
    /// The store of a cluster member itself, beside those of its partitions.
    case gateway
    /// The store of a partition.
    case partition(Int)

    /// The refusal of requests to a store that has ended.
    var ended: ControlError {
        guard case .partition(let number) = self else { return .refused("the host has ended") }
        return .refused("partition \(number) has just left this member; ask again")
    }

    /// The prefix of the states of partitions in a member's state.
    static let partitions = "partitions"

    /// Returns the place within this store that a pointer denotes; nil for another store's.
    func local(_ pointer: JSONPointer) -> JSONPointer? {
        let isPartitions = pointer.tokens.first == Self.partitions
        switch self {
        case .host: return pointer
        case .gateway: return isPartitions ? nil : pointer
        case .partition(let number):
            guard isPartitions, pointer.tokens.count > 1, pointer.tokens[1] == "\(number)" else { return nil }
            return JSONPointer(tokens: Array(pointer.tokens.dropFirst(2)))
        }
    }
}
