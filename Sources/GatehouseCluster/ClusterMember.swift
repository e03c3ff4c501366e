// SPDX-License-Identifier: Apache-2.0

/// What one member of a cluster does about partitions: keeps its lease, acquires what falls to it, hands over what falls to others.
///
/// A value without clocks, threads or IO: time and replies go in, orders come out, so that the same code runs in a host and in the
/// simulation. All times are those of the member's own steady clock.
///
/// The engine decides, the member only believes. A partition is acquired against the epoch that was known, so that of two members,
/// or of a call and its late repetition, one gets it. What is written under an older epoch is refused, so a member that slept
/// through its lease does no harm.
public struct ClusterMember: Sendable {
    /// What is to be done; each is answered by the function that it names.
    public enum Order: Equatable, Sendable {
        /// Renew the lease of this member; then ``renewed(_:by:at:)``, or ``failed(_:)``.
        case renew(call: Int)
        /// Acquire a partition if its epoch is still this one; then ``acquired(_:epoch:by:at:)``, ``refused(_:title:by:at:)`` or ``failed(_:)``.
        case acquire(Int, after: Int, call: Int)
        /// Give a partition back; then ``released(_:by:at:)`` or ``failed(_:)``.
        case release(Int, epoch: Int, call: Int)
        /// Load a partition from its checkpoint, and process it under an epoch.
        case begin(Int, epoch: Int)
        /// Read no more of a partition, process what was read and write its checkpoint; then ``finished(_:at:)``.
        case finish(Int)
        /// Drop a partition as it is: nothing of it that is not in the checkpoint counts.
        case abandon(Int)
    }

    /// The times of the protocol.
    public struct Times: Equatable, Sendable {
        /// How long the engine takes a member for alive that does not renew.
        public var lease: Duration
        /// The time between two renewals while nothing moves.
        public var renewal: Duration { lease / 3 }
        /// The same while partitions move.
        public var haste: Duration { lease / 15 }
        /// A call without an answer is given up after so long.
        public var patience: Duration { lease / 3 }
        /// How long a member believes in its own lease, from the moment of asking; less than the engine does, since clocks differ.
        public var belief: Duration { lease * 9 / 10 }

        /// Times around a lease.
        public init(lease: Duration) { self.lease = lease }
    }

    /// So many partitions are acquired at the same time.
    private static let acquisitionsAtOnce = 16
    /// So many partitions are handed over at the same time by a member that stays: one, or one of each 64 that there are. One that leaves
    /// hands over all at once, so that the effects of each have all the time that there is.
    private var handOversAtOnce: Int { isLeaving ? .max : max(1, unsettled.count / 64) }

    /// The name of this member, which it keeps over its lives: one that is started anew acquires what its name owns at once, under a
    /// higher epoch. Of two processes of a name the one that joined last counts, and the engine tells the other one.
    public let name: String
    /// The times of the protocol.
    public let times: Times
    /// What the engine knew last.
    private var roll: ClusterRoll
    /// Who should own each partition, as far as is known.
    private var heirs: Heirs
    /// What this member has to do with, by partition.
    private var stages: [Int: PartitionStage] = [:]
    /// Which partitions this member has, or should have, that do not simply stay where they are; only these are looked at when
    /// something has changed.
    private var unsettled: [Bool]
    /// How many of them there are.
    private var unsettledCount = 0
    /// Calls without an answer.
    private var calls = PendingCalls()
    /// The call that renews; nil when none is on its way.
    private var renewing: Int?
    /// When the lease was last asked for; nil before the first time.
    private var lastAsked: Duration?
    /// Until when this member believes that it has its lease.
    public private(set) var deadline = Duration.zero
    /// Whether it wants no partitions any more.
    private var isLeaving = false
    /// Whether something has changed since it was last looked at what should move.
    private var mayMove = false

    /// A member that has asked for nothing.
    public init(name: String, partitions: Int, times: Times) {
        self.name = name
        self.times = times
        roll = ClusterRoll(live: [], titles: Array(repeating: .init(), count: partitions))
        heirs = Heirs(partitions: partitions)
        unsettled = Array(repeating: false, count: partitions)
    }

    // MARK: - What there is

    /// How many partitions may be written at a time.
    public func ownedCount(at now: Duration) -> Int {
        now < deadline ? stages.values.count(where: \.isLoaded) : 0
    }

    /// The epoch under which a partition may be written at a time; nil when it may not.
    public func epoch(of partition: Int, at now: Duration) -> Int? {
        guard now < deadline, let stage = stages[partition], stage.isLoaded else { return nil }
        return stage.epoch
    }

    /// The epochs of the partitions that may be written at a time.
    public func owned(at now: Duration) -> [Int: Int] {
        guard now < deadline else { return [:] }
        return stages.compactMapValues { $0.isLoaded ? $0.epoch : nil }
    }

    /// Whether its lease is over, and it has partitions that it has to drop.
    public func hasLapsed(at now: Duration) -> Bool { now >= deadline && !stages.isEmpty }

    /// Whether it owns nothing, and is about to own nothing.
    public var isIdle: Bool { stages.isEmpty }

    /// Whether nothing is on its way to this member or from it.
    public var isAtRest: Bool { unsettledCount == 0 }

    /// Whether it should own nothing, as it was told or wishes itself.
    private var isEmptying: Bool { isLeaving || roll.draining.contains(name) }

    /// Finds out anew who should own what: nobody, when all are draining.
    private mutating func findHeirs() {
        var members = roll.live.subtracting(roll.draining)
        if isLeaving { members.remove(name) }
        heirs.settle(among: members)
        lookAtAll()
    }

    // MARK: - What changes

    /// Takes note of how far this member is with a partition, and of a title where one was told.
    private mutating func set(_ partition: Int, _ stage: PartitionStage?, title: ClusterRoll.Title? = nil) {
        if let title { roll.titles[partition] = title }
        stages[partition] = stage
        look(at: partition)
        mayMove = true
    }

    /// Forgets all partitions.
    private mutating func forgetAll() {
        stages = [:]
        lookAtAll()
    }

    /// Finds out anew whether each partition is where it belongs.
    private mutating func lookAtAll() {
        for partition in unsettled.indices { look(at: partition) }
        mayMove = true
    }

    /// Finds out whether a partition is where it belongs, as far as this member has to do with it.
    private mutating func look(at partition: Int) {
        let stage = stages[partition]
        let isSettled =
            heirs[partition] == name
            ? stage?.isRunning == true : stage == nil && roll.titles[partition].owner != name
        guard unsettled[partition] == isSettled else { return }
        unsettled[partition] = !isSettled
        unsettledCount += isSettled ? -1 : 1
    }

    // MARK: - Time

    /// What is to be done at a time; to be asked again by ``wake(after:)``.
    public mutating func tick(_ now: Duration) -> [Order] {
        var orders: [Order] = []
        for call in calls.made(by: now - times.patience) { forget(call) }
        if now >= deadline, !stages.isEmpty {
            // Somebody else may have them already.
            for (partition, stage) in stages.sorted(by: { $0.key < $1.key }) {
                if stage.isLoaded { orders.append(.abandon(partition)) }
            }
            forgetAll()
        }
        if renewing == nil, now >= nextRenewal {
            let call = calls.begin(at: now)
            renewing = call
            lastAsked = now
            orders.append(.renew(call: call))
        }
        return orders + move(now)
    }

    /// The time at which ``tick(_:)`` has something to do again, if nothing else happens.
    public func wake(after now: Duration) -> Duration {
        let next = [
            calls.oldest.map { $0 + times.patience }, renewing == nil ? nextRenewal : nil,
            stages.isEmpty ? nil : deadline,
        ]
        return max(now, next.compactMap(\.self).min() ?? now + times.renewal)
    }

    /// When the lease is to be renewed.
    private var nextRenewal: Duration {
        guard let lastAsked else { return .zero }
        return lastAsked + (isAtRest ? times.renewal : times.haste)
    }

    // MARK: - Answers

    /// The lease was renewed.
    public mutating func renewed(_ roll: ClusterRoll, by call: Int, at now: Duration) -> [Order] {
        guard let asked = calls.end(call) else { return [] }
        if renewing == call { renewing = nil }
        deadline = max(deadline, asked + times.belief)
        let isFamiliar = roll.live == self.roll.live && roll.draining == self.roll.draining
        self.roll = roll
        if isFamiliar { lookAtAll() } else { findHeirs() }
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

    /// A partition belongs to this member now.
    public mutating func acquired(_ partition: Int, epoch: Int, by call: Int, at now: Duration) -> [Order] {
        guard calls.end(call) != nil, stages[partition] == .acquiring(call: call) else {
            return []
        }
        set(partition, .running(epoch: epoch), title: .init(owner: name, epoch: epoch))
        return [.begin(partition, epoch: epoch)] + move(now)
    }

    /// A partition belongs to another member, or its epoch was not the one that was known.
    public mutating func refused(_ partition: Int, title: ClusterRoll.Title, by call: Int, at now: Duration)
        -> [Order]
    {
        guard calls.end(call) != nil, stages[partition] == .acquiring(call: call) else {
            return []
        }
        set(partition, nil, title: title)
        // A member that is not there does not hold it; the next roll says whether it still is.
        return title.owner == name || title.owner == nil ? move(now) : []
    }

    /// A partition was given back.
    public mutating func released(_ partition: Int, by call: Int, at now: Duration) -> [Order] {
        guard calls.end(call) != nil else { return [] }
        guard case .releasing(let epoch, call) = stages[partition] else { return [] }
        set(partition, nil, title: .init(owner: nil, epoch: epoch))
        return move(now)
    }

    /// A call had no answer.
    public mutating func failed(_ call: Int) { forget(call) }

    /// All that was read of a partition is in its checkpoint.
    public mutating func finished(_ partition: Int, at now: Duration) -> [Order] {
        guard case .finishing(let epoch) = stages[partition] else { return [] }
        let call = calls.begin(at: now)
        set(partition, .releasing(epoch: epoch, call: call))
        return [.release(partition, epoch: epoch, call: call)]
    }

    /// The engine refused what was written under an epoch: somebody else has the partition. It has been dropped.
    public mutating func fenced(_ partition: Int, epoch: Int) {
        guard stages[partition]?.epoch == epoch else { return }
        set(partition, nil)
    }

    /// Wants no partitions any more: hands all of them over.
    public mutating func leave(at now: Duration) -> [Order] {
        isLeaving = true
        findHeirs()
        return move(now)
    }

    /// Brings all partitions to an end and begins them again, from their checkpoints: they are to be processed in another way.
    public mutating func loadAgain(at now: Duration) -> [Order] {
        var orders: [Order] = []
        for (partition, stage) in stages.sorted(by: { $0.key < $1.key }) {
            guard case .running(let epoch) = stage else { continue }
            set(partition, .finishing(epoch: epoch))
            orders.append(.finish(partition))
        }
        return orders
    }

    // MARK: - Moving

    /// Acquires what falls to this member, and hands over what falls to others, not too many at a time.
    private mutating func move(_ now: Duration) -> [Order] {
        guard mayMove, now < deadline else { return [] }
        var orders: [Order] = []
        var acquiring = stages.values.count { $0.isComing }
        var going = stages.values.count { $0.isGoing }
        for partition in unsettled.indices where unsettled[partition] {
            let title = roll.titles[partition]
            let heir = heirs[partition]
            switch stages[partition] {
            case .running(let epoch)
            where heir != name && going < handOversAtOnce && (heir != nil || isEmptying):
                going += 1
                set(partition, .finishing(epoch: epoch))
                orders.append(.finish(partition))
            case nil where heir == name && acquiring < Self.acquisitionsAtOnce:
                // Its owner lives, and hands it over when it has seen this member.
                if let owner = title.owner, owner != name, roll.live.contains(owner) { continue }
                acquiring += 1
                let call = calls.begin(at: now)
                set(partition, .acquiring(call: call))
                orders.append(.acquire(partition, after: title.epoch, call: call))
            case nil where title.owner == name && heir != name:
                // The answer to its release, or to its acquisition, was lost.
                let call = calls.begin(at: now)
                set(partition, .releasing(epoch: title.epoch, call: call))
                orders.append(.release(partition, epoch: title.epoch, call: call))
            default: break
            }
        }
        mayMove = false
        return orders
    }

    /// Gives a call up; what it was for is decided by the next roll.
    private mutating func forget(_ call: Int) {
        calls.end(call)
        if renewing == call { renewing = nil }
        for (partition, stage) in stages where stage.call == call { set(partition, nil) }
    }
}
