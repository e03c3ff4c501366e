// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// How people are told of a cluster, by a member that has done exactly as much as a test says: something stands in for it.
@Suite(.timeLimit(.minutes(10))) struct ClusterTextTests {
    @Test(arguments: [(0, 0.0, "\n0 checkpoints, "), (1, 0.0123, " of 12.3 ms, ")])
    func `the time of a checkpoint is told from the first one on`(
        count: Int, seconds: Double, words: String
    ) throws {
        let member = try StandIn("cluster", in: TemporaryFolder())
        member.answer(
            1,
            #"{"cluster":"shop","account":{"member":"a","checkpoints":{"count":\#(count),"seconds":\#(seconds)}}}"#
        )
        let outcome = try member.finish()
        #expect(outcome.output.contains(words), "\(outcome.output)\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }
}
