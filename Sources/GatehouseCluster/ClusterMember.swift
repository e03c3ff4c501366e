// SPDX-License-Identifier: Apache-2.0

/// The rules of one cluster member for partitions: keeps its lease, acquires partitions that fall to it, hands over those that fall to
/// others.
///
/// A value without clocks, threads or I/O: time and replies go in, orders come out, so that the same code runs in a host and in the
/// simulation. All times are those of the member's own steady clock.
///
/// The engine decides; the member only believes. A partition is acquired against the known epoch, so that of two members, or of a call and
/// its late repetition, one gets it. Writes under an older epoch are refused, so a member that slept through its lease does no harm.
package struct ClusterMember: Sendable {
    /// An order to the host; the function named in each takes the answer.
    package enum Order: Equatable, Sendable {
        /// Renew the lease of this member; then ``renewed(_:by:at:)``, or ``failed(_:)``.
        case renew(call: Int)
        /// Make the instances of a partition that is about to come; then ``prepared(_:)``.
        case prepare(Int)
        /// Drop what was made for partitions that do not come.
        case discard(Set<Int>)
        /// Acquire a partition if its epoch is still this one; then ``acquired(_:epoch:by:at:)``, ``refused(_:title:by:at:)`` or ``failed(_:)``.
        case acquire(Int, after: Int, call: Int)
        /// Release a partition; then ``released(_:by:at:)`` or ``failed(_:)``.
        case release(Int, epoch: Int, call: Int)
        /// Load a partition from its checkpoint, and process it under an epoch.
        case begin(Int, epoch: Int)
        /// Read no more of a partition, process what was read and write its checkpoint; then ``finished(_:at:)``.
        case finish(Int)
        /// Drop a partition as it is: only its checkpoint counts.
        case abandon(Int)
    }

    /// The times of the protocol.
    package struct Times: Equatable, Sendable {
        /// How long the engine considers a member alive that does not renew.
        package var lease: Duration
        /// The time between two renewals while nothing moves.
        package var renewal: Duration { lease / 3 }
        /// The time between two renewals while partitions move.
        var haste: Duration { lease / 15 }
        /// The time after which an unanswered call is given up.
        package var patience: Duration { lease / 3 }
        /// How long a member believes in its own lease, from the moment of asking; less than the engine does, since clocks differ.
        package var belief: Duration { lease * 9 / 10 }

        /// Creates the times for a lease.
        package init(lease: Duration) { self.lease = lease }
    }

    /// The most partitions acquired at the same time.
    private static let acquisitionsAtOnce = 16
    /// The most partitions whose instances are being made at the same time.
    private static let preparationsAtOnce = 64
    /// The most partitions handed over at the same time: one of each eight, at least one, for a member that stays; all for one that
    /// leaves, so that the effects of each have all the available time.
    private var handOversAtOnce: Int { isLeaving ? .max : max(1, unsettled.count / 8) }

    /// The name of this member, kept over its lives: a restarted one acquires what its name owns at once, under a higher epoch; of
    /// two processes of a name the last to join counts, and the engine notifies the other.
    package let name: String
    /// The times of the protocol.
    package let times: Times
    /// The last roll from the engine.
    private var roll: ClusterRoll
    /// The intended owners of the partitions, as far as known.
    private var intendedOwners: RendezvousTable
    /// The number of partitions that this member should own, as far as known.
    package private(set) var intendedCount = 0
    /// The stages of the partitions that concern this member.
    private var stages: [Int: PartitionStage] = [:]
    /// The partitions that this member has, or should have, and that must move; only these are examined after a change.
    private var unsettled: [Bool]
    /// The number of unsettled partitions.
    private var unsettledCount = 0
    /// The numbers of partitions that are moving to this member, that are moving from it, and that it has and must hand over.
    private var moving = (coming: 0, going: 0, leaving: 0)
    /// The partitions that it has and must hand over.
    private var mustLeave: [Bool]
    /// What is made for partitions before they come; nil for a member that makes nothing before.
    private var preparations: PartitionPreparations?
    /// Whether the intended owners have changed since it was last considered what is made in vain.
    private var mayDiscard = false
    /// Calls without an answer.
    private var calls = PendingCalls()
    /// The call that renews; nil when there is none.
    private var renewing: Int?
    /// When the lease was last requested; nil before the first time.
    private var lastAsked: Duration?
    /// Whether the last roll showed every partition settled, so that everybody sees it.
    private var isKnownToAll = true
    /// The time until which this member believes in its lease.
    package private(set) var deadline = Duration.zero
    /// Whether the member is giving up all partitions.
    private var isLeaving = false
    /// Whether anything has changed since moves were last considered.
    private var mayMove = false

    /// Creates a member that has asked for nothing.
    ///
    /// - Parameter preparesAhead: whether it makes the instances of a partition before it acquires it, so that nobody waits for
    ///   them.
    package init(name: String, partitions: Int, times: Times, preparesAhead: Bool = false) {
        preparations = preparesAhead ? PartitionPreparations() : nil
        self.name = name
        self.times = times
        roll = ClusterRoll(live: [], titles: Array(repeating: .init(), count: partitions))
        intendedOwners = RendezvousTable(partitions: partitions)
        unsettled = Array(repeating: false, count: partitions)
        mustLeave = unsettled
    }

    // MARK: - What there is

    /// Returns the number of partitions that may be written at a time.
    package func ownedCount(at now: Duration) -> Int {
        now < deadline ? stages.values.count(where: \.isLoaded) : 0
    }

    /// Returns the epoch under which a partition may be written at a time; nil when it may not.
    package func epoch(of partition: Int, at now: Duration) -> Int? {
        guard now < deadline, let stage = stages[partition], stage.isLoaded else { return nil }
        return stage.epoch
    }

    /// Returns the epochs of the partitions that may be written at a time.
    package func owned(at now: Duration) -> [Int: Int] {
        guard now < deadline else { return [:] }
        return stages.compactMapValues { $0.isLoaded ? $0.epoch : nil }
    }

    /// Whether the lease is over while there are partitions to drop.
    package func hasLapsed(at now: Duration) -> Bool { now >= deadline && !stages.isEmpty }

    /// Whether the member owns nothing, and is not about to.
    package var isIdle: Bool { stages.isEmpty }

    /// Whether nothing is moving to this member or from it.
    package var isSettled: Bool { unsettledCount == 0 }

    /// Whether partitions are ending here, for another member or to begin again.
    package var isHandingOver: Bool { stages.values.contains(where: \.isGoing) }

    /// Whether the member should own nothing, because it is drained or leaving.
    private var isEmptying: Bool { isLeaving || roll.draining.contains(name) }

    /// Determines the intended owners again: none, when all are draining.
    private mutating func findIntendedOwners() {
        var members = roll.live.subtracting(roll.draining)
        if isLeaving { members.remove(name) }
        intendedOwners.settle(among: members)
        intendedCount = unsettled.indices.count { intendedOwners[$0] == name }
        mayDiscard = true
        lookAtAll()
    }

    // MARK: - What changes

    /// Sets this member's stage of a partition, and a title if given.
    private mutating func set(_ partition: Int, _ stage: PartitionStage?, title: ClusterRoll.Title? = nil) {
        if let title { roll.titles[partition] = title }
        let before = stages[partition]
        stages[partition] = stage
        moving.coming += (stage?.isComing == true ? 1 : 0) - (before?.isComing == true ? 1 : 0)
        moving.going += (stage?.isGoing == true ? 1 : 0) - (before?.isGoing == true ? 1 : 0)
        look(at: partition)
        mayMove = true
    }

    /// Determines again which partitions are unsettled.
    private mutating func lookAtAll() {
        for partition in unsettled.indices { look(at: partition) }
        mayMove = true
    }

    /// Determines whether a partition is settled, as far as it concerns this member.
    private mutating func look(at partition: Int) {
        let stage = stages[partition]
        let isIntended = intendedOwners[partition] == name
        let leaves = !isIntended && stage?.isRunning == true
        if mustLeave[partition] != leaves {
            mustLeave[partition] = leaves
            moving.leaving += leaves ? 1 : -1
        }
        let isSettled =
            isIntended ? stage?.isRunning == true : stage == nil && roll.titles[partition].owner != name
        guard unsettled[partition] == isSettled else { return }
        unsettled[partition] = !isSettled
        unsettledCount += isSettled ? -1 : 1
    }

    // MARK: - Time

    /// Returns the orders due at a time; must be called again by ``wake(after:)``.
    package mutating func tick(_ now: Duration) -> [Order] {
        var orders: [Order] = []
        for call in calls.made(by: now - times.patience) { failed(call) }
        if now >= deadline, !stages.isEmpty {
            // Another member may have them already.
            orders += dropAll()
        }
        if renewing == nil, now >= nextRenewal {
            let call = calls.begin(at: now)
            renewing = call
            lastAsked = now
            orders.append(.renew(call: call))
        }
        return orders + move(now)
    }

    /// Drops all partitions as they are; the member acquires again what is its own, from the checkpoints.
    package mutating func dropAll() -> [Order] {
        let orders = stages.sorted { $0.key < $1.key }.compactMap { partition, stage in
            stage.isLoaded ? Order.abandon(partition) : nil
        }
        stages = [:]
        (moving.coming, moving.going) = (0, 0)
        lookAtAll()
        return orders
    }

    /// Returns the time at which ``tick(_:)`` has work again, if nothing else happens.
    package func wake(after now: Duration) -> Duration {
        let next = [
            calls.oldest.map { $0 + times.patience }, renewing == nil ? nextRenewal : nil,
            stages.isEmpty ? nil : deadline,
        ]
        return max(now, next.compactMap(\.self).min() ?? now + times.renewal)
    }

    /// The time of the next renewal.
    private var nextRenewal: Duration {
        guard let lastAsked else { return .zero }
        return lastAsked + (isSettled && isKnownToAll ? times.renewal : times.haste)
    }

    // MARK: - Answers

    /// Takes the answer to a renewal.
    package mutating func renewed(_ roll: ClusterRoll, by call: Int, at now: Duration) -> [Order] {
        guard let asked = calls.end(call) else { return [] }
        if renewing == call { renewing = nil }
        deadline = max(deadline, asked + times.belief)
        let isFamiliar = roll.live == self.roll.live && roll.draining == self.roll.draining
        self.roll = roll
        if isFamiliar { lookAtAll() } else { findIntendedOwners() }
        isKnownToAll = isSettled
        var orders: [Order] = []
        for (partition, stage) in stages.sorted(by: { $0.key < $1.key }) {
            guard let epoch = stage.epoch, roll.titles[partition] != .init(owner: name, epoch: epoch) else {
                continue
            }
            if stage.isLoaded { orders.append(.abandon(partition)) }
            set(partition, nil)
        }
        return orders + move(now)
    }

    /// Records that the instances of a partition are made, as far as that is possible before its state is known; the next
    /// ``tick(_:)`` orders what follows, for all of them together.
    package mutating func prepared(_ partition: Int) {
        if preparations?.end(partition) == true { mayMove = true }
    }

    /// Takes the grant of a partition.
    package mutating func acquired(_ partition: Int, epoch: Int, by call: Int, at now: Duration) -> [Order] {
        guard calls.end(call) != nil, stages[partition] == .acquiring(call: call) else { return [] }
        set(partition, .running(epoch: epoch), title: .init(owner: name, epoch: epoch))
        preparations?.use(partition)
        return [.begin(partition, epoch: epoch)] + move(now)
    }

    /// Takes the refusal of a partition: it belongs to another member, or the known epoch was outdated.
    package mutating func refused(_ partition: Int, title: ClusterRoll.Title, by call: Int, at now: Duration)
        -> [Order]
    {
        guard calls.end(call) != nil, stages[partition] == .acquiring(call: call) else { return [] }
        set(partition, nil, title: title)
        // A dead member does not hold it; the next roll says whether it is still dead.
        return title.owner == name || title.owner == nil ? move(now) : []
    }

    /// Takes the confirmation of a release.
    package mutating func released(_ partition: Int, by call: Int, at now: Duration) -> [Order] {
        guard calls.end(call) != nil else { return [] }
        guard case .releasing(let epoch, call) = stages[partition] else { return [] }
        set(partition, nil, title: .init(owner: nil, epoch: epoch))
        return move(now)
    }

    /// Gives a failed call up; the next roll decides its outcome.
    package mutating func failed(_ call: Int) {
        calls.end(call)
        if renewing == call { renewing = nil }
        for (partition, stage) in stages where stage.call == call { set(partition, nil) }
    }

    /// Records that the checkpoint of a partition includes everything that was read.
    package mutating func finished(_ partition: Int, at now: Duration) -> [Order] {
        guard case .finishing(let epoch) = stages[partition] else { return [] }
        let call = calls.begin(at: now)
        set(partition, .releasing(epoch: epoch, call: call))
        return [.release(partition, epoch: epoch, call: call)]
    }

    /// Forgets a partition, dropped after the engine refused a write under an epoch: another member has it.
    package mutating func fenced(_ partition: Int, epoch: Int) {
        guard stages[partition]?.epoch == epoch else { return }
        set(partition, nil)
    }

    /// Starts giving up all partitions.
    package mutating func leave(at now: Duration) -> [Order] {
        isLeaving = true
        findIntendedOwners()
        return move(now)
    }

    /// Ends all partitions and begins them again from their checkpoints, to be processed in another way.
    package mutating func loadAgain(at now: Duration) -> [Order] {
        var orders: [Order] = []
        if let made = preparations?.drop(where: { _ in true }), !made.isEmpty {
            orders.append(.discard(made))
        }
        mayMove = true
        for (partition, stage) in stages.sorted(by: { $0.key < $1.key }) {
            guard case .running(let epoch) = stage else { continue }
            set(partition, .finishing(epoch: epoch))
            orders.append(.finish(partition))
        }
        return orders
    }

    // MARK: - Moving

    /// Acquires partitions that fall to this member, and hands over those that fall to others, not too many at a time.
    private mutating func move(_ now: Duration) -> [Order] {
        guard mayMove, now < deadline else { return [] }
        var orders: [Order] = []
        if mayDiscard, let dropped = preparations?.drop(where: { intendedOwners[$0] != name }),
            !dropped.isEmpty
        {
            orders.append(.discard(dropped))
        }
        mayDiscard = false
        var (acquiring, going) = (moving.coming, moving.going)
        for partition in unsettled.indices where unsettled[partition] {
            // With thousands of partitions most of these looks find that enough is under way; the next answer leads to another one.
            if acquiring >= Self.acquisitionsAtOnce, moving.leaving == 0 || going >= handOversAtOnce,
                preparations?.hasRoom(for: Self.preparationsAtOnce) != true
            {
                break
            }
            let title = roll.titles[partition]
            let intendedOwner = intendedOwners[partition]
            switch stages[partition] {
            case .running(let epoch)
            where intendedOwner != name && going < handOversAtOnce && (intendedOwner != nil || isEmptying):
                going += 1
                set(partition, .finishing(epoch: epoch))
                orders.append(.finish(partition))
            case nil where intendedOwner == name:
                if preparations?.areDone(for: partition) == false {
                    if preparations?.begin(partition, atMost: Self.preparationsAtOnce) == true {
                        orders.append(.prepare(partition))
                    }
                    continue
                }
                guard acquiring < Self.acquisitionsAtOnce else { continue }
                // The owner is alive, and hands it over once it has seen this member.
                if let owner = title.owner, owner != name, roll.live.contains(owner) { continue }
                acquiring += 1
                let call = calls.begin(at: now)
                set(partition, .acquiring(call: call))
                orders.append(.acquire(partition, after: title.epoch, call: call))
            case nil where title.owner == name:
                // The answer to the release, or to the acquisition, was lost.
                let call = calls.begin(at: now)
                set(partition, .releasing(epoch: title.epoch, call: call))
                orders.append(.release(partition, epoch: title.epoch, call: call))
            default: break
            }
        }
        mayMove = false
        return orders
    }
}
