// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import SeededTesting

/// Members and an engine on simulated clocks and a simulated network, whose every coincidence follows from a seed.
public struct SimulatedCluster {
    /// What a simulation is made of.
    public struct Terms: Sendable {
        /// How many members there are.
        public var members: Int
        /// How many partitions there are.
        public var partitions: Int
        /// How long a lease lasts.
        public var lease = Duration.seconds(3)
        /// Members crash, sleep and lose messages so long.
        public var faulty = Duration.seconds(40)
        /// The whole time; the last part is calm.
        public var end = Duration.seconds(60)
        /// The time between two failures of one member, at the most.
        public var peace = Duration.seconds(40)
        /// How many of a hundred messages are lost.
        public var lost = 5
        /// How many of a hundred messages are late by up to a lease.
        public var late = 3

        /// Terms of a cluster of a size.
        public init(members: Int, partitions: Int) {
            self.members = members
            self.partitions = partitions
        }
    }

    /// What happens at a time.
    private enum Event {
        /// Somebody looks at the clock.
        case tick(number: Int, member: Int, life: Int)
        /// A call reaches the engine.
        case call(Call, member: Int, life: Int)
        /// An answer reaches a member.
        case answer(Answer, member: Int, life: Int)
        /// A partition is processed a little further.
        case step(partition: Int, epoch: Int, member: Int, life: Int)
        /// An answer to a checkpoint does not come.
        case missing(partition: Int, epoch: Int, attempt: Int, member: Int, life: Int)
        /// Something befalls a member.
        case destiny(member: Int)
        /// A member that slept is there again.
        case wake
        /// A member that is down is started again.
        case start(member: Int)
    }

    /// What a member asks the engine.
    private enum Call {
        case renew(Int)
        case acquire(Int, after: Int, Int)
        case release(Int, epoch: Int, Int)
        case checkpoint(Int, epoch: Int, from: Int, to: Int, attempt: Int)
    }

    /// What the engine says.
    private enum Answer {
        case renewed(ClusterRoll, Int)
        case superseded
        case acquired(Int, epoch: Int, offset: Int, Int)
        case refused(Int, ClusterRoll.Title, Int)
        case released(Int, Int)
        case written(Int, epoch: Int, attempt: Int, Bool)
    }

    /// A partition that a member processes.
    private struct Work {
        var epoch: Int
        var offset: Int
        /// The checkpoint on its way; nil for none.
        var attempt: Int?
        /// Whether it is being brought to an end.
        var isFinishing = false
    }

    /// A member and its machine.
    private struct Machine {
        /// The protocol; nil while it is down.
        var member: ClusterMember?
        /// Its name; two machines have it, so that a life may begin while the one before is there.
        let name: String
        /// Which of all processes it is.
        var life = 0
        /// How fast its clock runs.
        var rate: Double
        /// It does nothing before this time.
        var asleep = Duration.zero
        /// What it processes, by partition.
        var work: [Int: Work] = [:]
        /// The offsets that came with acquisitions.
        var loaded: [Int: Int] = [:]
        /// The number of the look at the clock that is to come; earlier ones are void.
        var ticks = 0
    }

    /// Who has a partition, and since when nobody.
    private struct Holder {
        var member: Int?
        var free = Duration.zero
    }

    private let terms: Terms
    private var generator: SeededGenerator
    private var engine: SimulatedEngine
    private var machines: [Machine]
    private var events = EventQueue<Event>()
    private var now = Duration.zero
    private var attempts = 0
    private var lives = 0
    private var holders: [Holder]
    /// What should never be.
    public private(set) var faults: [String] = []
    /// When a member failed last, or came back.
    private var unrest = Duration.zero
    /// The longest time that nobody had a partition, without another failure meanwhile.
    public private(set) var longestGap = Duration.zero
    /// How often a partition changed hands.
    public private(set) var moves = 0

    /// A cluster whose members start within a second.
    public init(_ terms: Terms, seed: UInt64) {
        self.terms = terms
        generator = SeededGenerator(seed: seed)
        engine = SimulatedEngine(partitions: terms.partitions, lease: terms.lease)
        holders = Array(repeating: Holder(), count: terms.partitions)
        machines = []
        for index in 0..<2 * terms.members {
            machines.append(
                Machine(
                    name: "m\(index % terms.members)", rate: Double.random(in: 0.97...1.03, using: &generator)
                ))
        }
        for member in 0..<terms.members {
            events.add(.start(member: member), at: random(.seconds(1)))
            // The first never fails, so that somebody is always there.
            if member > 0 { events.add(.destiny(member: member), at: random(terms.peace)) }
        }
    }

    /// Runs to the end, and looks at what is there then.
    public mutating func run() {
        while let (time, event) = events.next(), time <= terms.end {
            now = time
            handle(event)
        }
        now = terms.end
        for (partition, holder) in holders.enumerated() {
            let names = Set(machines.compactMap { $0.member?.name }).subtracting(engine.draining)
            let heir = Rendezvous.owner(of: partition, among: names)
            let wanted = machines.firstIndex { $0.member?.name == heir }
            if holder.member == nil { note(gap: terms.end, since: holder.free) }
            if holder.member != wanted || !holds(partition) {
                faults.append(
                    "\(partition) is with \(holder.member ?? -1) in the end, not with \(wanted ?? -1)")
            }
        }
        faults += engine.faults
        if engine.offsets.contains(0) { faults.append("a partition was never processed") }
    }

    // MARK: - Chance

    private mutating func random(_ most: Duration) -> Duration {
        .nanoseconds(Int64.random(in: 0...Int64(most / .nanoseconds(1)), using: &generator))
    }

    private mutating func chance(_ percent: Int) -> Bool {
        now < terms.faulty && Int.random(in: 0..<100, using: &generator) < percent
    }

    // MARK: - The network

    /// Sends something, which is lost or late sometimes.
    private mutating func send(_ event: Event) {
        if chance(terms.lost) { return }
        let delay = Duration.microseconds(200) + random(chance(terms.late) ? terms.lease : .milliseconds(20))
        events.add(event, at: now + delay)
    }

    // MARK: - Events

    private mutating func handle(_ event: Event) {
        switch event {
        case .start(let index): start(index)
        case .destiny(let index): befall(index)
        case .wake: unrest = now
        case .call(let call, let index, let life): answer(call, of: index, life: life)
        case .tick(_, let index, let life), .answer(_, let index, let life), .step(_, _, let index, let life),
            .missing(_, _, _, let index, let life):
            guard machines[index].life == life, machines[index].member != nil else { return }
            if now < machines[index].asleep {
                // It comes to it when it wakes.
                return events.add(event, at: machines[index].asleep)
            }
            act(event, index)
        }
    }

    /// Starts a process, in the place of the one that is there, if any.
    private mutating func start(_ index: Int) {
        crash(index)
        unrest = now
        lives += 1
        machines[index].life = lives
        machines[index].asleep = .zero
        machines[index].member = ClusterMember(
            name: machines[index].name, partitions: terms.partitions, times: .init(lease: terms.lease))
        engine.join(machines[index].name, life: lives)
        machines[index].ticks += 1
        events.add(.tick(number: machines[index].ticks, member: index, life: machines[index].life), at: now)
    }

    /// Lets a member crash, sleep for up to two leases, be started a second time under its name, or drain.
    private mutating func befall(_ member: Int) {
        guard now < terms.faulty else { return }
        unrest = now
        let twin = member + terms.members
        let index = machines[member].life > machines[twin].life ? member : twin
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1:
            if machines[index].member != nil {
                crash(index)
                events.add(.start(member: index), at: now + random(terms.lease * 2))
            }
        case 2:
            let other = index == member ? twin : member
            // At times the one before is asleep, and finds out when it wakes.
            if Bool.random(using: &generator) { sleep(index) }
            start(other)
        case 3: engine.drain(machines[index].name)
        default: sleep(index)
        }
        events.add(.destiny(member: member), at: now + random(terms.peace))
    }

    private mutating func sleep(_ index: Int) {
        machines[index].asleep = now + random(terms.lease * 2)
        events.add(.wake, at: machines[index].asleep)
    }

    /// Ends a process, if there is one.
    private mutating func crash(_ index: Int) {
        for partition in machines[index].work.keys { end(partition, index) }
        machines[index].work = [:]
        machines[index].member = nil
    }

    /// Lets a member that is awake do what an event makes it do.
    private mutating func act(_ event: Event, _ index: Int) {
        let time = clock(of: index)
        var orders: [ClusterMember.Order] = []
        switch event {
        case .tick(let number, _, _) where number != machines[index].ticks: return
        case .tick: orders = machines[index].member?.tick(time) ?? []
        case .answer(let answer, _, _):
            orders = machines[index].member?.tick(time) ?? []
            switch answer {
            case .renewed(let roll, let call):
                orders += machines[index].member?.renewed(roll, by: call, at: time) ?? []
            case .superseded:
                orders += machines[index].member?.superseded() ?? []
                for order in orders { follow(order, index) }
                return crash(index)
            case .acquired(let partition, let epoch, let offset, let call):
                machines[index].loaded[partition] = offset
                orders += machines[index].member?.acquired(partition, epoch: epoch, by: call, at: time) ?? []
            case .refused(let partition, let title, let call):
                orders += machines[index].member?.refused(partition, title: title, by: call, at: time) ?? []
            case .released(let partition, let call):
                orders += machines[index].member?.released(partition, by: call, at: time) ?? []
            case .written(let partition, let epoch, let attempt, let isWritten):
                orders += written(partition, epoch, attempt, isWritten, index, time)
            }
        case .step(let partition, let epoch, _, _): step(partition, epoch, index, time)
        case .missing(let partition, let epoch, let attempt, _, _):
            guard machines[index].work[partition]?.attempt == attempt else { break }
            // Whether it was written is not known, so it is loaded anew.
            drop(partition, index)
            machines[index].member?.fenced(partition, epoch: epoch)
        case .call, .destiny, .wake, .start: break
        }
        for order in orders { follow(order, index) }
        guard let member = machines[index].member else { return }
        let wake = (member.wake(after: time) - time) / machines[index].rate
        machines[index].ticks += 1
        events.add(
            .tick(number: machines[index].ticks, member: index, life: machines[index].life),
            at: now + max(wake, .milliseconds(1)))
    }

    private func clock(of index: Int) -> Duration { now * machines[index].rate }

    private mutating func follow(_ order: ClusterMember.Order, _ index: Int) {
        let life = machines[index].life
        switch order {
        case .renew(let call): send(.call(.renew(call), member: index, life: life))
        case .acquire(let partition, let epoch, let call):
            send(.call(.acquire(partition, after: epoch, call), member: index, life: life))
        case .release(let partition, let epoch, let call):
            send(.call(.release(partition, epoch: epoch, call), member: index, life: life))
        case .begin(let partition, let epoch):
            machines[index].work[partition] = Work(
                epoch: epoch, offset: machines[index].loaded[partition] ?? 0)
            begin(partition, index)
            events.add(.step(partition: partition, epoch: epoch, member: index, life: life), at: now)
        case .finish(let partition):
            machines[index].work[partition]?.isFinishing = true
            if machines[index].work[partition]?.attempt == nil { finish(partition, index) }
        case .abandon(let partition): drop(partition, index)
        }
    }

    /// Writes a checkpoint, if none is on its way.
    private mutating func step(_ partition: Int, _ epoch: Int, _ index: Int, _ time: Duration) {
        guard let work = machines[index].work[partition], work.epoch == epoch, work.attempt == nil,
            let member = machines[index].member, member.owned(at: time)[partition] == epoch
        else { return }
        attempts += 1
        machines[index].work[partition]?.attempt = attempts
        let life = machines[index].life
        send(
            .call(
                .checkpoint(
                    partition, epoch: epoch, from: work.offset, to: work.offset + 1, attempt: attempts),
                member: index, life: life))
        events.add(
            .missing(partition: partition, epoch: epoch, attempt: attempts, member: index, life: life),
            at: now + terms.lease / 3)
    }

    private mutating func written(
        _ partition: Int, _ epoch: Int, _ attempt: Int, _ isWritten: Bool, _ index: Int, _ time: Duration
    ) -> [ClusterMember.Order] {
        guard machines[index].work[partition]?.attempt == attempt else { return [] }
        guard isWritten else {
            drop(partition, index)
            machines[index].member?.fenced(partition, epoch: epoch)
            return []
        }
        machines[index].work[partition]?.attempt = nil
        machines[index].work[partition]?.offset += 1
        if machines[index].work[partition]?.isFinishing == true {
            finish(partition, index)
        } else {
            events.add(
                .step(
                    partition: partition, epoch: epoch, member: index, life: machines[index].life),
                at: now + .milliseconds(100) + random(.milliseconds(400)))
        }
        return []
    }

    /// Ends a partition whose last checkpoint is written.
    private mutating func finish(_ partition: Int, _ index: Int) {
        drop(partition, index)
        let time = clock(of: index)
        for order in machines[index].member?.finished(partition, at: time) ?? [] { follow(order, index) }
    }

    private mutating func drop(_ partition: Int, _ index: Int) {
        guard machines[index].work.removeValue(forKey: partition) != nil else { return }
        end(partition, index)
    }

    // MARK: - What holds

    /// Whether the holder of a partition still believes in its lease.
    private func holds(_ partition: Int) -> Bool { until(partition).map { now < $0 } ?? false }

    /// Until when the holder of a partition believes in its lease, in the time of the simulation.
    private func until(_ partition: Int) -> Duration? {
        guard let index = holders[partition].member, let member = machines[index].member else { return nil }
        return member.deadline / machines[index].rate
    }

    /// Whether a process has its name still. One that has not may not know it, and may begin what was granted before; but it cannot write
    /// any more.
    private func hasName(_ index: Int) -> Bool {
        engine.lives[machines[index].name] == machines[index].life
    }

    private mutating func begin(_ partition: Int, _ index: Int) {
        guard hasName(index) else { return }
        if let before = holders[partition].member, let until = until(partition) {
            if now < until, before != index, hasName(before) {
                faults.append(
                    "\(now): \(partition) is begun by \(index) while \(before) has it until \(until)")
            }
            holders[partition].free = min(now, until)
        }
        note(gap: now, since: holders[partition].free)
        holders[partition] = Holder(member: index)
        moves += 1
    }

    private mutating func end(_ partition: Int, _ index: Int) {
        guard holders[partition].member == index else { return }
        holders[partition] = Holder(member: nil, free: min(now, until(partition) ?? now))
    }

    /// Nobody had a partition from a time on to another.
    private mutating func note(gap end: Duration, since start: Duration) {
        longestGap = max(longestGap, end - max(start, unrest))
    }

    // MARK: - The engine

    private mutating func answer(_ call: Call, of index: Int, life: Int) {
        let name = machines[index].name
        let answer: Answer
        switch call {
        case .renew(let number):
            answer = engine.renew(name, life: life, at: now).map { .renewed($0, number) } ?? .superseded
        case .acquire(let partition, let epoch, let number):
            switch engine.acquire(partition, for: name, life: life, after: epoch, at: now) {
            case .granted(let epoch, let offset):
                answer = .acquired(partition, epoch: epoch, offset: offset, number)
            case .refused(let title): answer = .refused(partition, title, number)
            case .superseded: answer = .superseded
            }
        case .release(let partition, let epoch, let number):
            engine.release(partition, from: name, epoch: epoch)
            answer = .released(partition, number)
        case .checkpoint(let partition, let epoch, let from, let to, let attempt):
            let isWritten = engine.checkpoint(partition, by: name, epoch: epoch, from: from, to: to)
            answer = .written(partition, epoch: epoch, attempt: attempt, isWritten)
        }
        send(.answer(answer, member: index, life: life))
    }
}
