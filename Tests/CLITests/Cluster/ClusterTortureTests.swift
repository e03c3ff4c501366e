// SPDX-License-Identifier: Apache-2.0

import ClusterTorture
import Glibc
import Testing

/// A small one of what `make torture-cluster` does.
@Suite(
    .enabled(if: ClusterCase.canRun, "redis-server is not installed"), .serialized,
    .timeLimit(.minutes(120)))
struct ClusterTortureTests {
    /// What decides about everything that happens; another one in each run.
    private static let seed = UInt64(getpid())

    /// Tortures a cluster, and expects that nothing is wrong afterwards.
    private func torture(_ change: (inout ClusterTorture.Terms) -> Void) throws {
        var terms = ClusterTorture.Terms()
        terms.seed = Self.seed
        change(&terms)
        var common = ClusterScene.Terms()
        common.keys = 1_000
        let outcome = try ClusterTorture(terms, common).run()
        #expect(
            outcome.faults == [],
            "seed \(terms.seed), \(outcome.incidents): \(outcome.told.joined(separator: "\n"))")
        #expect(outcome.acknowledged + outcome.late <= terms.actions)
    }

    @Test func `each action is reduced once and in order, whichever members are killed, paused and started`()
        throws
    {
        try torture { _ in }
    }

    @Test func `the same holds when the network between members and engine fails`() throws {
        try torture { $0.cutsNetwork = true }
    }

    @Test func `the same holds when an engine that keeps what it has confirmed is killed`() throws {
        try torture { $0.killsEngine = true }
    }
}
