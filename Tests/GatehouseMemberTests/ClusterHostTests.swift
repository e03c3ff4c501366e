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
    /// The member `a`, which has not joined.
    private func host(_ access: RedisAccess, _ mixed: ClusterConfiguration.MixedPlugins) -> ClusterHost {
        var configuration = ClusterConfiguration.example
        configuration.mixedPlugins = mixed
        return ClusterHost(
            configuration, at: .redis(access), .example, plan: PlanExample.plan([]), images: ImageCache(),
            grace: .seconds(1), reports: Reporter { _ in }, stop: StopRequest())
    }

    /// What keeps the member `a` from joining; nil for nothing.
    private func obstacle(_ access: RedisAccess, _ mixed: ClusterConfiguration.MixedPlugins)
        -> ClusterFailure?
    {
        do throws(ClusterFailure) {
            #expect(try host(access, mixed).join())
            return nil
        } catch {
            return error
        }
    }

    /// What keeps the member `a` from joining a live member `b` with a digest.
    private func obstacle(
        to mixed: ClusterConfiguration.MixedPlugins, besides digest: String
    ) throws -> ClusterFailure? {
        let server = try RedisServer()
        let access = RedisAccess.unix(path: server.socket)
        let engine = try RedisCluster(access, name: "shop", partitions: 2).connect()
        let other = ClusterPresence(name: "b", life: "1", digest: digest)
        try engine.join(other)
        _ = try engine.renew(other, for: .seconds(600))
        return obstacle(access, mixed)
    }

    /// The parts of the digest of the member `a`.
    private var own: [Substring] {
        ClusterDigest(of: PlanExample.plan([])).text.split(separator: ".")
    }

    @Test func `a member with other plugins than all others joins only where that is allowed`() throws {
        #expect(
            try obstacle(to: .refuse, besides: "0.\(own[1]).\(own[2])")
                == .refused(
                    "b has other plugins, and \"mixedPlugins\" is \"refuse\"; give this member the same libraries and settings, or change those of all by gatehouse ctl cluster reload"
                ))
        #expect(
            try obstacle(to: .refuse, besides: "another")
                == .refused(
                    "b has other plugins and another configuration of its instances, and \"mixedPlugins\" is \"refuse\"; give this member the same libraries and settings, or change those of all by gatehouse ctl cluster reload"
                ))
        #expect(try obstacle(to: .allow, besides: "0.0.\(own[2])") == nil)
        #expect(try obstacle(to: .refuse, besides: own.joined(separator: ".")) == nil)
    }

    @Test(arguments: ClusterConfiguration.MixedPlugins.allCases)
    func `a member with another key or deduplicate than all others never joins`(
        mixed: ClusterConfiguration.MixedPlugins
    ) throws {
        #expect(
            try obstacle(to: mixed, besides: "\(own[0]).\(own[1]).0")
                == .refused(
                    "b has another \"key\" or \"deduplicate\" in \"cluster\"; write the same here, or stop all members to change it"
                ))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a member has caught up where another one has the partitions`() async throws {
        let server = try RedisServer()
        let access = RedisAccess.unix(path: server.socket)
        let engine = try RedisCluster(access, name: "shop", partitions: 2).connect()
        let other = ClusterPresence(name: "b", life: "1")
        try engine.join(other)
        _ = try engine.renew(other, for: .seconds(60))
        for partition in 0..<2 { _ = try engine.acquire(partition, for: "b", after: 0) }
        let host = host(access, .allow)
        #expect(try host.join())
        try #require(host.begin())
        let (ends, end) = AsyncStream<Void>.makeStream()
        BackgroundThread.perform {
            host.catchUp()
            end.yield()
        }
        for await _ in ends { break }
        #expect(host.failure == nil)
        // Ends a wait that is still going on.
        host.stop.ask(.control)
        host.leave(within: .zero)
        _ = server
    }
}
