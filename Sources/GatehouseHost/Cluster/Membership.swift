// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSupport
private import Synchronization

/// A thread that keeps the member's lease and sees to it that the workers have the partitions which fall to it.
///
/// What is to be done is decided by `ClusterMember`; here it is done.
///
/// `@unchecked Sendable`: what came from others is guarded by the lock; everything else that varies is touched by the thread alone.
final class Membership: @unchecked Sendable {
    /// What others tell the thread.
    private enum Message: Sendable {
        /// A worker has something to tell.
        case event(PartitionWorker.Event)
        /// All partitions are to be handed over, and loaded again where they stay, with plugins of this digest.
        case reload(digest: String)
        /// All partitions are to be handed over, by this moment.
        case leave(by: ContinuousClock.Instant)
    }

    /// So long it may take at the end to write the last checkpoints and to release partitions, beyond the time of effects.
    private static let handOverTime = Duration.seconds(2)

    /// Who joins.
    private var presence: ClusterPresence
    /// The workers; each partition has its own.
    private let workers: [PartitionWorker]
    /// Asks for the end.
    private let stop: StopRequest
    /// How long effects of a partition that is handed over may take to finish.
    private let grace: Duration
    /// Takes what goes wrong on the way.
    private let reports: ReportDesk
    /// Called when all members are asked to reload; nil where nothing can be read again.
    private let onReload = Mutex<(@Sendable () -> Void)?>(nil)
    /// Wakes the thread.
    private let pipe = WakePipe()
    /// What came from others.
    private let messages = Mutex<[Message]>([])
    /// What others may know.
    private let standing = Mutex(ClusterStanding())

    /// The rules.
    private var member: ClusterMember
    /// The connection.
    private let connection: ClusterConnection
    /// The time in which the engine does not do what it is asked.
    private var silence: EngineSilence
    /// What the rules have ordered and is not done yet.
    private var orders: [ClusterMember.Order] = []
    /// What the engine has of partitions that are acquired and not begun.
    private var grants: [Int: PartitionGrant] = [:]
    /// Since when times are counted.
    private let start = ContinuousClock.now
    /// By when effects of all partitions are to finish; nil as long as the member stays.
    private var end: ContinuousClock.Instant?
    /// What is new in what the engine tells.
    private var news: RollNews

    /// A member that has not joined.
    init(
        _ presence: ClusterPresence, of configuration: ClusterConfiguration, _ cluster: any Cluster,
        _ workers: [PartitionWorker], stop: StopRequest, grace: Duration, reports: ReportDesk
    ) {
        self.presence = presence
        connection = ClusterConnection(to: cluster)
        silence = EngineSilence { reports.send(.cluster($0)) }
        news = RollNews(for: presence.name)
        self.workers = workers
        self.stop = stop
        self.grace = grace
        self.reports = reports
        member = ClusterMember(
            name: presence.name, partitions: configuration.partitions,
            times: ClusterMember.Times(lease: configuration.lease))
    }

    /// What is known at this moment; from any thread.
    var current: ClusterStanding { standing.withLock { $0 } }

    /// Sets what is called when all members are asked to reload.
    func onReload(_ body: @escaping @Sendable () -> Void) { onReload.withLock { $0 = body } }

    /// Takes what a worker tells; from any thread.
    func note(_ event: PartitionWorker.Event) { add(.event(event)) }

    /// Has workers woken that are not to wait for actions; from any thread.
    func wake() { pipe.wake() }

    /// Has all partitions loaded again, with other plugins; from any thread.
    func loadAgain(digest: String) { add(.reload(digest: digest)) }

    /// Begins to hand over all partitions; from any thread.
    func leave(by end: ContinuousClock.Instant) { add(.leave(by: end)) }

    /// Tells the thread something.
    private func add(_ one: Message) {
        messages.withLock { $0.append(one) }
        pipe.wake()
    }

    // MARK: - The thread

    /// Begins with the work, on a thread of its own; false when the system refuses one.
    func begin() -> Bool { BackgroundThread.start { [self] in run() } }

    /// Does what is to be done until the member has left.
    private func run() {
        while !isOver {
            for one in takeMessages() { take(one) }
            look()
            performNext()
            noteOwned()
            let hasCalled = callWorkers()
            // The lease is renewed also while thousands of partitions are acquired.
            guard orders.isEmpty else { continue }
            let left = member.wake(after: now) - now
            pipe.wait(
                atMost: hasCalled ? 1 : Int32(clamping: max(1, min(Int(left / .milliseconds(1)), 1_000))))
        }
        goAway()
    }

    /// Finds out what is to be done at this time.
    private func look() {
        let loaded = member.ownedCount(at: now)
        let found = member.tick(now)
        let dropped = found.count { if case .abandon = $0 { true } else { false } }
        if dropped > 0, dropped == loaded || member.ownedCount(at: now) == 0 { send(.lapsed(dropped)) }
        orders += found
    }

    /// Wakes workers that wait for actions and are not to; true when one may have been about to wait, and is to be woken again.
    private func callWorkers() -> Bool {
        guard connection.isOpen else { return false }
        let sleepers = workers.compactMap(\.sleeper)
        guard !sleepers.isEmpty else { return false }
        do throws(ClusterFailure) {
            try connection.use { engine throws(ClusterFailure) in
                for sleeper in sleepers where !member.hasLapsed(at: now) { _ = try engine.wake(sleeper) }
            }
        } catch {
            note(error)
            return false
        }
        return workers.contains { $0.sleeper != nil }
    }

    /// Whether everything is handed over, or the time for it is over, or going on would be wrong.
    private var isOver: Bool {
        if current.failure != nil { return true }
        guard let end else { return false }
        return member.isIdle || .now >= end.advanced(by: Self.handOverTime)
    }

    /// The time since the start.
    private var now: Duration { start.duration(to: .now) }

    /// What came since the last time.
    private func takeMessages() -> [Message] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }

    /// Takes what others tell.
    private func take(_ one: Message) {
        switch one {
        case .event(.finished(let partition)): orders += member.finished(partition, at: now)
        case .event(.fenced(let partition, let epoch)): member.fenced(partition, epoch: epoch)
        case .event(.failed(let failure)): fail(failure)
        case .event(.unreadable(let partition, let findings)):
            for finding in findings.all { send(.loaded(partition: partition, "\(finding)")) }
            let reason = findings.all.first.map { ": \($0)" } ?? ""
            fail(.refused("partition \(partition) cannot be loaded\(reason)"))
        case .reload(let digest):
            presence.digest = digest
            orders += member.loadAgain(at: now)
            standing.withLock { ($0.reloads, $0.isAtRest) = ($0.reloads + 1, false) }
        case .leave(let end):
            self.end = end
            orders += member.leave(at: now)
        }
    }

    /// Does what was ordered so far; what follows from it is for the next time.
    ///
    /// An engine that takes its time for each call may let the lease run out meanwhile: then nothing else is asked of it before the
    /// partitions are dropped.
    private func performNext() {
        let next = orders
        orders = []
        for order in next where current.failure == nil {
            switch order {
            case .renew(let call), .acquire(_, _, let call), .release(_, _, let call):
                if member.hasLapsed(at: now) { member.failed(call) } else { orders += perform(order) }
            case .begin, .finish, .abandon: orders += perform(order)
            }
        }
    }

    /// Does one thing, and gives what follows from it.
    private func perform(_ order: ClusterMember.Order) -> [ClusterMember.Order] {
        switch order {
        case .begin(let partition, _):
            if let grant = grants.removeValue(forKey: partition) {
                worker(of: partition).order(.begin(partition, grant))
            }
            return []
        case .finish(let partition):
            // Those that are handed over at the end have one time together, or the last of them would be dropped without a word.
            let left = end.map { ContinuousClock.now.duration(to: $0) } ?? grace
            worker(of: partition).order(.finish(partition, grace: max(.zero, min(grace, left))))
            return []
        case .abandon(let partition):
            worker(of: partition).order(.abandon(partition))
            return []
        case .renew(let call), .acquire(_, _, let call), .release(_, _, let call):
            do throws(ClusterFailure) {
                let follows = try connection.use { engine throws(ClusterFailure) in try ask(order, engine) }
                if silence.end() { standing.withLock { $0.trouble = nil } }
                return follows
            } catch {
                member.failed(call)
                note(error)
                return []
            }
        }
    }

    /// Asks the engine for one thing, and gives what follows from its answer.
    private func ask(_ order: ClusterMember.Order, _ engine: any ClusterEngine) throws(ClusterFailure)
        -> [ClusterMember.Order]
    {
        switch order {
        case .renew(let call):
            let roll = try engine.renew(presence, for: member.times.lease)
            note(roll)
            return member.renewed(roll, by: call, at: now)
        case .acquire(let partition, let epoch, let call):
            switch try engine.acquire(partition, for: presence.name, after: epoch) {
            case .granted(let epoch, let offset, let slices, let attempts):
                grants[partition] = PartitionGrant(
                    epoch: epoch, offset: offset, slices: slices, attempts: attempts)
                return member.acquired(partition, epoch: epoch, by: call, at: now)
            case .refused(let title): return member.refused(partition, title: title, by: call, at: now)
            }
        case .release(let partition, let epoch, let call):
            try engine.release(partition, of: presence.name, epoch: epoch)
            return member.released(partition, by: call, at: now)
        case .begin, .finish, .abandon: return []
        }
    }

    /// Whose a partition is.
    private func worker(of partition: Int) -> PartitionWorker { workers[partition % workers.count] }

    /// Takes note of a call that was not done.
    private func note(_ failure: ClusterFailure) {
        guard failure.mayPass else { return fail(failure) }
        if silence.begin(failure) { standing.withLock { $0.trouble = failure } }
    }

    /// Going on would be wrong.
    private func fail(_ failure: ClusterFailure) {
        let isFirst = standing.withLock { standing in
            defer { standing.failure = standing.failure ?? failure }
            return standing.failure == nil
        }
        if isFirst { stop.ask(.clusterFailed) }
    }

    /// Takes note of who is there.
    private func note(_ roll: ClusterRoll) {
        standing.withLock { $0.roll = roll }
        let new = news.take(roll, owned: member.ownedCount(at: now), digest: presence.digest)
        for notice in new.notices { send(notice) }
        if new.isReload { onReload.withLock { $0 }?() }
    }

    /// Lets others know what there is.
    private func noteOwned() {
        let (owned, isAtRest) = (member.ownedCount(at: now), member.isAtRest)
        standing.withLock { ($0.owned, $0.isAtRest) = (owned, isAtRest) }
    }

    /// Ends the workers, and the membership where nothing is left.
    private func goAway() {
        for worker in workers { worker.order(.end) }
        if current.failure == nil, member.isIdle {
            // Whoever is not told waits for the lease to run out.
            try? connection.use { engine throws(ClusterFailure) in try engine.leave(presence) }
        }
        standing.withLock { $0.hasLeft = true }
    }

    /// Tells an operator something.
    private func send(_ notice: ClusterNotice) { reports.send(.cluster(notice)) }
}
