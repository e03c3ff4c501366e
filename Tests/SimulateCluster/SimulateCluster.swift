// SPDX-License-Identifier: Apache-2.0

import ClusterSimulation
import Glibc

/// `simulate-cluster [SEEDS [MEMBERS PARTITIONS]]`: lets members of simulated clusters crash, sleep and lose messages, and says what
/// came of it; ends with 1 when anything was that should never be.
@main struct SimulateCluster {
    static func main() {
        let numbers = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
        guard numbers.allSatisfy({ $0 > 0 }), [0, 1, 3].contains(numbers.count) else {
            print("usage: simulate-cluster [SEEDS [MEMBERS PARTITIONS]]")
            exit(64)
        }
        let terms = SimulatedCluster.Terms(
            members: numbers.count == 3 ? numbers[1] : 5, partitions: numbers.count == 3 ? numbers[2] : 16)
        var (moves, faults, longest) = (0, 0, Duration.zero)
        let seeds = numbers.first ?? 1_000
        for seed in 1...UInt64(seeds) {
            var cluster = SimulatedCluster(terms, seed: seed)
            cluster.run()
            for fault in cluster.faults { print("seed \(seed): \(fault)") }
            moves += cluster.moves
            faults += cluster.faults.count
            longest = max(longest, cluster.longestGap)
        }
        let seconds = (longest / .milliseconds(1)).rounded() / 1_000
        print(
            "\(seeds) seeds, \(terms.members) members, \(terms.partitions) partitions: \(moves) moves, \(faults) faults; at most \(seconds) s without an owner, leases are \(terms.lease / .seconds(1)) s"
        )
        exit(faults == 0 ? 0 : 1)
    }
}
