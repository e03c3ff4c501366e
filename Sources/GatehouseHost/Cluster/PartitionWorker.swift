// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// A thread that reads some of the member's partitions, processes what they have, and writes their checkpoints.
///
/// What it is told to do, it does between two rounds, each of which takes what the partitions have at hand.
///
/// `@unchecked Sendable`: the commands are guarded by the lock; everything else that varies is touched by the thread alone.
final class PartitionWorker: @unchecked Sendable {
    /// What it is told to do.
    enum Command: Sendable {
        /// To load a partition and go on with it.
        case begin(Int, PartitionGrant)
        /// To bring a partition to an end, giving its effects so long, and tell when that is done.
        case finish(Int, grace: Duration)
        /// To drop a partition as it is.
        case abandon(Int)
        /// To end, dropping what is left.
        case end
    }

    /// What it tells.
    enum Event: Sendable {
        /// A partition has come to its end, and all of it is in its checkpoint.
        case finished(Int)
        /// Somebody else has a partition.
        case fenced(Int, epoch: Int)
        /// Going on would be wrong.
        case failed(ClusterFailure)
        /// A partition cannot be loaded.
        case unreadable(Int, Findings)
    }

    /// So long does a round wait for the first action, unless it is woken.
    private static let longestRound = Duration.milliseconds(100)
    /// So many actions are asked for in one round, of all partitions.
    private static let mostAtOnce = 4_096
    /// So many checkpoints are written together, of so many bytes unless a single one has more.
    private static let mostCheckpoints = (count: 64, size: 1 << 20)

    /// What it was told and has not done.
    private let commands = Mutex<[Command]>([])
    /// Wakes it where it has no partitions.
    private let pipe = WakePipe()
    /// Makes stores.
    private let maker: PartitionMaker
    /// Where others find the stores.
    private let table: PartitionTable
    /// Counts what the member does.
    private let counts: ClusterCounts
    /// Told what an operator should know.
    private let report: @Sendable (ClusterNotice) -> Void
    /// Told what becomes of partitions; called on the thread.
    private let tell: @Sendable (Event) -> Void

    /// The partitions, by their numbers.
    private var partitions: [Int: Partition] = [:]
    /// Partitions that are read action by action.
    private var careful = CarefulReading()
    /// The connection.
    private let connection: ClusterConnection
    /// How many rounds have found nothing.
    private let idleRounds = Atomic(0)
    /// Its wait for actions.
    private let wait: EngineWait

    /// A worker without partitions.
    init(
        _ cluster: any Cluster, _ maker: PartitionMaker, _ table: PartitionTable, _ counts: ClusterCounts,
        report: @escaping @Sendable (ClusterNotice) -> Void,
        onCall: @escaping @Sendable () -> Void, tell: @escaping @Sendable (Event) -> Void
    ) {
        wait = EngineWait(onCall: onCall)
        connection = ClusterConnection(to: cluster)
        self.maker = maker
        self.table = table
        self.counts = counts
        self.report = report
        self.tell = tell
    }

    /// Begins with the work, on a thread of its own; false when the system refuses one.
    func start() -> Bool { BackgroundThread.start { [self] in run() } }

    /// Tells it to do something, from any thread.
    func order(_ command: Command) {
        commands.withLock { $0.append(command) }
        pipe.wake()
        wait.call()
    }

    /// What its connection is called, if it waits there and is to be woken; nil otherwise. From any thread.
    var sleeper: Int? { wait.sleeper }

    /// How many rounds have found nothing to do, since the last one that did.
    var idle: Int { idleRounds.load(ordering: .acquiring) }

    // MARK: - The thread

    /// Does what it is told until it is told to end.
    private func run() {
        while obey() {
            if partitions.isEmpty {
                idleRounds.store(.max / 2, ordering: .releasing)
                pipe.wait()
            } else {
                do throws(ClusterFailure) {
                    try connection.use { engine throws(ClusterFailure) in try round(by: engine) }
                } catch {
                    if !pass(over: error) { return }
                }
            }
        }
    }

    /// Whether there is to be another round after a failure.
    private func pass(over failure: ClusterFailure) -> Bool {
        guard failure.mayPass else {
            for number in partitions.keys { drop(number) }
            tell(.failed(failure))
            return false
        }
        // Membership tells of it, and drops what was not renewed in time.
        pipe.wait(atMost: 50)
        return true
    }

    /// Does what was ordered; false for the end.
    private func obey() -> Bool {
        let orders = commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
        for order in orders {
            switch order {
            case .begin(let number, let grant): begin(number, grant)
            case .finish(let number, let grace): partitions[number]?.finish(by: .now.advanced(by: grace))
            case .abandon(let number): drop(number)
            case .end:
                for number in partitions.keys { drop(number) }
                return false
            }
        }
        return true
    }

    /// Loads a partition and goes on with it.
    private func begin(_ number: Int, _ grant: PartitionGrant) {
        do throws(Findings) {
            let partition = try maker.partition(number, grant) { [wait] in wait.call() }
            partitions[number] = partition
            // What waits in its stream was not looked at before.
            idleRounds.store(0, ordering: .releasing)
            careful.begin(number, after: grant.attempts)
            table.enter(partition.host.core, epoch: grant.epoch, as: number)
            partition.begin()
        } catch {
            tell(.unreadable(number, error))
        }
    }

    /// Lets go of a partition.
    private func drop(_ number: Int) {
        guard let partition = partitions.removeValue(forKey: number) else { return }
        careful.end(number)
        let counted = partition.host.counts
        table.leave(number, counted)
        counts.count(counted)
        partition.drop()
    }

    /// Takes what the partitions have at hand, and writes checkpoints; those that had no answer first, so that nothing is taken behind them.
    private func round(by engine: any ClusterEngine) throws(ClusterFailure) {
        try write(partitions.values.filter { $0.checkpoints.pending != nil }, by: engine)
        let second = Int(UnixTime.now)
        let reading = partitions.values.filter { $0.end == nil && !careful.contains($0.number) }
        var touched: Set<Int> = []
        if reading.isEmpty {
            pipe.wait(atMost: 5)
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

    /// Takes what partitions have at hand, and waits for it where nothing else is to be done; gives those that had something.
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
            try wait.during(engine.reader()) { mayWait throws(ClusterFailure) in
                try read(waiting: mayWait ? Self.longestRound : .zero)
            }
        } else {
            try read(waiting: .zero)
        }
        counts.countTaken(count)
        return touched
    }

    /// Takes the next action of a partition by itself, with a checkpoint of its own.
    private func takeCarefully(_ number: Int, _ engine: any ClusterEngine, _ now: Int) throws(ClusterFailure)
    {
        guard let partition = partitions[number], partition.end == nil else { return }
        switch try careful.takeNext(of: partition, by: engine, for: maker.terms.member, at: now) {
        case .over: return
        case .fenced: return fence(partition, nil)
        case .taken: counts.countTaken(1)
        case .setAside: break
        }
        try write([partition], by: engine)
    }

    /// Writes checkpoints of partitions whose stores come to it, many together.
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

    /// Writes checkpoints, and lets go on what has waited for them.
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
        counts.countCheckpoints(written, outputs: outputs, in: start.duration(to: now))
    }

    /// Somebody else has a partition.
    private func fence(_ partition: Partition, _ owner: String?) {
        counts.countFenced()
        report(.fenced(partition: partition.number, owner: owner))
        drop(partition.number)
        tell(.fenced(partition.number, epoch: partition.epoch))
    }

    /// Ends a partition whose effects have finished, once all it has done is in its checkpoint.
    private func end(_ partition: Partition) {
        let number = partition.number
        // What has begun behind the checkpoint has to finish too.
        guard partitions[number] === partition, partition.isKept, partition.hasFinished(.now) else { return }
        counts.countHandOver()
        drop(number)
        tell(.finished(number))
    }
}
