// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseJournal
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// A cluster member under control: its own host, the *gateway*, and its current partitions.
///
/// Requests to the gateway work as for any host. Partitions come and go: their status is added up, and changes to them go through the
/// cluster, so that each takes a change in its order and keeps it when it moves.
@EventLoop
final class RunningMember: ControlTarget {
    /// The control of the member's own host.
    private nonisolated let gateway: RunningHost
    /// The member's cluster.
    private nonisolated let membership: any ControlCluster
    /// The member's partitions.
    private var stores: [Int: ControlledStore] = [:]
    /// The final counts of partitions that have gone; nil for none.
    private var past: HostCounts?
    /// The current watches, so that new partitions are watched too.
    private var subscriptions: [WatchSubscription] = []
    /// Called with partitions that go while a question is out.
    private var questions: [ObjectIdentifier: (Int) -> Void] = [:]

    /// Creates the control of a member whose host is controlled at the place `.gateway`.
    nonisolated init(_ gateway: RunningHost, in membership: any ControlCluster) {
        self.gateway = gateway
        self.membership = membership
    }

    /// Starts following the partitions; called once.
    ///
    /// - Parameter service: carries out the requests of their instances that are granted `control`.
    nonisolated func begin(_ service: ControlService) {
        membership.follow { [weak self, weak service] number, change in
            guard let self else { return }
            let core: HostStore
            switch change {
            case .came(let new): core = new
            case .gone(let counts): return EventLoop.perform { self.leave(number, counts) }
            }
            let store = ControlledStore(
                core, at: .partition(number), patience: self.gateway.store.patience,
                printing: self.membership.onAction)
            core.dependencies.control.settle(PartitionControl(service, store))
            EventLoop.perform { self.enter(store, as: number) }
        }
    }

    /// Removes a partition that has gone, and keeps its counts.
    private func leave(_ number: Int, _ counts: HostCounts) {
        stores.removeValue(forKey: number)?.counted = counts
        past = past?.adding(counts.past) ?? counts.past
        for tell in questions.values { tell(number) }
        let place = StorePlace.partition(number)
        for subscription in subscriptions {
            for pointer in subscription.filter.pointers where place.local(pointer) != nil {
                subscription.add(WatchService.line(pointer, nil))
            }
        }
    }

    /// Adds a partition that has come.
    private func enter(_ store: ControlledStore, as number: Int) {
        stores[number] = store
        guard !subscriptions.isEmpty else { return }
        Task { @EventLoop [subscriptions] in
            for subscription in subscriptions { try? await store.watch(subscription) }
        }
    }

    /// The member's partitions, by number.
    private var partitions: [(Int, ControlledStore)] {
        stores.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Asks all partitions at once; returns the answers of those still there, by number.
    private func all<Answer: Sendable>(
        _ body: @escaping @Sendable (ControlledStore, Generation) throws(ControlError) -> Answer
    ) async throws(ControlError) -> [(number: Int, answer: Answer)] {
        let question = PartitionQuestion<Answer>(to: stores)
        questions[ObjectIdentifier(question)] = { question.take(nil, from: $0) }
        defer { questions[ObjectIdentifier(question)] = nil }
        return try await question.ask(body).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: - What there is

    nonisolated var cluster: (any ControlCluster)? { membership }

    func status() async throws(ControlError) -> ControlStatus {
        var status = try await gateway.status()
        let (before, asked) = (past, stores)
        let partitions = try await all { store, generation throws(ControlError) in
            store.status(of: generation)
        }
        for partition in partitions { status.add(partition.answer) }
        // Each partition counts once, even one that goes meanwhile: by its answer, or else by its final counts.
        let answered = Set(partitions.map(\.number))
        for (number, store) in asked where !answered.contains(number) {
            if let counts = store.counted { status.add(counts.past) }
        }
        if let before { status.add(before) }
        status.sort(by: membership.instances.map(\.id))
        status.cluster = membership.account
        return status
    }

    func state(at pointer: JSONPointer) async throws(ControlError) -> Value? {
        if let number = try partition(in: pointer) {
            let store = try await store(number)
            return try await store.state(at: JSONPointer(tokens: Array(pointer.tokens.dropFirst(2))))
        }
        if pointer.tokens.isEmpty {
            guard case .object(var whole)? = try await gateway.state(at: pointer) else { return nil }
            whole[StorePlace.partitions] = .object(try await states())
            return .object(whole)
        }
        if pointer.tokens[0] == StorePlace.partitions { return .object(try await states()) }
        return try await gateway.state(at: pointer)
    }

    /// Returns the states of the member's partitions, by number.
    private func states() async throws(ControlError) -> Members {
        let states = try await all { _, generation throws(ControlError) in
            try ControlledStore.state(of: generation, at: .whole)
        }
        return Members(states.compactMap { state in state.answer.map { ("\(state.number)", $0) } })
    }

    /// Returns the partition that holds a place of the state; nil outside of partitions, and for all together.
    private func partition(in pointer: JSONPointer) throws(ControlError) -> Int? {
        guard pointer.tokens.first == StorePlace.partitions, pointer.tokens.count > 1 else { return nil }
        let count = membership.account.partitions
        guard let number = Int(pointer.tokens[1]), (0..<count).contains(number) else {
            throw .parameter(
                at: JSONPointer(tokens: ["params", "pointer"]),
                expected:
                    "the number of a partition, from 0 to \(count - 1), behind /\(StorePlace.partitions)/",
                found: Quotation.of(pointer.tokens[1]))
        }
        return number
    }

    /// Returns a partition of this member.
    private func store(_ number: Int) async throws(ControlError) -> ControlledStore {
        if let store = stores[number] { return store }
        guard let owner = try await membership.survey().partitions[number].title.owner else {
            throw .refused("no member owns partition \(number) at the moment; ask again")
        }
        guard owner != membership.account.member else {
            throw .refused("partition \(number) is on its way to this member; ask again")
        }
        throw .refused("\(owner) owns partition \(number); ask there")
    }

    func watch(_ subscription: WatchSubscription) async throws(ControlError) {
        for pointer in subscription.filter.pointers {
            if let number = try partition(in: pointer) {
                _ = try await store(number)
            } else if pointer.tokens.first == StorePlace.partitions {
                throw .refused(
                    "only the state of a single partition can be watched; name it, such as \(pointer)/0"
                )
            }
        }
        try await gateway.watch(subscription)
        subscriptions.append(subscription)
        for (number, store) in partitions {
            do throws(ControlError) {
                try await store.watch(subscription)
            } catch {
                guard stores[number] === store else { continue }
                unwatch(subscription)
                throw error
            }
        }
    }

    func unwatch(_ subscription: WatchSubscription) {
        subscriptions.removeAll { $0 === subscription }
        gateway.unwatch(subscription)
        for store in stores.values { store.unwatch(subscription) }
    }

    func history(_ query: HistoryQuery) async throws(ControlError) -> Value { throw Self.noPast }

    func state(_ query: PastStateQuery) async throws(ControlError) -> Value { throw Self.noPast }

    /// The refusal of requests about the past.
    private static let noPast = ControlError.refused(
        "a member of a cluster keeps no journal, so it has no history; its partitions resume from their checkpoints"
    )

    // MARK: - What is done

    func plan() async throws(ControlError) -> Value { try await gateway.plan() }

    func reload(
        expecting generation: Int?, trying trial: HistoryTrial?
    ) async throws(ControlError) -> Value {
        try await gateway.reload(expecting: generation, trying: trial)
    }

    func permit(_ caller: ControlCaller) async throws(ControlError) { try await gateway.permit(caller) }

    func stop() throws(ControlError) { try gateway.stop() }

    func moveGate(
        of id: String, to position: GateState, for caller: ControlCaller
    ) async throws(ControlError) -> GateMove {
        guard membership.instances.contains(where: { $0.id == id && $0.isInPartitions }) else {
            return try await gateway.moveGate(
                of: id, to: position, for: caller, besides: membership.instances.map(\.id))
        }
        try await permit(caller)
        _ = try await all { _, generation throws(ControlError) in
            guard let instance = generation.instances.first(where: { $0.id == id }) else { return }
            if let refusal = instance.gateRefusal { throw refusal }
        }
        let was = try await status().instances.first { $0.id == id }?.gateWord
        try await membership.appendToAll(AnyAction(position.action, payload: .string(id)))
        return GateMove(was: was, partitions: membership.account.partitions)
    }

    func release(_ name: String, for caller: ControlCaller) async throws(ControlError) -> Value {
        try await gateway.release(name, for: caller)
    }

    func release(
        catchingUp name: String, for caller: ControlCaller
    ) async throws(ControlError) -> Value {
        try await gateway.release(catchingUp: name, for: caller)
    }

    func dispatch(_ actions: [AnyAction], for caller: ControlCaller) async throws(ControlError) -> Dispatched
    {
        try await permit(caller)
        var (distant, own, common) = ([AnyAction](), [AnyAction](), [AnyAction]())
        for action in actions {
            switch reach(of: action) {
            case .partition: distant.append(action)
            case .partitions: common.append(action)
            case .gateway: own.append(action)
            case .everywhere:
                common.append(action)
                own.append(action)
            }
        }
        if !distant.isEmpty { try await membership.append(distant) }
        for action in common { try await membership.appendToAll(action) }
        var dispatched = own.isEmpty ? Dispatched() : try await gateway.dispatch(own, for: caller)
        dispatched.appended = distant.count + common.count
        return dispatched
    }

    /// The recipient of an action that an operator dispatches.
    private enum Reach {
        /// The partition of the action's key.
        case partition
        /// All partitions.
        case partitions
        /// The member itself.
        case gateway
        /// All partitions and the member itself.
        case everywhere
    }

    /// Returns an action's recipient: gate moves go to the instance, changes of the plain state to every store.
    private func reach(of action: AnyAction) -> Reach {
        if membership.isForPartition(action) { return .partition }
        switch action.type {
        case HostActions.mergeState: return .everywhere
        case HostActions.openGate, HostActions.closeGate:
            guard case .string(let id)? = action.payload else { return .gateway }
            let isInPartitions = membership.instances.contains { $0.id == id && $0.isInPartitions }
            return isInPartitions ? .partitions : .gateway
        default: return .gateway
        }
    }

    nonisolated var letters: DeadLetters { gateway.letters }

    func redispatch(
        _ action: AnyAction, of letter: DeadLetter, for caller: ControlCaller
    ) async throws(ControlError) -> Redispatch {
        guard membership.isForPartition(action) else {
            return try await gateway.redispatch(action, of: letter, for: caller)
        }
        try await permit(caller)
        try await membership.append([action])
        letters.remove(letter.id)
        return .appended
    }
}

/// Carries out requests of partition instances that are granted `control`.
private struct PartitionControl: GrantedControl.Target {
    /// Carries out requests of any instance of the member; nil once it has gone.
    let service: ControlService?
    /// The store of the partition.
    let store: ControlledStore

    /// Creates the control of a partition's instances.
    init(_ service: ControlService?, _ store: ControlledStore) {
        self.service = service
        self.store = store
    }

    func request(
        _ method: String, _ parameters: Value, from caller: ControlCaller
    ) async throws(HostControl.Failure) -> Value {
        // Its own drain knows whether it may change anything; the drain of the member's host asks again.
        let objection = try await store.inDrain { _ throws(ControlError) in caller.objection() }
        return try await living().request(
            method, parameters, from: ControlCaller(instance: caller.instance) { objection })
    }

    func watch(_ parameters: Value) async throws(HostControl.Failure) -> HostNews {
        try await living().watch(parameters)
    }

    /// Returns the service while it exists.
    private func living() throws(ControlError) -> ControlService {
        guard let service else { throw .refused("the host of the partition has ended") }
        return service
    }
}
