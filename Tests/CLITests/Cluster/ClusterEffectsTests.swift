// SPDX-License-Identifier: Apache-2.0

import ClusterTorture
import Testing

/// The effects of partitions that change hands while a service holds its answers back.
@Suite(
    .enabled(if: ClusterCase.canRun, "redis-server is not installed"), .serialized,
    .timeLimit(.minutes(30)))
struct ClusterEffectsTests {
    @Test(arguments: EffectTorture.Change.allCases)
    func `every request arrives under one key, and what asks for it is told, however partitions change hands`(
        change: EffectTorture.Change
    ) throws {
        #expect(try EffectTorture().run(change) == [])
    }
}
