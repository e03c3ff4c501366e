// SPDX-License-Identifier: Apache-2.0

import GatehousePlan
import HostSimulation
import Testing

/// What a host keeps whatever its disk, its machine and its clock do, in lives whose coincidences follow from seeds.
/// `make simulate-host` lives more of them.
@Suite(.timeLimit(.minutes(30))) struct HostSimulationTests {
    /// Where the hosts have their folders.
    private let folder: SimulationFolder

    init() throws { folder = try SimulationFolder() }

    /// Lets the hosts of some seeds live.
    private func simulate(
        _ seeds: ClosedRange<UInt64>, _ mode: JournalMode? = nil, defect: HostSimulation.Defect? = nil
    ) throws -> [HostSimulation] {
        try seeds.map { seed in
            let name = "\(seed)"
            defer { folder.remove(name) }
            var host = HostSimulation(seed: seed, mode: mode, defect: defect, folder: try folder.make(name))
            host.run()
            return host
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `whatever ends a host or its worker or fails it, nothing is lost, doubled, exchanged or refused`(
        part: UInt64
    ) throws {
        for seed in part * 100 + 1...part * 100 + 100 {
            for host in try simulate(seed...seed) { #expect(host.faults == [], "seed \(seed)") }
        }
    }

    @Test func `the course of a host follows from its seed`() throws {
        let first = try simulate(1...20)
        let second = try simulate(1...20)
        #expect(first.map(\.digest) == second.map(\.digest))
        #expect(first.map(\.coverage) == second.map(\.coverage))
        #expect(Set(first.map(\.digest)).count == 20)
    }

    @Test func `a hundred hosts meet everything that can happen to a disk and to a worker`() throws {
        var coverage = HostCoverage()
        for host in try simulate(1...100) { coverage.add(host.coverage) }
        for name in [
            "ends in a lock", "ends in a write", "ends in a sync", "ends between two steps",
            "ends of the process", "ends of the power", "failed writes", "failed syncs",
            "writes to a full disk", "torn writes", "power failures that reordered", "sectors lost",
            "recoveries", "reloads", "reloads with a migration", "clock jumps", "effects begun again",
            "effects told as interrupted", "sent again and known", "sent again and taken",
            "deaths by a plugin", "inputs set aside", "quarantines", "actions missed in quarantine",
            "ends in a renaming", "renamings undone", "changes of the crash ledger that failed",
            "crash ledgers that went back or on with the power",
        ] { #expect(coverage.counts[name] ?? 0 > 0, "\(name)") }
        for (name, least) in [
            ("deaths of workers", 1_000), ("deaths of hosts of workers", 200),
            ("actions left out by workers", 20), ("actions with effects left out by workers", 100),
            ("checkpoints that came late", 10_000), ("actions shown once more", 5_000),
            ("actions that workers have emitted", 5_000), ("snapshots that wait for a worker", 100),
            ("workers that took over at a reload", 50),
            ("actions reduced by workers that took over", 20),
        ] as [(String, UInt64)] {
            #expect(coverage.counts[name] ?? 0 > least, "\(name)")
        }
    }

    @Test(arguments: [
        (HostSimulation.Defect.lyingDisk, JournalMode.strict), (.lyingDisk, .relaxed),
        (.earlyAcknowledgement, .strict), (.forgottenNames, .strict), (.unsyncedLedger, .strict),
        (.unnamedLedger, .strict),
    ])
    func `a planted defect is found, at the same seeds each time`(
        defect: HostSimulation.Defect, mode: JournalMode
    ) throws {
        let found = try simulate(1...40, mode, defect: defect).map(\.faults)
        #expect(found.contains { !$0.isEmpty })
        let again = try simulate(1...40, mode, defect: defect).map(\.faults)
        #expect(found.map { $0.map(Self.plain) } == again.map { $0.map(Self.plain) })
    }

    @Test(arguments: [
        (HostSimulation.Defect.lostCheckpoints, JournalMode.strict), (.lostState, .strict),
        (.lostActions, .strict), (.lostActions, .relaxed), (.hastyEnds, .strict), (.hastyEnds, .relaxed),
        (.splitCheckpoints, .strict), (.splitCheckpoints, .relaxed), (.staleCopies, .strict),
        (.staleCopies, .relaxed), (.lostHandOver, .strict),
    ])
    func `a planted defect of a host with a worker is found`(
        defect: HostSimulation.Defect, mode: JournalMode
    ) throws {
        let found = try simulate(1...15, mode, defect: defect)
        #expect(found.contains { !$0.faults.isEmpty })
    }

    /// A sentence without the folder in which it happened.
    private static func plain(_ fault: String) -> String {
        fault.replacing(/\/[^ ]*gatehouse-simulation-[A-Za-z0-9]+/, with: "")
    }
}
