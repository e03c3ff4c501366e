// SPDX-License-Identifier: Apache-2.0

import ClusterTorture
import Glibc
import Testing

/// A small one of what `make torture-failover` does.
@Suite(
    .enabled(if: ClusterCase.canRun, "redis-server is not installed"), .serialized,
    .timeLimit(.minutes(30)))
struct FailoverTortureTests {
    @Test func `nothing acknowledged is lost, doubled or reordered when Sentinels replace the primary`()
        throws
    {
        var terms = FailoverTorture.Terms()
        terms.seed = UInt64(getpid())
        var common = ClusterScene.Terms()
        (common.lease, common.keys, common.replicas) = (5, 1_000, 1)
        let outcome = try FailoverTorture(terms, common).run()
        #expect(
            outcome.faults == [],
            "seed \(terms.seed), \(outcome.times): \(outcome.told.joined(separator: "\n"))")
        #expect(outcome.acknowledged + outcome.late <= terms.actions)
    }
}
