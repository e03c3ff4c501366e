// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSupport
private import Synchronization

/// A thread that keeps the member's lease and assigns the member's partitions to the threads that run them.
///
/// `ClusterMember` decides the work; this class carries it out.
///
/// `@unchecked Sendable`: the lock guards messages from others; all else that varies is touched by the thread alone.
final class Membership: @unchecked Sendable {
    /// A message to the thread.
    enum Message: Sendable {
        /// An event of a thread that runs partitions.
        case event(PartitionThread.Event)
        /// Hand all partitions over, and load again those that stay, with plugins of this digest.
        case reload(digest: String)
        /// Load all partitions again from their checkpoints, because the engine may lack what was read after them.
        case replaced
        /// Hand all partitions over by this moment.
        case leave(by: ContinuousClock.Instant)
    }

    /// How long the last checkpoints and releases may take at the end, beyond the time of effects.
    private static let handOverTime = Duration.seconds(2)

    /// The member's presence.
    private var presence: ClusterPresence
    /// The threads that run partitions; each partition belongs to one.
    private let threads: [PartitionThread]
    /// The request to end.
    private let stop: StopRequest
    /// How long effects of a partition that is handed over may take to finish.
    private let grace: Duration
    /// Receives reports of problems.
    private let reports: Reporter
    /// Called when all members are asked to reload; nil where there is nothing to read again.
    private let onReload = Mutex<(@Sendable () -> Void)?>(nil)
    /// The messages from other threads.
    private let mailbox: Mailbox<Message>
    /// The standing that others may know.
    private let standing = Mutex(ClusterStanding())

    /// The rules of membership.
    private var member: ClusterMember
    /// The connection.
    private let connection: ClusterConnection
    /// The time in which the engine fails requests.
    private var silence: EngineSilence
    /// The orders of the rules that are not carried out yet.
    private var orders: [ClusterMember.Order] = []
    /// The engine's grants of partitions that are acquired and not begun.
    private var grants: [Int: PartitionGrant] = [:]
    /// The start of the member's time.
    private let start = ContinuousClock.now
    /// The deadline of all partitions' effects; nil while the member stays.
    private var end: ContinuousClock.Instant?
    /// Detects changes in the engine's rolls.
    private var changes: MembershipChanges
    /// Connects to the engine.
    private let cluster: any Cluster
    /// Keeps on the disk what the engine has confirmed; at once where the argument says so.
    private let keepPromise: (_ isLast: Bool) -> Void
    /// The unfinished work of partitions that have ended here, until it is reported.
    private var left = LeftWork()

    /// Creates a member that has not joined.
    ///
    /// - Parameters:
    ///   - mailbox: where the threads report.
    ///   - outage: tells the operator of an engine that does not answer; nil where nobody else of the member asks it.
    init(
        _ presence: ClusterPresence, of configuration: ClusterConfiguration, _ cluster: any Cluster,
        _ threads: [PartitionThread], _ mailbox: Mailbox<Message>, stop: StopRequest, grace: Duration,
        reports: Reporter, outage: EngineOutage? = nil,
        keepPromise: @escaping @Sendable (_ isLast: Bool) -> Void = { _ in }
    ) {
        self.presence = presence
        self.cluster = cluster
        self.keepPromise = keepPromise
        connection = ClusterConnection(to: cluster)
        silence = EngineSilence(in: outage ?? EngineOutage { reports.send(.cluster($0)) })
        changes = MembershipChanges(for: presence.name)
        self.threads = threads
        self.mailbox = mailbox
        self.stop = stop
        self.grace = grace
        self.reports = reports
        member = ClusterMember(
            name: presence.name, partitions: configuration.partitions,
            times: ClusterMember.Times(lease: configuration.lease), preparesAhead: true)
    }

    /// The current standing; from any thread.
    var current: ClusterStanding { standing.withLock { $0 } }

    /// Sets the callback for requests to reload all members.
    func onReload(_ body: @escaping @Sendable () -> Void) { onReload.withLock { $0 = body } }

    /// Has all partitions loaded again with other plugins; from any thread.
    func loadAgain(digest: String) { mailbox.send(.reload(digest: digest)) }

    /// Starts handing all partitions over; from any thread.
    func leave(by end: ContinuousClock.Instant) { mailbox.send(.leave(by: end)) }

    // MARK: - The thread

    /// Starts the thread; false when the system refuses one.
    func begin() -> Bool { BackgroundThread.start { [self] in run() } }

    /// Carries out the work until the member has left.
    private func run() {
        while !isOver {
            for one in mailbox.takeAll() { take(one) }
            look()
            performNext()
            noteOwned()
            let hasCalled = callThreads()
            // The lease is renewed even while thousands of partitions are acquired.
            guard orders.isEmpty else { continue }
            let left = member.wake(after: now) - now
            mailbox.pipe.wait(
                atMost: hasCalled ? 1 : Int32(clamping: max(1, min(Int(left / .milliseconds(1)), 1_000))))
        }
        goAway()
    }

    /// Determines the work due at this time.
    private func look() {
        let loaded = member.ownedCount(at: now)
        let found = member.tick(now)
        let dropped = found.count { if case .abandon = $0 { true } else { false } }
        if dropped > 0, dropped == loaded || member.ownedCount(at: now) == 0 { send(.lapsed(dropped)) }
        orders += found
    }

    /// Wakes threads of partitions that wait for actions and must not; true when one may have been about to wait and must be woken again.
    private func callThreads() -> Bool {
        guard connection.isOpen else { return false }
        let sleepers = threads.compactMap(\.sleeper)
        guard !sleepers.isEmpty else { return false }
        do throws(ClusterFailure) {
            try connection.use { engine throws(ClusterFailure) in
                for sleeper in sleepers where !member.hasLapsed(at: now) { _ = try engine.wake(sleeper) }
            }
        } catch {
            note(error)
            return false
        }
        return threads.contains { $0.sleeper != nil }
    }

    /// Whether everything is handed over, time is up, or continuing would be wrong.
    private var isOver: Bool {
        if current.failure != nil { return true }
        guard let end else { return false }
        return member.isIdle || .now >= end.advanced(by: Self.handOverTime)
    }

    /// The time since the start.
    private var now: Duration { start.duration(to: .now) }

    /// Handles a message.
    private func take(_ one: Message) {
        switch one {
        case .event(.prepared(let partition)): member.prepared(partition)
        case .event(.finished(let partition, let unfinished)):
            left.add(unfinished)
            orders += member.finished(partition, at: now)
        case .event(.fenced(let partition, let epoch)): member.fenced(partition, epoch: epoch)
        case .event(.failed(let failure)): fail(failure)
        case .event(.unreadable(let partition, let diagnostics)):
            for diagnostic in diagnostics.all { send(.loaded(partition: partition, "\(diagnostic)")) }
            let reason = diagnostics.all.first.map { ": \($0)" } ?? ""
            fail(.refused("partition \(partition) cannot be loaded\(reason)"))
        case .reload(let digest):
            presence.digest = digest
            orders += member.loadAgain(at: now)
            standing.withLock { ($0.reloads, $0.isSettled) = ($0.reloads + 1, false) }
        case .replaced:
            let dropped = member.dropAll()
            if !dropped.isEmpty { send(.reloaded(dropped.count)) }
            orders += dropped
        case .leave(let end):
            self.end = end
            orders += member.leave(at: now)
        }
    }

    /// Carries out the pending orders; orders that follow from them wait for the next time.
    ///
    /// A slow engine may let the lease run out meanwhile: then nothing else is asked of it before the partitions are dropped.
    private func performNext() {
        let next = orders
        orders = []
        for order in next where current.failure == nil {
            switch order {
            case .renew(let call), .acquire(_, _, let call), .release(_, _, let call):
                if member.hasLapsed(at: now) { member.failed(call) } else { perform(order, by: call) }
            case .prepare(let partition): thread(of: partition).order(.prepare(partition))
            case .discard(let partitions):
                for thread in threads { thread.order(.discard(partitions)) }
            case .begin(let partition, _):
                if let grant = grants.removeValue(forKey: partition) {
                    thread(of: partition).order(.begin(partition, grant))
                }
            case .finish(let partition):
                // Partitions handed over at the end share one deadline; otherwise the last ones would be dropped silently.
                let left = end.map { ContinuousClock.now.duration(to: $0) } ?? grace
                thread(of: partition).order(.finish(partition, grace: max(.zero, min(grace, left))))
            case .abandon(let partition): thread(of: partition).order(.abandon(partition))
            }
        }
    }

    /// Carries out an order to the engine, and adds the orders that follow.
    private func perform(_ order: ClusterMember.Order, by call: Int) {
        do throws(ClusterFailure) {
            orders += try connection.use { engine throws(ClusterFailure) in try ask(order, engine) }
            if silence.end() { standing.withLock { $0.trouble = nil } }
        } catch {
            member.failed(call)
            note(error)
        }
    }

    /// Sends one request to the engine, and returns the orders that follow from its answer.
    private func ask(_ order: ClusterMember.Order, _ engine: any ClusterEngine) throws(ClusterFailure)
        -> [ClusterMember.Order]
    {
        switch order {
        case .renew(let call):
            let roll = try engine.renew(presence, for: member.times.lease)
            note(roll)
            keepPromise(false)
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
        case .prepare, .discard, .begin, .finish, .abandon: return []
        }
    }

    /// Returns the thread of a partition.
    private func thread(of partition: Int) -> PartitionThread { threads[partition % threads.count] }

    /// Records a failed call.
    private func note(_ failure: ClusterFailure) {
        guard failure.mayPass else { return fail(failure) }
        if silence.begin(failure) { standing.withLock { $0.trouble = failure } }
    }

    /// Stops the member, because continuing would be wrong.
    private func fail(_ failure: ClusterFailure) {
        let isFirst = standing.withLock { standing in
            defer { standing.failure = standing.failure ?? failure }
            return standing.failure == nil
        }
        if isFirst { stop.ask(.clusterFailed) }
    }

    /// Halts the cluster for all members, if the engine has lost what it had confirmed; from any thread.
    func halt(for failure: ClusterFailure) {
        guard case .goneBack = failure else { return }
        do throws(ClusterFailure) {
            if try cluster.halt(for: failure, by: presence.name, at: Int(UnixTime.now)) {
                send(.halted(nil))
            }
        } catch {
            send(.halted(error))
        }
    }

    /// Records a roll from the engine.
    private func note(_ roll: ClusterRoll) {
        standing.withLock { $0.roll = roll }
        let new = changes.take(roll, owned: member.ownedCount(at: now), digest: presence.digest)
        for notice in new.notices { send(notice) }
        if new.isReload { onReload.withLock { $0 }?() }
    }

    /// Updates the public standing.
    private func noteOwned() {
        let (owned, intended, isSettled) = (
            member.ownedCount(at: now), member.intendedCount, member.isSettled
        )
        standing.withLock { ($0.owned, $0.intended, $0.isSettled) = (owned, intended, isSettled) }
        if !member.isHandingOver { reportLeft() }
    }

    /// Reports the unfinished work of all partitions that have ended since the last time.
    private func reportLeft() { for notice in left.take() { send(notice) } }

    /// Ends the threads, and the membership if nothing is left.
    private func goAway() {
        for thread in threads { thread.order(.end) }
        if let failure = current.failure { halt(for: failure) }
        keepPromise(true)
        reportLeft()
        let kept = member.ownedCount(at: now)
        if current.failure == nil, kept > 0 { send(.kept(kept)) }
        if current.failure == nil, member.isIdle {
            // Without this the others wait for the lease to run out.
            try? connection.use { engine throws(ClusterFailure) in try engine.leave(presence) }
        }
        standing.withLock { $0.hasLeft = true }
    }

    /// Reports to the operator.
    private func send(_ notice: ClusterNotice) { reports.send(.cluster(notice)) }
}
