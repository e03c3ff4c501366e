// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
package import GatehouseSDK

/// What the policy of placement has decided.
extension HostPlan {
    /// The instances whose place the policy decided, in chain order; none where every place is what it would be without one.
    private var placed: [PlannedInstance] { instances.filter { $0.placement.reason != nil } }

    /// Where they run and why, in one sentence without a full stop for each place.
    package var placements: [String] {
        // The policy has one default, and exceptions in the host; what versions decide follows.
        var places = [
            PlannedPlacement(configuration.placement.standard, by: .standard),
            PlannedPlacement(.host, by: .digest),
            PlannedPlacement(.worker, by: .unsigned),
        ]
        for planned in placed where planned.placement.match != nil && !places.contains(planned.placement) {
            places.append(planned.placement)
        }
        return places.compactMap { place in
            let ids = placed.filter { $0.placement == place }.map(\.id)
            guard !ids.isEmpty else { return nil }
            return
                "\(ids.joined(separator: ", ")) \(ids.count == 1 ? "runs" : "run") \(place.words(of: ids.count))"
        }
    }

    /// The same for programs; nil where the policy decided nothing.
    var placementsJSON: Value? {
        guard !placed.isEmpty else { return nil }
        return .array(
            placed.map { instance in
                .object(Members([("id", .string(instance.id))] + instance.placement.members))
            })
    }

    /// The instances that run in one process with another, itself included, in chain order; those in quarantine run nowhere.
    package func processMembers(with planned: PlannedInstance) -> [PlannedInstance] {
        guard let name = planned.sharedWorker else { return [planned] }
        return instances.filter { $0.sharedWorker == name && $0.quarantine == nil }
    }

    /// Why instances cannot run in workers where all others do, by id; outside of a cluster.
    package var workerObstacles: [String: String] { WorkerReview.obstacles(to: instances) }
}

extension PlannedPlacement {
    /// The place and what decided it, as members of an object about the instance; none in the host where nothing decided it.
    var members: [(String, Value)] {
        guard place != .host || reason != nil else { return [] }
        return [("placement", .string(place.rawValue))] + reasonMembers
    }

    /// What decided it, as members of an object about the instance, with the installed version whose worker it is; none where the entry
    /// decided.
    package var reasonMembers: [(String, Value)] {
        (reason.map { [("placedBy", .string($0.rawValue))] } ?? [])
            + (match.map { [("workerVersion", .string($0.version.name))] } ?? [])
    }
}
