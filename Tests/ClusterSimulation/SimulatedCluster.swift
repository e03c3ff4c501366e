// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import SeededTesting

/// Members and an engine with simulated clocks and a simulated network; a seed determines every random event.
package struct SimulatedCluster {
    /// The parameters of a simulation.
    package struct Terms: Sendable {
        /// The number of members.
        package var members: Int
        /// The number of partitions.
        package var partitions: Int
        /// How long a lease lasts.
        package var lease = Duration.seconds(3)
        /// How long members crash, sleep and lose messages.
        package var faulty = Duration.seconds(40)
        /// The total time; the last part is calm.
        package var end = Duration.seconds(60)
        /// The maximum time between two failures of one member.
        package var peace = Duration.seconds(40)
        /// The percentage of messages that are lost.
        package var lost = 5
        /// The percentage of messages that are late by up to a lease.
        package var late = 3

        /// The default parameters for a cluster of a size.
        package init(members: Int, partitions: Int) {
            self.members = members
            self.partitions = partitions
        }
    }

    private let terms: Terms
    private var generator: SeededGenerator
    private var engine: SimulatedEngine
    private var machines: [SimulatedMachine]
    private var events = EventQueue<SimulatedEvent>()
    private var now = Duration.zero
    private var attempts = 0
    private var lives = 0
    private var watch: OwnershipWatch

    /// Violations of the rules.
    package var faults: [String] { watch.faults + engine.faults }
    /// The longest time that a partition had no owner, without another failure meanwhile.
    package var longestGap: Duration { watch.longestGap }
    /// How often a partition changed hands.
    package var moves: Int { watch.moves }

    /// A cluster whose members start within a second.
    package init(_ terms: Terms, seed: UInt64) {
        self.terms = terms
        generator = SeededGenerator(seed: seed)
        engine = SimulatedEngine(partitions: terms.partitions, lease: terms.lease)
        watch = OwnershipWatch(partitions: terms.partitions)
        machines = []
        for index in 0..<2 * terms.members {
            machines.append(
                SimulatedMachine(
                    name: "m\(index % terms.members)", rate: Double.random(in: 0.97...1.03, using: &generator)
                ))
        }
        for member in 0..<terms.members {
            events.add(.start(member: member), at: random(.seconds(1)))
            // The first never fails, so that one member is always there.
            if member > 0 { events.add(.destiny(member: member), at: random(terms.peace)) }
        }
    }

    /// Runs to the end, and checks the final state.
    package mutating func run() {
        while let (time, event) = events.next(), time <= terms.end {
            now = time
            handle(event)
        }
        now = terms.end
        let names = Set(machines.compactMap { $0.member?.name }).subtracting(engine.draining)
        let owners = Rendezvous.owners(of: terms.partitions, among: names)
        for (partition, heir) in owners.enumerated() {
            let wanted = machines.firstIndex { $0.member?.name == heir }
            watch.finish(partition, with: wanted, at: now, lease: lease(on: partition))
        }
        if engine.offsets.contains(0) { watch.note("a partition was never processed") }
    }

    // MARK: - Chance

    private mutating func random(_ most: Duration) -> Duration {
        .nanoseconds(Int64.random(in: 0...Int64(most / .nanoseconds(1)), using: &generator))
    }

    private mutating func chance(_ percent: Int) -> Bool {
        now < terms.faulty && Int.random(in: 0..<100, using: &generator) < percent
    }

    // MARK: - The network

    /// Sends a message, which is sometimes lost or late.
    private mutating func send(_ event: SimulatedEvent) {
        if chance(terms.lost) { return }
        let delay = Duration.microseconds(200) + random(chance(terms.late) ? terms.lease : .milliseconds(20))
        events.add(event, at: now + delay)
    }

    // MARK: - Events

    private mutating func handle(_ event: SimulatedEvent) {
        switch event {
        case .start(let index): start(index)
        case .destiny(let index): befall(index)
        case .wake: watch.disturb(at: now)
        case .call(let call, let index, let life):
            let answer = engine.answer(call, of: machines[index].name, life: life, at: now)
            send(.answer(answer, member: index, life: life))
        case .tick(_, let index, let life), .answer(_, let index, let life), .step(_, _, let index, let life),
            .missing(_, _, _, let index, let life):
            guard machines[index].life == life, machines[index].member != nil else { return }
            if now < machines[index].asleep {
                // It handles the event when it wakes.
                return events.add(event, at: machines[index].asleep)
            }
            act(event, index)
        }
    }

    /// Starts a process, replacing the present one, if any.
    private mutating func start(_ index: Int) {
        crash(index)
        watch.disturb(at: now)
        lives += 1
        machines[index].life = lives
        machines[index].asleep = .zero
        machines[index].member = ClusterMember(
            name: machines[index].name, partitions: terms.partitions, times: .init(lease: terms.lease),
            preparesAhead: lives.isMultiple(of: 2))
        engine.join(machines[index].name, life: lives)
        look(index, at: now)
    }

    /// Makes a machine look at its clock at a time, unless it does so before.
    private mutating func look(_ index: Int, at time: Duration) {
        guard let number = machines[index].look(at: time) else { return }
        events.add(.tick(number: number, member: index, life: machines[index].life), at: time)
    }

    /// Makes a member crash, sleep for up to two leases, start a second time under its name, or drain.
    private mutating func befall(_ member: Int) {
        guard now < terms.faulty else { return }
        watch.disturb(at: now)
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
            // Sometimes the former process is asleep, and finds out when it wakes.
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

    /// Makes a member that is awake react to an event.
    private mutating func act(_ event: SimulatedEvent, _ index: Int) {
        let time = machines[index].clock(at: now)
        var orders: [ClusterMember.Order] = []
        switch event {
        case .tick(let number, _, _) where !machines[index].looks(number): return
        case .tick: orders = machines[index].member?.tick(time) ?? []
        case .answer(let answer, _, _):
            orders = (machines[index].member?.tick(time) ?? []) + machines[index].take(answer, at: time)
            switch answer {
            case .superseded: return crash(index)
            case .written(let partition, let epoch, let attempt, let isWritten):
                written(partition, epoch, attempt, isWritten, index)
            default: break
            }
        case .step(let partition, let epoch, _, _): step(partition, epoch, index, time)
        case .missing(let partition, let epoch, let attempt, _, _):
            guard machines[index].work[partition]?.attempt == attempt else { break }
            // Whether the checkpoint was written is unknown, so the partition is loaded again.
            drop(partition, index)
            machines[index].member?.fenced(partition, epoch: epoch)
        case .call, .destiny, .wake, .start: break
        }
        for order in orders { follow(order, index) }
        guard let member = machines[index].member else { return }
        let wake = machines[index].time(for: member.wake(after: time) - time)
        look(index, at: now + max(wake, .milliseconds(1)))
    }

    private mutating func follow(_ order: ClusterMember.Order, _ index: Int) {
        let life = machines[index].life
        switch order {
        case .renew(let call): send(.call(.renew(call), member: index, life: life))
        case .prepare(let partition):
            machines[index].member?.prepared(partition)
            let time = machines[index].clock(at: now)
            let orders = machines[index].member?.tick(time) ?? []
            for order in orders { follow(order, index) }
        case .discard: break
        case .acquire(let partition, let epoch, let call):
            send(.call(.acquire(partition, after: epoch, call), member: index, life: life))
        case .release(let partition, let epoch, let call):
            send(.call(.release(partition, epoch: epoch, call), member: index, life: life))
        case .begin(let partition, let epoch):
            machines[index].begin(partition, epoch: epoch)
            begin(partition, index)
            events.add(.step(partition: partition, epoch: epoch, member: index, life: life), at: now)
        case .finish(let partition):
            machines[index].work[partition]?.isFinishing = true
            if machines[index].work[partition]?.attempt == nil { finish(partition, index) }
        case .abandon(let partition): drop(partition, index)
        }
    }

    /// Writes a checkpoint, if none is in transit.
    private mutating func step(_ partition: Int, _ epoch: Int, _ index: Int, _ time: Duration) {
        guard let work = machines[index].work[partition], work.epoch == epoch, work.attempt == nil,
            let member = machines[index].member, member.epoch(of: partition, at: time) == epoch
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
        _ partition: Int, _ epoch: Int, _ attempt: Int, _ isWritten: Bool, _ index: Int
    ) {
        guard machines[index].work[partition]?.attempt == attempt else { return }
        guard isWritten else {
            drop(partition, index)
            machines[index].member?.fenced(partition, epoch: epoch)
            return
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
    }

    /// Ends a partition whose last checkpoint is written.
    private mutating func finish(_ partition: Int, _ index: Int) {
        drop(partition, index)
        let time = machines[index].clock(at: now)
        for order in machines[index].member?.finished(partition, at: time) ?? [] { follow(order, index) }
    }

    private mutating func drop(_ partition: Int, _ index: Int) {
        guard machines[index].work.removeValue(forKey: partition) != nil else { return }
        end(partition, index)
    }

    // MARK: - What holds

    /// The lease that the holder of a partition believes in; nil while there is none, or it is down.
    private func lease(on partition: Int) -> OwnershipWatch.Lease? {
        guard let index = watch.holder(of: partition), let deadline = machines[index].deadline else {
            return nil
        }
        return OwnershipWatch.Lease(until: deadline, isNamed: hasName(index))
    }

    /// Whether a process still has its name. One that lost it may not know, and may begin with partitions granted before; but it can no
    /// longer write.
    private func hasName(_ index: Int) -> Bool {
        engine.lives[machines[index].name] == machines[index].life
    }

    private mutating func begin(_ partition: Int, _ index: Int) {
        guard hasName(index) else { return }
        watch.begin(partition, by: index, at: now, before: lease(on: partition))
    }

    private mutating func end(_ partition: Int, _ index: Int) {
        watch.end(partition, by: index, at: now, lease: lease(on: partition))
    }
}
