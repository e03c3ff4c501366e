// SPDX-License-Identifier: Apache-2.0

// The worker of a simulated host: what it does, what its host takes of it, and how its processes die.
extension HostSimulation {
    /// Lets one thing happen between host and worker.
    mutating func actOnWorker(of host: SimulatedHost) {
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
