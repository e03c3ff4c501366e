// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehousePlanTesting
import Testing

@testable import GatehouseCluster
@testable import GatehouseLibrary
@testable import GatehouseMember
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// How a member joins, at a Redis, the real one.
@Suite(
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct ClusterHostTests {
    /// What keeps the member `a` from joining; nil for nothing.
    private func obstacle(_ access: RedisAccess, _ mixed: ClusterConfiguration.MixedPlugins)
        -> ClusterFailure?
    {
        var configuration = ClusterConfiguration.example
        configuration.mixedPlugins = mixed
        let host = ClusterHost(
            configuration, by: access, .example, plan: PlanExample.plan([]), images: ImageCache(),
            grace: .seconds(1), reports: Reporter { _ in }, stop: StopRequest())
        do throws(ClusterFailure) {
            try host.join()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a member with other plugins than all others joins only where that is allowed`() throws {
        let server = try RedisServer()
        let access = RedisAccess.unix(path: server.socket)
        let engine = try RedisCluster(access, name: "shop", partitions: 2).connect()
        let other = ClusterPresence(name: "b", life: "1", digest: "another")
        try engine.join(other)
        _ = try engine.renew(other, for: .seconds(600))
        #expect(
            obstacle(access, .refuse)
                == .refused(
                    "b runs other plugins, and \"mixedPlugins\" is \"refuse\"; give this member the same libraries"
                ))
        #expect(obstacle(access, .allow) == nil)
    }
}
