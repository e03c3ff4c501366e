// SPDX-License-Identifier: Apache-2.0

internal import GatehouseMember
internal import GatehousePlan
internal import GatehouseSupport

/// The membership of a run in a cluster: joined before a plugin is started, with partitions from `ready` to the end of the run.
struct ClusterMember: RunComponent {
    /// Owns the partitions.
    let host: ClusterHost

    /// Joins the cluster, or reports what is known in advance to forbid it.
    init(joining host: ClusterHost, _ configuration: HostConfiguration) throws(Ended) {
        self.host = host
        do {
            try host.join()
        } catch {
            let place = configuration.cluster.map { " \($0.name) at \($0.engine)" } ?? ""
            throw Ended(.journalFailed, "the cluster\(place) cannot be joined: \(error)")
        }
    }

    func ready() throws(Ended) {
        guard host.begin() else {
            throw Ended(.internalError, "the system refuses threads for the partitions of the cluster")
        }
    }
}
