// SPDX-License-Identifier: Apache-2.0

// Clerk and scribe of a simulated host: what they do in the host, what they do in workers and their host takes of that, and how the processes
// die.
extension HostSimulation {
    /// Lets an effect of one of the two end in the host, or one thing happen between host and worker.
    mutating func actOnClerk(of host: SimulatedHost) {
        guard let clerk = host.clerks.randomElement(using: &generator) else { return }
        if let resident = clerk.resident {
            guard chance(8), let index = resident.running.indices.randomElement(using: &generator) else {
                return
            }
            note(UInt64(index))
            return clerk.endResidentEffect(at: index)
        }
        guard let link = clerk.link else { return }
        let choice = Int.random(in: 0..<100, using: &generator)
        note(UInt64(choice))
        switch choice {
        case ..<18:
            let count = Int.random(in: 1...3_000, using: &generator)
            clerk.withWorker { try $0.read(atMost: count) }
        case ..<46: clerk.withWorker { _ = $0.carryOut() }
        case ..<56:
            clerk.withWorker { worker in
                worker.tell()
                try worker.send()
            }
        case ..<58:
            let count = Int.random(in: 1...2_000, using: &generator)
            clerk.withWorker { worker in
                worker.tell()
                try worker.send(atMost: count)
            }
        case ..<64:
            if let number = link.worker.effects.keys.sorted().randomElement(using: &generator) {
                clerk.withWorker { $0.end(effect: number) }
            }
        case ..<66: clerk.takeFromWorker(atMost: Int.random(in: 1...1_000, using: &generator))
        case ..<75: clerk.takeFromWorker()
        case ..<87: clerk.performJob()
        case ..<90 where chance(4): host.giveUp(clerk)
        case ..<90:
            let causes: [SimulatedHost.Cause] = [.outside, .action(nil), .effect, .effect]
            host.endWorker(
                of: clerk, by: causes.randomElement(using: &generator) ?? .outside, isKnown: chance(50))
        default: clerk.sendToWorker()
        }
    }
}
