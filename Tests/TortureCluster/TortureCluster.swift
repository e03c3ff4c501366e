// SPDX-License-Identifier: Apache-2.0

import ClusterTorture
import Glibc

/// `torture-cluster [KILLS [ACTIONS [SEED [MODE…]]]]`: tortures a cluster of real processes, and reports the results; ends with 1 after
/// any violation. The modes `network` and `engine` let those fail too; `effects` counts instead what arrives at a service while
/// partitions change hands in every way; `failover` kills, pauses and cuts off the primary of a Redis with replicas instead of members.
@main struct TortureCluster {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let numbers = words.prefix(3).map { Int($0) ?? -1 }
        let modes = Set(words.dropFirst(3))
        guard numbers.allSatisfy({ $0 >= 0 }),
            modes.isSubset(of: ["network", "engine", "effects", "failover"])
        else {
            print("usage: torture-cluster [KILLS [ACTIONS [SEED [network] [engine] | effects | failover]]]")
            exit(64)
        }
        if modes.contains("effects") { exit(try countEffects() ? 0 : 1) }
        if modes.contains("failover") { exit(try failOver(numbers) ? 0 : 1) }
        var terms = ClusterTorture.Terms()
        terms.incidents = numbers.first ?? 50
        terms.actions = numbers.count > 1 ? numbers[1] : 1_000_000
        terms.seed = numbers.count > 2 ? UInt64(numbers[2]) : UInt64(getpid())
        terms.cutsNetwork = modes.contains("network")
        terms.killsEngine = modes.contains("engine")
        terms.log = log()
        var common = ClusterScene.Terms()
        common.partitions = 16
        common.lease = 2
        common.keys = 10_000
        let outcome = try ClusterTorture(terms, common).run()
        if !outcome.faults.isEmpty { for line in outcome.told { print(line) } }
        for fault in outcome.faults { print("seed \(terms.seed): \(fault)") }
        let incidents = outcome.incidents.sorted { $0.key < $1.key }.map { "\($1) \($0)" }.joined(
            separator: ", ")
        print(
            """
            seed \(terms.seed): \(outcome.acknowledged) actions acknowledged, \(outcome.entered) numbers entered, \
            \(incidents); \(outcome.moves) moves, \(outcome.broken) connections broken, \(outcome.late) unacknowledged too late, \
            \(outcome.faults.count) faults
            """)
        exit(outcome.faults.isEmpty ? 0 : 1)
    }

    /// Returns what prints messages with the time since now.
    private static func log() -> @Sendable (String) -> Void {
        let start = ContinuousClock.now
        return {
            print("\((start.duration(to: .now) / .milliseconds(1)).rounded() / 1_000) s: \($0)")
            fflush(nil)
        }
    }

    /// Lets a replicated Redis fail over, and reports the results; false after any violation.
    ///
    /// - Parameter numbers: of failovers and of actions, and the seed.
    private static func failOver(_ numbers: [Int]) throws -> Bool {
        var terms = FailoverTorture.Terms()
        terms.failovers = numbers.first ?? 20
        terms.actions = numbers.count > 1 ? numbers[1] : 200_000
        terms.seed = numbers.count > 2 ? UInt64(numbers[2]) : UInt64(getpid())
        terms.log = log()
        var common = ClusterScene.Terms()
        (common.partitions, common.lease, common.keys, common.replicas) = (16, 5, 10_000, 1)
        let outcome: FailoverTorture.Outcome
        do {
            outcome = try FailoverTorture(terms, common).run()
        } catch {
            print(error)
            return false
        }
        if !outcome.faults.isEmpty { for line in outcome.told { print(line) } }
        for fault in outcome.faults { print("seed \(terms.seed): \(fault)") }
        let times = outcome.times.sorted { $0.key.rawValue < $1.key.rawValue }.map { incident, times in
            "\(times.count) \(incident.rawValue) (at most \((times.max() ?? .zero).tenths) s)"
        }.joined(separator: ", ")
        print(
            """
            seed \(terms.seed): \(outcome.acknowledged) actions acknowledged, \(outcome.entered) numbers entered, \(times); \
            \(outcome.broken) connections broken, \(outcome.late) unacknowledged too late, \(outcome.faults.count) faults
            """)
        return outcome.faults.isEmpty
    }

    /// Lets partitions change hands in every way, and reports what it did to effects; false after any violation.
    private static func countEffects() throws -> Bool {
        var areSound = true
        for change in EffectTorture.Change.allCases {
            let faults = try EffectTorture(requests: 2_000, errands: 200).run(change)
            for fault in faults { print("\(change.rawValue): \(fault)") }
            print(
                "\(change.rawValue): 2000 requests arrived, 200 effects were reported, \(faults.count) faults"
            )
            areSound = areSound && faults.isEmpty
        }
        return areSound
    }
}
