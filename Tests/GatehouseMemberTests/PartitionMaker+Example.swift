// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseLibrary
@testable import GatehouseMember
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

extension ClusterConfiguration {
    /// A cluster of two partitions.
    static let example = ClusterConfiguration(engine: "redis://a", name: "shop", partitions: 2)
}

extension PartitionMaker.Terms {
    /// The terms of the member `a`, which has no data.
    static var example: PartitionMaker.Terms { example(data: nil) }

    /// The terms of the member `a`, whose data is in a folder; nil for none.
    static func example(
        data: String?, clock: any Clock<Duration> = ContinuousClock()
    ) -> PartitionMaker.Terms {
        PartitionMaker.Terms(
            member: "a", clock: HostClock(clock: clock, unixTime: { 0 }),
            pauses: EffectPauses(), dataDirectory: data, timesAll: false, flightRecorder: FlightRecorder(),
            onAction: nil)
    }
}

extension PartitionMaker {
    /// A maker of stores for the member `a`.
    static func example(
        of plan: HostPlan, in cluster: MemoryCluster, _ counts: ClusterCounts = ClusterCounts(),
        data: String? = nil, clock: any Clock<Duration> = ContinuousClock(),
        report: @escaping @Sendable (HostReport) -> Void
    ) -> PartitionMaker {
        let keys = ActionKeys(.example)
        let router = ClusterRouter(
            of: "a", life: "1", into: cluster, by: keys, partitions: 2, stop: StopRequest(),
            report: { report(.cluster($0)) })
        return PartitionMaker(
            .example(data: data, clock: clock), .example, plan: plan, images: ImageCache(),
            behind: ClusterGateway(router, report: { report(.cluster($0)) }), keys: keys, counts: counts,
            reports: Reporter(report))
    }
}
