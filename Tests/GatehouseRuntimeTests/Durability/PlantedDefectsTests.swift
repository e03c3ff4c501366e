// SPDX-License-Identifier: Apache-2.0

import GatehousePlan
import HostSimulation
import Testing

/// That the simulation of hosts finds defects: those that were planted in what it simulates.
@Suite(.timeLimit(.minutes(30))) struct PlantedDefectsTests {
    /// Where the hosts have their folders.
    private let folder: SimulationFolder

    init() throws { folder = try SimulationFolder() }

    @Test(arguments: [
        (HostSimulation.Defect.lyingDisk, JournalMode.strict), (.lyingDisk, .relaxed),
        (.earlyAcknowledgement, .strict), (.forgottenNames, .strict), (.unsyncedLedger, .strict),
        (.unnamedLedger, .strict),
    ])
    func `a planted defect is found, at the same seed each time`(
        defect: HostSimulation.Defect, mode: JournalMode
    ) throws {
        var found: (seed: UInt64, faults: [String])?
        for seed in 1...40 as ClosedRange<UInt64> where found == nil {
            let faults = try folder.simulate(seed...seed, mode, defect: defect)[0].faults
            if !faults.isEmpty { found = (seed, faults) }
        }
        let (seed, faults) = try #require(found)
        let again = try folder.simulate(seed...seed, mode, defect: defect)[0].faults
        #expect(faults.map(Self.plain) == again.map(Self.plain))
    }

    @Test(arguments: [
        (HostSimulation.Defect.lostCheckpoints, JournalMode.strict), (.lostState, .strict),
        (.lostActions, .strict), (.lostActions, .relaxed), (.hastyEnds, .strict), (.hastyEnds, .relaxed),
        (.splitCheckpoints, .strict), (.splitCheckpoints, .relaxed), (.staleCopies, .strict),
        (.staleCopies, .relaxed), (.lostHandOver, .strict), (.silentEnds, .strict), (.silentEnds, .relaxed),
        (.lateBeginnings, .strict), (.lateBeginnings, .relaxed), (.revivedEffects, .strict),
        (.revivedEffects, .relaxed), (.silentInterruptions, .strict), (.silentInterruptions, .relaxed),
        (.forgottenEffects, .strict), (.forgottenEffects, .relaxed),
        (.hastyMoves, .strict), (.forgottenOpenings, .relaxed),
        (.lostOrigins, .strict), (.lostOrigins, .relaxed), (.lostResumptions, .strict),
        (.namelessEmitters, .strict), (.namelessEmitters, .relaxed),
        (.forgottenNeighbours, .strict), (.forgottenNeighbours, .relaxed), (.forgottenDeaths, .strict),
        (.lingeringEffects, .strict), (.lingeringEffects, .relaxed), (.forgottenGates, .strict),
        (.lostInterceptions, .strict), (.lostReturns, .strict), (.lostReturns, .relaxed),
    ])
    func `a planted defect of a host with a worker is found`(
        defect: HostSimulation.Defect, mode: JournalMode
    ) throws {
        #expect(try isFound(defect, mode, in: 1...100))
    }

    @Test(arguments: [HostSimulation.Defect.lostMigrations, .staleRecords])
    func `a planted defect of a reload that migrates the state of a worker is found`(
        defect: HostSimulation.Defect
    ) throws {
        #expect(try isFound(defect, .strict, in: 50...150))
    }

    /// Whether a defect is found at one of some seeds; those after it are not tried.
    private func isFound(
        _ defect: HostSimulation.Defect, _ mode: JournalMode, in seeds: ClosedRange<UInt64>
    ) throws -> Bool {
        try seeds.contains { try !folder.simulate($0...$0, mode, defect: defect)[0].faults.isEmpty }
    }

    /// A sentence without the folder in which it happened.
    private static func plain(_ fault: String) -> String {
        fault.replacing(/\/[^ ]*gatehouse-simulation-[A-Za-z0-9]+/, with: "")
    }
}
