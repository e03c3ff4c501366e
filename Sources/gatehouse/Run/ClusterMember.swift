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
            StandardError.writeLine("gatehouse: the cluster\(place) cannot be joined: \(error)")
            throw Ended(code: .journalFailed)
        }
    }

    func ready() throws(Ended) {
        guard host.begin() else {
            StandardError.writeLine("gatehouse: the system refuses threads for the partitions of the cluster")
            throw Ended(code: .internalError)
        }
    }
}
