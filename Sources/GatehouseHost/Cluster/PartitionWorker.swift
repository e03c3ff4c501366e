// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
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
    /// A partition that was given out so often without a checkpoint is read with care.
    private static let carefulAfter = 3
    /// An action that has been tried so often without a checkpoint behind it is set aside.
    private static let mostTries = 3

    /// What it was told and has not done.
    private let commands = Mutex<[Command]>([])
    /// Wakes it where it has no partitions.
    private let pipe = WakePipe()
    /// Makes connections.
    private let cluster: any Cluster
    /// Makes stores.
    private let maker: PartitionMaker
    /// Where others find the stores.
    private let table: PartitionTable
    /// Counts what the member does.
    private let counts: ClusterCounts
    /// Asks for the end.
    private let stop: StopRequest
    /// Told what an operator should know.
    private let report: @Sendable (ClusterNotice) -> Void
    /// Told what becomes of partitions; called on the thread.
    private let tell: @Sendable (Event) -> Void

    /// The partitions, by their numbers.
    private var partitions: [Int: Partition] = [:]
    /// Partitions that are read action by action, with how many are left to be so.
    private var careful: [Int: Int] = [:]
    /// The connection.
    private var engine: (any ClusterEngine)?
    /// How many rounds have found nothing.
    private let idleRounds = Atomic(0)
    /// What its connection is called while it waits for actions there; 0 while it does not.
    private let reading = Atomic(0)
    /// Whether somebody wants it not to wait.
    private let isCalled = Atomic(false)
    /// Wakes it where it waits for actions; callable from any thread.
    private let onCall: @Sendable () -> Void
    /// What its connection is called.
    private var reader = 0

    /// A worker without partitions.
    init(
        _ cluster: any Cluster, _ maker: PartitionMaker, _ table: PartitionTable, _ counts: ClusterCounts,
        stop: StopRequest, report: @escaping @Sendable (ClusterNotice) -> Void,
        onCall: @escaping @Sendable () -> Void, tell: @escaping @Sendable (Event) -> Void
    ) {
        self.onCall = onCall
        self.cluster = cluster
        self.maker = maker
        self.table = table
        self.counts = counts
        self.stop = stop
        self.report = report
        self.tell = tell
    }

    /// Begins with the work, on a thread of its own; false when the system refuses one.
    func start() -> Bool { BackgroundThread.start { [self] in run() } }

    /// Tells it to do something, from any thread.
    func order(_ command: Command) {
        commands.withLock { $0.append(command) }
        pipe.wake()
        call()
    }

    /// Wants it not to wait for actions; from any thread.
    private func call() {
        isCalled.store(true, ordering: .sequentiallyConsistent)
        if reading.load(ordering: .sequentiallyConsistent) != 0 { onCall() }
    }

    /// What its connection is called, if it waits there and is to be woken; nil otherwise. From any thread.
    var sleeper: Int? {
        let reader = reading.load(ordering: .sequentiallyConsistent)
        return reader != 0 && isCalled.load(ordering: .sequentiallyConsistent) ? reader : nil
    }

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
                    try round()
                } catch {
                    if !pass(over: error) { return }
                }
            }
        }
    }

    /// Whether there is to be another round after a failure.
    private func pass(over failure: ClusterFailure) -> Bool {
        if failure.endsConnection { engine = nil }
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
            let partition = try maker.partition(number, grant) { [weak self] in self?.call() }
            partitions[number] = partition
            // What waits in its stream was not looked at before.
            idleRounds.store(0, ordering: .releasing)
            if grant.attempts >= Self.carefulAfter { careful[number] = 64 }
            table.enter(partition.host.core, epoch: grant.epoch, as: number)
            partition.begin()
        } catch {
            tell(.unreadable(number, error))
        }
    }

    /// Lets go of a partition.
    private func drop(_ number: Int) {
        guard let partition = partitions.removeValue(forKey: number) else { return }
        careful[number] = nil
        table.leave(number)
        counts.count(partition.host.counts)
        partition.drop()
    }

    /// The connection, made anew after it was lost; what had no answer then is written again before anything else.
    private func connected() throws(ClusterFailure) -> any ClusterEngine {
        if let engine { return engine }
        let made = try cluster.connect()
        reader = try made.reader()
        engine = made
        for partition in partitions.values where partition.pending != nil {
            try write(partition, by: made)
        }
        return made
    }

    /// Takes what the partitions have at hand, and writes checkpoints.
    private func round() throws(ClusterFailure) {
        let engine = try connected()
        var hasWork = false
        let reading = partitions.values.filter { $0.end == nil && careful[$0.number] == nil }
        let now = Int(UnixTime.now)
        var touched: Set<Int> = []
        if !reading.isEmpty {
            let most = max(16, Self.mostAtOnce / reading.count)
            let mayWait = careful.isEmpty && reading.count == partitions.count
            var count = 0
            if mayWait { self.reading.store(reader, ordering: .sequentiallyConsistent) }
            defer { self.reading.store(0, ordering: .sequentiallyConsistent) }
            let isWaiting = mayWait && !isCalled.exchange(false, ordering: .sequentiallyConsistent)
            try engine.read(
                reading.map { ($0.number, $0.offset) }, atMost: most,
                waiting: isWaiting ? Self.longestRound : .zero
            ) { [partitions] number, entry in
                guard let partition = partitions[number] else { return }
                partition.take(entry, at: now)
                touched.insert(number)
                count += 1
            }
            counts.countTaken(count)
            hasWork = count > 0
        } else {
            pipe.wait(atMost: 5)
        }
        for number in careful.keys.sorted() { try takeCarefully(number, engine, now) }
        for partition in Array(partitions.values) {
            partition.host.processPosted()
            if touched.contains(partition.number) { partition.host.settle() }
            if partition.isDue(.now) {
                hasWork = true
                try write(partition, by: engine)
            }
            if partition.end != nil, partitions[partition.number] === partition {
                hasWork = true
                try end(partition, by: engine)
            }
        }
        if hasWork {
            idleRounds.store(0, ordering: .releasing)
        } else {
            idleRounds.add(1, ordering: .releasing)
        }
    }

    /// Takes the next actions of a partition one by one, each with a checkpoint of its own, and sets those aside that have been tried
    /// too often.
    private func takeCarefully(_ number: Int, _ engine: any ClusterEngine, _ now: Int) throws(ClusterFailure)
    {
        guard let partition = partitions[number], partition.end == nil else { return }
        var next: CopiedEntry?
        try engine.read([(number, partition.offset)], atMost: 1, waiting: .zero) { _, entry in
            next = unsafe CopiedEntry(
                offset: entry.offset, origin: entry.origin, action: Array(entry.action))
        }
        guard let next else { return careful[number] = nil }
        let tries = try engine.attempt(
            number, at: next.offset, of: maker.terms.member, epoch: partition.epoch)
        guard let tries else { return fence(partition, nil) }
        if tries > Self.mostTries {
            partition.setAside(
                next, because: "it has ended \(Counted.text(tries - 1, "host")) that began with it", at: now)
        } else {
            unsafe next.action.withUnsafeBytes { bytes in
                let entry = unsafe ClusterEntry(offset: next.offset, origin: next.origin, action: bytes)
                partition.take(entry, at: now)
            }
            partition.host.settle()
            counts.countTaken(1)
        }
        try write(partition, by: engine)
        if let left = careful[number] { careful[number] = left > 1 ? left - 1 : nil }
    }

    /// Writes a checkpoint, if the store comes to it.
    private func write(_ partition: Partition, by engine: any ClusterEngine) throws(ClusterFailure) {
        guard let prepared = partition.prepare() else { return }
        let start = ContinuousClock.now
        let title = try engine.checkpoint(prepared.checkpoint)
        if let title { return fence(partition, title.owner) }
        let now = ContinuousClock.now
        counts.countCheckpoint(outputs: prepared.checkpoint.outputs.count, in: start.duration(to: now))
        table.note(now, of: partition.number)
        partition.commit(prepared, at: now)
    }

    /// Somebody else has a partition.
    private func fence(_ partition: Partition, _ owner: String?) {
        counts.countFenced()
        report(.fenced(partition: partition.number, owner: owner))
        drop(partition.number)
        tell(.fenced(partition.number, epoch: partition.epoch))
    }

    /// Ends a partition whose effects have finished, once all it has done is in its checkpoint.
    private func end(_ partition: Partition, by engine: any ClusterEngine) throws(ClusterFailure) {
        guard partition.hasFinished(.now) else { return }
        if !partition.isKept { try write(partition, by: engine) }
        let number = partition.number
        guard partitions[number] === partition, partition.isKept else { return }
        counts.countHandOver()
        drop(number)
        tell(.finished(number))
    }
}
