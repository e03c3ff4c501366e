// SPDX-License-Identifier: Apache-2.0

import ClusterSimulation
import Glibc

/// `simulate-cluster [SEEDS [MEMBERS PARTITIONS]]`: makes members of simulated clusters crash, sleep and lose messages, and reports
/// the results; ends with 1 after any violation. `20` means the seeds from 1 to 20, and `7-7` the seventh alone.
@main struct SimulateCluster {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let bounds = (arguments.first ?? "1000").split(separator: "-").map { UInt64($0) ?? 0 }
        let sizes = arguments.dropFirst().map { Int($0) ?? 0 }
        let first = bounds.count == 1 ? 1 : bounds.first ?? 0
        guard let last = bounds.last, bounds.count <= 2, first > 0, first <= last,
            sizes.allSatisfy({ $0 > 0 }),
            [0, 2].contains(sizes.count)
        else {
            print("usage: simulate-cluster [SEEDS [MEMBERS PARTITIONS]]")
            exit(64)
        }
        let terms = SimulatedCluster.Terms(members: sizes.first ?? 5, partitions: sizes.last ?? 16)
        var (moves, faults, longest) = (0, 0, Duration.zero)
        let seeds = first...last
        for seed in seeds {
            var cluster = SimulatedCluster(terms, seed: seed)
            cluster.run()
            for fault in cluster.faults { print("seed \(seed): \(fault)") }
            moves += cluster.moves
            faults += cluster.faults.count
            longest = max(longest, cluster.longestGap)
        }
        let seconds = (longest / .milliseconds(1)).rounded() / 1_000
        print(
            "\(seeds.count) seeds, \(terms.members) members, \(terms.partitions) partitions: \(moves) moves, \(faults) faults; at most \(seconds) s without an owner, leases are \(terms.lease / .seconds(1)) s"
        )
        exit(faults == 0 ? 0 : 1)
    }
}
