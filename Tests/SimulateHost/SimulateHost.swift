// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import HostSimulation

/// `simulate-host [COUNT [FIRST]]`: lets the hosts of so many seeds live on simulated disks with their workers until they die, and start
/// again; ends with 1 after any violation. Of a seed with a fault, and of one alone, it prints the number that tells its course from all
/// others.
@main struct SimulateHost {
    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().map { UInt64($0) ?? 0 }
        let (count, first) = (numbers.first ?? 1_000, numbers.dropFirst().first ?? 1)
        guard numbers.count <= 2, count > 0, first > 0, first <= UInt64.max - count else {
            print("usage: simulate-host [COUNT [FIRST]]")
            exit(64)
        }
        // The folder goes before the process does.
        exit(try simulate(count, from: first) == 0 ? 0 : 1)
    }

    /// Simulates so many hosts, prints what they have met, and gives the number of faults.
    private static func simulate(_ count: UInt64, from first: UInt64) throws -> Int {
        let folder = try SimulationFolder()
        var coverage = HostCoverage()
        var faults = 0
        let start = ContinuousClock.now
        for seed in first..<first + count {
            let host = try folder.simulate(seed...seed)[0]
            let found = host.faults
            let name = "seed \(seed), course \(host.digest)"
            for fault in found { print("\(name): \(fault)") }
            if count == 1, found.isEmpty { print(name) }
            faults += found.count
            coverage.add(host.coverage)
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            "\(count) seeds from \(first), \(Int(Double(count) / seconds)) a second: \(faults) faults")
        for line in coverage.lines { print(line) }
        return faults
    }
}
