// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseMember
internal import GatehousePlan
internal import GatehouseSupport

/// The membership of a run in a cluster: joined before a plugin is started, with partitions from `ready` to the end of the run.
struct ClusterMember: RunComponent {
    /// Owns the partitions.
    let host: ClusterHost

    /// Joins the cluster, or reports what is known in advance to forbid it.
    ///
    /// - Parameter service: hears that an engine is waited for.
    init(joining host: ClusterHost, _ configuration: HostConfiguration, _ service: NotifySocket?)
        throws(Ended)
    {
        self.host = host
        let hasJoined: Bool
        do throws(ClusterFailure) {
            hasJoined = try host.join {
                service?.tell(.status("waiting for the engine of the cluster"), .later)
            }
        } catch {
            let place = configuration.cluster.map { " \($0.name) at \($0.engine)" } ?? ""
            throw Ended(ExitCode(of: error), "the cluster\(place) cannot be joined: \(error)")
        }
        guard hasJoined else {
            throw Ended(.success, "ended before the engine of the cluster answered; nothing was run")
        }
    }

    func ready() throws(Ended) {
        guard host.begin() else {
            throw Ended(.internalError, "the system refuses threads for the partitions of the cluster")
        }
    }
}
