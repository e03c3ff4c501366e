// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// A cluster member under control: its own host, the *gateway*, and its current partitions.
///
/// Requests to the gateway are those to any host. Partitions come and go: their status is added up, and changes to them go through the
/// cluster, so that each takes a change in its order and keeps it when it moves.
@EventLoop
final class RunningMember: RunningHost {
    /// The member's cluster.
    private nonisolated let membership: any ControlCluster
    /// The member's partitions.
    private var stores: [Int: ControlledStore] = [:]
    /// The final counts of partitions that have gone; nil for none.
    private var gone: HostCounts?
    /// The current watches, so that new partitions are watched too.
    private var subscriptions: [WatchSubscription] = []
    /// Called with partitions that go while a question is out.
    private var questions: [ObjectIdentifier: (Int) -> Void] = [:]

    /// Creates the control of a member.
    nonisolated init(
        _ host: Host, name: String, in membership: any ControlCluster, reloading: (any ControlReloading)?,
        upgrading: (any ControlUpgrading)?, past: (any ControlPast)?,
        crashes: (@Sendable () -> CrashAccount)?, patience: Duration
    ) {
        self.membership = membership
        super.init(
            host, name: name, at: .gateway, reloading: reloading, upgrading: upgrading, past: past,
            crashes: crashes, patience: patience)
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
                core, at: .partition(number), patience: self.store.patience,
                printing: self.membership.onAction)
            core.dependencies.control.settle(PartitionControl(service: service, store: store))
            EventLoop.perform { self.enter(store, as: number) }
        }
    }

    /// Removes a partition that has gone, and keeps its counts.
    private func leave(_ number: Int, _ counts: HostCounts) {
        stores.removeValue(forKey: number)?.counted = counts
        gone = gone?.adding(counts.past) ?? counts.past
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

    /// Asks all partitions at once; returns the answers of those still there, by number.
    private func all<Answer: Sendable>(
        _ body: @escaping @Sendable (ControlledStore, Turn) throws(ControlError) -> Answer
    ) async throws(ControlError) -> [(number: Int, answer: Answer)] {
        let question = PartitionQuestion<Answer>(to: stores)
        questions[ObjectIdentifier(question)] = { question.take(nil, from: $0) }
        defer { questions[ObjectIdentifier(question)] = nil }
        return try await question.ask(body).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: - What there is

    override nonisolated var cluster: (any ControlCluster)? { membership }

    override func status() async throws(ControlError) -> ControlStatus {
        // Read first: who sees that an action was taken also sees that instances heard it.
        let account = membership.account
        var status = try await super.status()
        let (before, asked) = (gone, stores)
        let partitions = try await all { store, turn throws(ControlError) in
            store.status(in: turn)
        }
        for partition in partitions { status.store.add(partition.answer) }
        // Each partition counts once, even one that goes meanwhile: by its answer, or else by its final counts.
        let answered = Set(partitions.map(\.number))
        for (number, store) in asked where !answered.contains(number) {
            if let counts = store.counted { status.store.add(counts.past) }
        }
        if let before { status.store.add(before) }
        status.store.sort(by: membership.instances.map(\.id))
        status.cluster = account
        return status
    }

    override func planned() async throws(ControlError) -> RunningPlan {
        var plan = try await super.planned()
        let partitions = try await all { _, turn throws(ControlError) in RunningPlan(turn) }
        let others = partitions.flatMap(\.answer.instances)
        let all = Dictionary((plan.instances + others).map { ($0.id, $0) }) { first, _ in first }
        plan.instances = membership.instances.compactMap { all[$0.id] }
        return plan
    }

    override func effects(of chosen: [String]?) async throws(ControlError) -> [JournalEffect] {
        let own = try await super.effects(of: chosen)
        let partitions = try await all { _, turn throws(ControlError) in Self.effects(of: chosen, in: turn) }
        return own + partitions.flatMap(\.answer)
    }

    override func endPauses(of id: String, for caller: ControlCaller) async throws(ControlError) -> Int {
        guard isInPartitions(id) else { return try await super.endPauses(of: id, for: caller) }
        try await permit(caller)
        return core.dependencies.pauses?.end(of: id) ?? 0
    }

    override func sample() async throws(ControlError) -> HourSample {
        var sample = HourSample(try await status().store)
        sample.memory = await BackgroundThread.value { ProcessUse(of: getpid())?.memory }
        return sample
    }

    override func state(at pointer: JSONPointer) async throws(ControlError) -> StateAnswer {
        if let number = try partition(in: pointer) {
            let store = try await store(number)
            return try await store.state(at: JSONPointer(tokens: Array(pointer.tokens.dropFirst(2))))
        }
        if pointer.tokens.isEmpty {
            var answer = try await super.state(at: pointer)
            guard case .object(var whole)? = answer.value else { return answer }
            whole[StorePlace.partitions] = .object(try await states())
            answer.value = .object(whole)
            return answer
        }
        if pointer.tokens[0] == StorePlace.partitions { return StateAnswer(.object(try await states())) }
        return try await super.state(at: pointer)
    }

    /// Returns the states of the member's partitions, by number.
    private func states() async throws(ControlError) -> Members {
        let states = try await all { _, turn throws(ControlError) in
            try ControlledStore.state(in: turn, at: .whole)
        }
        return Members(states.compactMap { state in state.answer.map { ("\(state.number)", $0) } })
    }

    /// Returns the partition that holds a place of the state; nil outside of partitions, and for all together.
    private func partition(in pointer: JSONPointer) throws(ControlError) -> Int? {
        guard pointer.tokens.first == StorePlace.partitions, pointer.tokens.count > 1 else { return nil }
        let count = membership.account.partitions
        guard let number = Int(pointer.tokens[1]), (0..<count).contains(number) else {
            throw .parameter(
                "pointer",
                expected:
                    "the number of a partition, from 0 to \(count - 1), after /\(StorePlace.partitions)/",
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

    override func watch(_ subscription: WatchSubscription) async throws(ControlError) {
        for pointer in subscription.filter.pointers {
            if let number = try partition(in: pointer) {
                _ = try await store(number)
            } else if pointer.tokens.first == StorePlace.partitions {
                throw .refused(
                    "only the state of a single partition can be watched; name it, such as \(pointer)/0"
                )
            }
        }
        try await super.watch(subscription)
        subscriptions.append(subscription)
        for (number, store) in stores.sorted(by: { $0.key < $1.key }) {
            do throws(ControlError) {
                try await store.watch(subscription)
            } catch {
                guard stores[number] === store else { continue }
                unwatch(subscription)
                throw error
            }
        }
    }

    override func unwatch(_ subscription: WatchSubscription) {
        subscriptions.removeAll { $0 === subscription }
        super.unwatch(subscription)
        for store in stores.values { store.unwatch(subscription) }
    }

    override var reasonForNoPast: String {
        "a member of a cluster keeps no journal, so it has no history; its partitions resume from their checkpoints"
    }

    // MARK: - What is done

    override func moveGate(
        of id: String, to position: GateState, for caller: ControlCaller
    ) async throws(ControlError) -> GateMove {
        guard isInPartitions(id) else { return try await super.moveGate(of: id, to: position, for: caller) }
        try await permit(caller)
        _ = try await all { _, turn throws(ControlError) in
            try turn.instances.first { $0.id == id }?.permitGateMove()
        }
        let was = try await status().store.instances.first { $0.id == id }?.gateWord
        try await membership.appendToAll(AnyAction(position.action, payload: .string(id)))
        return GateMove(was: was, partitions: membership.account.partitions)
    }

    override func dispatch(
        _ actions: [AnyAction], for caller: ControlCaller
    ) async throws(ControlError) -> Dispatched {
        try await permit(caller)
        var (distant, own, common) = ([AnyAction](), [AnyAction](), [AnyAction]())
        for action in actions {
            if membership.isForPartition(action) {
                distant.append(action)
            } else if movesGateInPartitions(action) {
                common.append(action)
            } else {
                // The plain state is part of every store.
                if action.type == HostActions.mergeState { common.append(action) }
                own.append(action)
            }
        }
        if !distant.isEmpty { try await membership.append(distant) }
        for action in common { try await membership.appendToAll(action) }
        var dispatched = own.isEmpty ? Dispatched() : try await super.dispatch(own, for: caller)
        dispatched.appended = distant.count + common.count
        return dispatched
    }

    /// Whether an action moves the gate of an instance that runs in partitions.
    private func movesGateInPartitions(_ action: AnyAction) -> Bool {
        guard [HostActions.openGate, HostActions.closeGate].contains(action.type),
            case .string(let id)? = action.payload
        else { return false }
        return isInPartitions(id)
    }

    /// Whether an instance runs in partitions.
    private func isInPartitions(_ id: String) -> Bool {
        membership.instances.contains { $0.id == id && $0.isInPartitions }
    }

    override func redispatch(
        _ action: AnyAction, of letter: DeadLetter, for caller: ControlCaller
    ) async throws(ControlError) -> Redispatch {
        guard membership.isForPartition(action) else {
            return try await super.redispatch(action, of: letter, for: caller)
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
