// SPDX-License-Identifier: Apache-2.0

// Changes of a simulated host that come into force, and are taken back because an instance fails at its start.
extension HostSimulation {
    /// Lets a change come into force, a few things happen, and the generation before come back.
    mutating func tryChange(_ host: SimulatedHost) {
        let before = host.tryChange(under: supervisor)
        for _ in 0..<Int.random(in: 0...4, using: &generator) where isAlive(host) {
            let choice = Int.random(in: 0..<6, using: &generator)
            note(UInt64(choice))
            switch choice {
            case ..<2:
                send(nextAction, to: host, isRepeated: false)
                nextAction += 1
            case 2: write(host)
            case 3: actOnClerk(of: host)
            case 4 where !host.effects.isEmpty: host.end(effectAt: 0, emits: true)
            case 4: host.handOver()
            default: host.snapshot()
            }
        }
        if isAlive(host) { host.takeBack(to: before, under: supervisor) }
    }
}
