// SPDX-License-Identifier: Apache-2.0

import HostSimulation
import Testing

/// That the simulation of hosts repeats itself, and what it covers.
@Suite(.timeLimit(.minutes(30))) struct HostSimulationTests {
    /// Where the hosts have their folders.
    private let folder: SimulationFolder

    init() throws { folder = try SimulationFolder() }

    @Test func `the course of a host follows from its seed`() throws {
        let first = try folder.simulate(1...20)
        let second = try folder.simulate(1...20)
        #expect(first.map(\.digest) == second.map(\.digest))
        #expect(first.map(\.coverage) == second.map(\.coverage))
        #expect(Set(first.map(\.digest)).count == 20)
    }

    @Test func `a hundred hosts meet everything that can happen to a disk and to a worker`() throws {
        var coverage = HostCoverage()
        for host in try folder.simulate(1...100) { coverage.add(host.coverage) }
        for name in [
            "ends in a lock", "ends in a write", "ends in a sync", "ends between two steps",
            "ends of the process", "ends of the power", "failed writes", "failed syncs",
            "writes to a full disk", "torn writes", "power failures that reordered", "sectors lost",
            "recoveries", "reloads", "reloads with a migration", "changes that were taken back",
            "clock jumps", "effects begun again",
            "effects told as interrupted", "sent again and known", "sent again and taken",
            "deaths by a plugin", "inputs set aside", "quarantines", "actions missed in quarantine",
            "ends in a renaming", "renamings undone", "changes of the crash ledger that failed",
            "crash ledgers that went back or on with the power", "backups not restored",
            "restores cut off in the midst of it",
        ] { #expect(coverage.counts[name] ?? 0 > 0, "\(name)") }
        for (name, least) in [
            ("deaths of workers", 500), ("deaths of hosts of workers", 100),
            ("actions left out by workers", 20), ("actions with effects left out by workers", 50),
            ("checkpoints that came late", 1_500), ("actions shown once more", 3_000),
            ("actions that workers have emitted", 5_000), ("snapshots that wait for a worker", 100),
            ("workers that took over at a reload", 25),
            ("actions reduced by instances that took over", 20), ("workers that were given up", 15),
            ("actions that workers had not done when they were given up", 20),
            ("actions for workers that were given up", 20), ("moves into a worker", 10),
            ("moves out of a worker", 10), ("actions that began again in a worker", 1_000),
            ("actions that left a worker", 100), ("effects of the clerk told as interrupted", 500),
            ("effects of the clerk that ended in the host", 1_000), ("backups", 30),
            ("backups restored", 5), ("deaths of processes that two instances shared", 30),
            ("deaths of processes that two instances shared and either may have ended", 8),
            ("deaths of workers with an action in hand", 300),
            ("deaths of workers in the midst of a message", 5),
            ("workers given up after too many deaths", 3),
            ("inputs that an interceptor stopped, or not alone let pass", 500),
            ("actions of one instance that another hears", 300), ("gates that closed", 100),
            ("gates that opened", 80), ("actions that a closed gate keeps out", 1_000),
            ("actions that a closed gate drops", 200), ("actions whose effects ended behind a gate", 1_000),
            ("instances whose effects were stopped", 100),
        ] as [(String, UInt64)] {
            #expect(coverage.counts[name] ?? 0 > least, "\(name)")
        }
    }
}
