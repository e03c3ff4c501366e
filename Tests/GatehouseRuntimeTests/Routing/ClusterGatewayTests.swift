// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// How the outputs of a member's own host come to the partitions.
@Suite(.timeLimit(.minutes(10))) struct ClusterGatewayTests {
    /// A cluster to which nobody is let.
    private struct ClosedCluster: Cluster {
        var memory: ClusterMemory? { nil }
        var server: ClusterServer? { nil }

        func connect() throws(ClusterFailure) -> any ClusterEngine { throw .refused("it is closed") }

        func halt(for failure: ClusterFailure, by member: String, at time: Int) throws(ClusterFailure) -> Bool
        {
            false
        }
    }

    @Test func `outputs that the engine refuses are dead letters of the cluster, from no line`() async throws
    {
        try await TestThread.value {
            let router = ClusterRouter(
                of: "a", life: "1", into: ClosedCluster(),
                by: ActionKeys(ClusterConfiguration(engine: "redis://a", name: "shop", partitions: 2)),
                partitions: 2, stop: StopRequest(), report: { _ in })
            let gateway = ClusterGateway(router, report: { _ in })
            let host = Host(
                try .empty(), by: PartitionedAdmission(router, elsewhere: gateway),
                reports: Reporter { Issue.record("\($0)") })
            let output = DispatchedAction(AnyAction("orders/place", payload: 1), dispatcher: .here())
            #expect(gateway.take(output))
            while !gateway.isIdle { sched_yield() }
            let letters = host.store.dependencies.letters.list()
            #expect(letters.map(\.kind) == [.refusedOutput])
            #expect(letters.first?.value["action"] == ["type": "orders/place", "payload": 1])
            #expect(letters.first?.value["source"] == ["input": "cluster", "line": 0])
            #expect(letters.first?.reason == "it is closed")
        }
    }
}
