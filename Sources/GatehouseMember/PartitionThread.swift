// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseControl
internal import GatehouseRuntime
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// A thread that reads some of the member's partitions, processes their actions, and writes their checkpoints.
///
/// It carries out commands between two rounds, each of which takes the available actions of the partitions.
///
/// `@unchecked Sendable`: the commands are guarded by the lock; everything else that varies is touched by the thread alone.
final class PartitionThread: @unchecked Sendable {
    /// A command to the thread.
    enum Command: Sendable {
        /// Make the instances of a partition that is to come, and report when done.
        case prepare(Int)
        /// Drop what was made for partitions that do not come.
        case discard(Set<Int>)
        /// Load a partition and continue it.
        case begin(Int, PartitionGrant)
        /// End a partition, giving its effects a grace period, and report when done.
        case finish(Int, grace: Duration)
        /// Drop a partition as it is.
        case abandon(Int)
        /// End, dropping all partitions.
        case end
    }

    /// An event that the thread reports.
    enum Event: Sendable {
        /// The instances of a partition are made, as far as that is possible before its state is known.
        case prepared(Int)
        /// A partition has ended, and all of it is in its checkpoint, with this unfinished work.
        case finished(Int, [LeftWork.Part])
        /// Another member has a partition.
        case fenced(Int, epoch: Int)
        /// Continuing would be wrong.
        case failed(ClusterFailure)
        /// A partition cannot be loaded.
        case unreadable(Int, Diagnostics)
    }

    /// How long a round waits for the first action, unless it is woken.
    private static let longestRound = Duration.milliseconds(100)
    /// How long a round waits while a checkpoint is delayed.
    private static let shortRound = Duration.milliseconds(5)
    /// The most actions requested in one round, over all partitions.
    private static let mostAtOnce = 4_096
    /// The most checkpoints written together, and the most bytes, unless a single one has more.
    private static let mostCheckpoints = (count: 64, size: 1 << 20)

    /// The commands; wakes the thread while it has no partitions.
    private let mailbox = Mailbox<Command>()
    /// Creates stores.
    private let maker: PartitionMaker
    /// Publishes the stores.
    private let table: PartitionTable
    /// Counts of the member's work.
    private let counts: ClusterCounts
    /// Reports to the operator.
    private let report: @Sendable (ClusterNotice) -> Void
    /// Reports events of partitions; called on the thread, and on the one that prepares partitions.
    private let tell: @Sendable (Event) -> Void

    /// The partitions, by number.
    private var partitions: [Int: Partition] = [:]
    /// Makes instances of partitions that are to come.
    private let preparer: PartitionPreparer
    /// The partitions that are read action by action.
    private var careful = CarefulReading()
    /// The connection.
    private let connection: ClusterConnection
    /// The number of rounds without an action.
    private let idleRounds = Atomic(0)
    /// The thread's wait for actions.
    private let wait: EngineWait

    /// Creates a thread without partitions.
    init(
        _ cluster: any Cluster, _ maker: PartitionMaker, _ table: PartitionTable, _ counts: ClusterCounts,
        report: @escaping @Sendable (ClusterNotice) -> Void,
        onCall: @escaping @Sendable () -> Void, tell: @escaping @Sendable (Event) -> Void
    ) {
        let wait = EngineWait(onCall: onCall)
        self.wait = wait
        preparer = PartitionPreparer { number in
            maker.prepare(number) { wait.call() }
        } tell: {
            tell(.prepared($0))
        }
        connection = ClusterConnection(to: cluster)
        self.maker = maker
        self.table = table
        self.counts = counts
        self.report = report
        self.tell = tell
    }

    /// Starts the thread; false when the system refuses one.
    func start() -> Bool { preparer.start() && BackgroundThread.start { [self] in run() } }

    /// Sends the thread a command, from any thread.
    func order(_ command: Command) {
        switch command {
        case .prepare(let number): return preparer.prepare(number)
        case .discard(let numbers): return preparer.discard(numbers)
        case .end: preparer.end()
        case .begin, .finish, .abandon: break
        }
        mailbox.send(command)
        wait.call()
    }

    /// The id of its connection, if it waits there and must be woken; nil otherwise; from any thread.
    var sleeper: Int? { wait.sleeper }

    /// The number of rounds without work since the last one with some.
    var idle: Int { idleRounds.load(ordering: .acquiring) }

    // MARK: - The thread

    /// Runs until the command to end.
    private func run() {
        while obey() {
            if partitions.isEmpty {
                idleRounds.store(.max / 2, ordering: .releasing)
                mailbox.pipe.wait()
            } else {
                do throws(ClusterFailure) {
                    try connection.use { engine throws(ClusterFailure) in try round(by: engine) }
                } catch {
                    if !pass(over: error) { return }
                }
            }
        }
    }

    /// Whether to continue with another round after a failure.
    private func pass(over failure: ClusterFailure) -> Bool {
        guard failure.mayPass else {
            for number in partitions.keys { drop(number) }
            tell(.failed(failure))
            return false
        }
        // `Membership` reports it, and drops partitions not renewed in time.
        mailbox.pipe.wait(atMost: 50)
        return true
    }

    /// Carries out the commands; false for the end.
    private func obey() -> Bool {
        for order in mailbox.takeAll() {
            switch order {
            case .begin(let number, let grant): begin(number, grant)
            case .finish(let number, let grace): partitions[number]?.finish(by: .now.advanced(by: grace))
            case .abandon(let number): drop(number)
            // `order(_:)` passes these on.
            case .prepare, .discard: break
            case .end:
                for number in partitions.keys { drop(number) }
                return false
            }
        }
        return true
    }

    /// Loads a partition and continues it.
    private func begin(_ number: Int, _ grant: PartitionGrant) {
        do throws(Diagnostics) {
            let partition = try maker.partition(number, grant, from: preparer.take(number)) { [wait] in
                wait.call()
            }
            partitions[number] = partition
            // The actions waiting in its stream have not been seen yet.
            idleRounds.store(0, ordering: .releasing)
            careful.begin(number, after: grant.attempts)
            table.enter(partition.host.store, epoch: grant.epoch, as: number)
            partition.begin()
            counts.count { $0.leftEffects.taken += partition.takenEffects }
        } catch {
            tell(.unreadable(number, error))
        }
    }

    /// Drops a partition.
    private func drop(_ number: Int) {
        guard let partition = partitions.removeValue(forKey: number) else { return }
        careful.end(number)
        let counted = partition.host.counts
        table.leave(number, counted)
        counts.count(counted)
        partition.drop()
    }

    /// Takes available actions and writes checkpoints; first retries unanswered ones, so that nothing is taken after them.
    private func round(by engine: any ClusterEngine) throws(ClusterFailure) {
        try write(partitions.values.filter { $0.checkpoints.pending != nil }, by: engine)
        let second = Int(UnixTime.now)
        let reading = partitions.values.filter { $0.end == nil && !careful.contains($0.number) }
        var touched: Set<Int> = []
        if reading.isEmpty {
            mailbox.pipe.wait(atMost: 5)
        } else {
            touched = try read(reading, by: engine, at: second)
        }
        var hasWork = !touched.isEmpty
        for number in careful.partitions { try takeCarefully(number, engine, second) }
        var due: [Partition] = []
        var ending: [Partition] = []
        let now = ContinuousClock.now
        for partition in partitions.values {
            partition.host.processPosted()
            if touched.contains(partition.number) { partition.host.settle() }
            let hasFinished = partition.hasFinished(now)
            if hasFinished { ending.append(partition) }
            if partition.isDue(now) || hasFinished && !partition.isKept { due.append(partition) }
            if partition.end != nil { hasWork = true }
        }
        hasWork = hasWork || !due.isEmpty
        try write(due, by: engine)
        for partition in ending { end(partition) }
        if hasWork {
            idleRounds.store(0, ordering: .releasing)
        } else {
            idleRounds.add(1, ordering: .releasing)
        }
    }

    /// Takes the partitions' available actions, waiting for some if there is nothing else to do; returns the partitions that had some.
    private func read(_ reading: [Partition], by engine: any ClusterEngine, at now: Int)
        throws(ClusterFailure) -> Set<Int>
    {
        var touched: Set<Int> = []
        var count = 0
        func read(waiting: Duration) throws(ClusterFailure) {
            try engine.read(
                reading.map { ($0.number, $0.offset) }, atMost: max(16, Self.mostAtOnce / reading.count),
                waiting: waiting
            ) { [partitions] number, entry in
                guard let partition = partitions[number] else { return }
                partition.take(entry, at: now)
                touched.insert(number)
                count += 1
            }
        }
        if reading.count == partitions.count {
            // A checkpoint that something waits for may not be due yet, and nobody calls when it is.
            let time =
                reading.contains { $0.checkpoints.isUrgent } ? Self.shortRound : Self.longestRound
            try wait.during(engine.reader()) { mayWait throws(ClusterFailure) in
                try read(waiting: mayWait ? time : .zero)
            }
        } else {
            try read(waiting: .zero)
        }
        counts.count { $0.taken += count }
        return touched
    }

    /// Takes the next action of a partition alone, with its own checkpoint.
    private func takeCarefully(_ number: Int, _ engine: any ClusterEngine, _ now: Int) throws(ClusterFailure)
    {
        guard let partition = partitions[number], partition.end == nil else { return }
        switch try careful.takeNext(of: partition, by: engine, for: maker.terms.member, at: now) {
        case .over: return
        case .fenced: return fence(partition, nil)
        case .taken: counts.count { $0.taken += 1 }
        case .setAside: break
        }
        try write([partition], by: engine)
    }

    /// Writes the checkpoints of partitions whose stores come to rest, many together.
    private func write(_ due: [Partition], by engine: any ClusterEngine) throws(ClusterFailure) {
        var together: [(partition: Partition, prepared: PartitionCheckpoints.Prepared)] = []
        var size = 0
        for partition in due {
            guard let prepared = partition.prepare() else { continue }
            together.append((partition, prepared))
            size += prepared.checkpoint.size
            guard together.count >= Self.mostCheckpoints.count || size >= Self.mostCheckpoints.size else {
                continue
            }
            try write(together, by: engine)
            (together, size) = ([], 0)
        }
        if !together.isEmpty { try write(together, by: engine) }
    }

    /// Writes checkpoints, and releases the work waiting for them.
    private func write(
        _ together: [(partition: Partition, prepared: PartitionCheckpoints.Prepared)],
        by engine: any ClusterEngine
    ) throws(ClusterFailure) {
        let start = ContinuousClock.now
        let titles = try engine.checkpoint(together.map(\.prepared.checkpoint))
        let now = ContinuousClock.now
        var (written, outputs) = (0, 0)
        for (title, (partition, prepared)) in zip(titles, together) {
            if let title {
                fence(partition, title.owner)
                continue
            }
            written += 1
            outputs += prepared.checkpoint.outputs.count
            table.note(now, of: partition.number)
            partition.checkpoints.commit(prepared, at: now)
        }
        counts.count {
            $0.checkpoints += written
            $0.outputs += outputs
            $0.checkpointTime += start.duration(to: now)
        }
    }

    /// Drops a partition that another member has.
    private func fence(_ partition: Partition, _ owner: String?) {
        counts.count { $0.fenced += 1 }
        report(
            owner == maker.terms.member
                ? .acquiredAgain(partition: partition.number)
                : .fenced(partition: partition.number, owner: owner))
        drop(partition.number)
        tell(.fenced(partition.number, epoch: partition.epoch))
    }

    /// Ends a partition whose effects have finished, once all its work is in its checkpoint.
    private func end(_ partition: Partition) {
        let number = partition.number
        // Work begun after the checkpoint must finish too.
        guard partitions[number] === partition, partition.isKept, partition.hasFinished(.now) else { return }
        let unfinished = partition.unfinished
        counts.count { account in
            account.handOvers += 1
            for part in unfinished { part.count(in: &account.leftEffects) }
        }
        drop(number)
        tell(.finished(number, unfinished))
    }
}
