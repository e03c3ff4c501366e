// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// One store as those see it who control it: turns in its drain, what it has done, and who watches it.
///
/// Everything it asks of the drain is left there by a thread that may wait, and answered on the event loop; the loop itself
/// never drains.
@EventLoop
final class ControlledStore {
    /// Queue, state and the generation that runs; it outlives the store where requests come too late.
    nonisolated let core: HostCore
    /// Which of the stores of the process it is.
    private nonisolated let place: StorePlace
    /// How long a request waits for its turn in the drain.
    nonisolated let patience: Duration
    /// Told about each action, for printing.
    private nonisolated let printing: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
    /// Whom to tell what; used in the drain.
    private nonisolated let desk: WatchDesk
    /// Whether actions are numbered so that others know them by it.
    private nonisolated let isNumbered: Bool
    /// Whether a change of the state is on its way to those who watch; touched in the drain.
    private nonisolated let isChangeNoticed = Atomic(false)
    /// What it had counted when its partition had gone; nil as long as it is there.
    var counted: HostCounts?
    /// When the state was told last.
    private var lastTold = ContinuousClock.now - shortestPause

    /// Changes of the state are told no faster.
    private nonisolated static let shortestPause = Duration.milliseconds(50)

    /// The control of a store.
    ///
    /// - Parameter place: which of a member's stores it is.
    nonisolated init(
        _ core: HostCore, at place: StorePlace, patience: Duration,
        printing: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
    ) {
        self.core = core
        self.place = place
        self.patience = patience
        self.printing = printing
        desk = WatchDesk(place)
        isNumbered = place == .host
    }

    // MARK: - Turns in the drain

    /// Lets a closure have its turn in the drain, and waits until it ends the call, but not for ever; refused in a store that has ended.
    func turn<Success: Sendable>(
        _ body: @escaping @Sendable (Generation, PendingAnswer<Result<Success, ControlError>>) -> Void
    ) async throws(ControlError) -> Success {
        try await turnOrEnd { [place] generation, call in
            guard let generation else { return call.finish(.failure(place.ended)) }
            body(generation, call)
        }
    }

    /// The same for a closure that is given nil in a store that has ended.
    private func turnOrEnd<Success: Sendable>(
        _ body: @escaping @Sendable (Generation?, PendingAnswer<Result<Success, ControlError>>) -> Void
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
    func inDrain<Success: Sendable>(
        _ body: @escaping @Sendable (Generation) throws(ControlError) -> Success
    ) async throws(ControlError) -> Success {
        try await turn { (generation, call: PendingAnswer<Result<Success, ControlError>>) in
            call.finish(Result { () throws(ControlError) in try body(generation) })
        }
    }

    /// Why a request had to be given up.
    nonisolated func busy(hasBegun: Bool) -> ControlError {
        .busy(
            "\(DrainBusy(instance: core.busyInstance, limit: patience)); "
                + (hasBegun ? "what was asked for has begun and goes on" : "nothing was done, ask again"))
    }

    // MARK: - What there is

    /// What the store has done, and its instances.
    ///
    /// - Parameter more: adds what else there is to know at that moment; called in the drain.
    func status(
        _ more: @escaping @Sendable (inout ControlStatus) -> Void = { _ in }
    ) async throws(ControlError) -> ControlStatus {
        try await inDrain { [self] generation throws(ControlError) in
            var status = status(of: generation)
            more(&status)
            return status
        }
    }

    /// What the store has done, and its instances; called in the drain.
    nonisolated func status(of generation: Generation) -> ControlStatus {
        var status = ControlStatus()
        status.generation = generation.number
        status.lastReload = core.lastReload
        status.degraded = core.degraded
        status.actions = generation.progress.actions
        status.waiting = core.queue.waiting
        status.effects = core.queue.activity.running
        status.cutOutputs = core.queue.cuts.dropped
        status.lateOutputs = core.lateOutputs
        (status.deadLetters, status.forgottenLetters) = core.dependencies.letters.counts
        status.instances = generation.instances.map(InstanceStatus.init)
        status.images = core.images
        return status
    }

    /// The state at a place, nil when there is nothing.
    func state(at pointer: JSONPointer) async throws(ControlError) -> Value? {
        try await inDrain { generation throws(ControlError) in try Self.state(of: generation, at: pointer) }
    }

    /// The state at a place, nil when there is nothing; called in the drain.
    nonisolated static func state(
        of generation: Generation, at pointer: JSONPointer
    ) throws(ControlError) -> Value? {
        do {
            return try generation.state.state.value(at: pointer)
        } catch {
            throw .refused("the state cannot be written as JSON: \(error)")
        }
    }

    // MARK: - Watching

    /// Tells from here on what a filter lets through; of a store that has ended there is nothing to tell.
    func watch(_ subscription: WatchSubscription) async throws(ControlError) {
        try await turnOrEnd { [self] generation, call in
            if let generation {
                desk.add(subscription)
                connect()
                desk.tellState(generation.state.state)
            }
            call.finish(.success(()))
        }
    }

    /// Ends that; nothing more is written when it returns, unless the drain is busy.
    func unwatch(_ subscription: WatchSubscription) {
        BackgroundThread.perform { [self] in
            core.queue.enqueue { [self] in
                desk.remove(subscription)
                connect()
            }
        }
    }

    /// Lets the store tell what somebody wants to hear, and nothing else; called in the drain.
    private nonisolated func connect() {
        var hooks = RunHooks(onAction: printing)
        if desk.hearsActions {
            hooks.onAction = { [desk, printing, recorder = isNumbered ? core.recorder : nil] in
                printing?($0)
                // It is counted when those who are told of it have been.
                desk.take($0, sequence: recorder.map { $0.sequence + 1 })
            }
        }
        if desk.hearsState { hooks.onChange = { [weak self] in self?.noticeChange() } }
        core.hooks = hooks
    }

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
                // Those who watch a store that has ended have been told of that.
                if core.generation != nil { desk.tellState(core.state.state) }
            }
        }
    }
}

/// Which of the stores of a process one is.
enum StorePlace: Equatable {
    /// The only one.
    case host
    /// That of a member of a cluster itself, beside those of its partitions.
    case front
    /// That of a partition.
    case partition(Int)

    /// The refusal of what came to the store when it had ended.
    var ended: ControlError {
        guard case .partition(let number) = self else { return .refused("the host has ended") }
        return .refused("partition \(number) has just gone from this member; ask again")
    }

    /// Where the states of partitions are, for who looks at a member.
    static let partitions = "partitions"

    /// The place within this store that a pointer means; nil when it means another one's.
    func local(_ pointer: JSONPointer) -> JSONPointer? {
        let isPartitions = pointer.tokens.first == Self.partitions
        switch self {
        case .host: return pointer
        case .front: return isPartitions ? nil : pointer
        case .partition(let number):
            guard isPartitions, pointer.tokens.count > 1, pointer.tokens[1] == "\(number)" else { return nil }
            return JSONPointer(tokens: Array(pointer.tokens.dropFirst(2)))
        }
    }
}
