// SPDX-License-Identifier: Apache-2.0

import HostSimulation
import Testing

/// The protocol between a host and a worker over real rings, without processes and threads.
@Suite(.timeLimit(.minutes(10))) struct WorkerSimulationTests {
    /// What seeds have met.
    private func simulate(
        _ seeds: ClosedRange<UInt64>, _ defect: WorkerSimulation.Defect? = nil
    ) throws -> (faults: [String], counts: [String: UInt64]) {
        var faults: [String] = []
        var coverage = HostCoverage()
        for seed in seeds {
            var simulation = try WorkerSimulation(seed: seed, defect: defect)
            try simulation.run()
            faults += simulation.faults.map { "seed \(seed): \($0)" }
            coverage.add(simulation.coverage)
        }
        return (faults, coverage.counts)
    }

    @Test
    func `however workers and hosts die, each action is heard once and in order, and comes to its end once`()
        throws
    {
        let (faults, counts) = try simulate(1...400)
        #expect(faults == [])
        for (name, least) in [
            ("deaths of workers", 2_000), ("actions left out by workers", 100),
            ("actions with effects left out by workers", 200), ("checkpoints that came late", 1_000),
            ("deaths of hosts of workers", 400), ("actions shown once more", 1_000),
        ] as [(String, UInt64)] {
            #expect(counts[name] ?? 0 > least, "\(name)")
        }
    }

    @Test(arguments: [WorkerSimulation.Defect.lostCheckpoints, .lostState, .lostActions])
    func `a planted defect is found`(defect: WorkerSimulation.Defect) throws {
        #expect(try !simulate(1...20, defect).faults.isEmpty)
    }

    @Test func `a seed leads to the same course each time`() throws {
        let digests = try (0..<3).map { number in
            var simulation = try WorkerSimulation(seed: number < 2 ? 7 : 8)
            try simulation.run()
            return simulation.digest
        }
        #expect(digests[0] == digests[1])
        #expect(digests[0] != digests[2])
    }
}
