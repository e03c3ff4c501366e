// SPDX-License-Identifier: Apache-2.0

// The clerk of a simulated host: what it does in the host, what it does in a worker and its host takes of that, and how its processes die.
extension HostSimulation {
    /// Lets an effect of the clerk end in the host, or one thing happen between host and worker.
    mutating func actOnClerk(of host: SimulatedHost) {
        if let resident = host.resident {
            guard chance(8), let index = resident.running.indices.randomElement(using: &generator) else {
                return
            }
            note(UInt64(index))
            return host.endResidentEffect(at: index)
        }
        guard let link = host.link else { return }
        let choice = Int.random(in: 0..<100, using: &generator)
        note(UInt64(choice))
        switch choice {
        case ..<18:
            let count = Int.random(in: 1...3_000, using: &generator)
            host.withWorker { try $0.read(atMost: count) }
        case ..<46: host.withWorker { _ = $0.carryOut() }
        case ..<56: host.withWorker { $0.tell() }
        case ..<64:
            if let number = link.worker.effects.keys.sorted().randomElement(using: &generator) {
                host.withWorker { $0.end(effect: number) }
            }
        case ..<75: host.takeFromWorker()
        case ..<87: host.performJob()
        case ..<90 where chance(4): host.giveUpClerk()
        case ..<90:
            let leavesOut = chance(33)
            let isInHand = chance(50)
            host.endWorker { leavesOut ? isInHand ? $0.inHand : $0.open : nil }
        default: host.sendToWorker()
        }
    }
}
