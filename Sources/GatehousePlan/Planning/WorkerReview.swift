// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport

/// Looks for what cannot be where an instance runs in a worker, because something would have to wait for another process.
struct WorkerReview {
    /// What cannot be, with its place in the file.
    private(set) var diagnostics: [Diagnostic] = []

    /// Reviews the instances of a plan.
    ///
    /// - Parameter isMember: whether those that keep their state in partitions do so as a member of a cluster.
    init(of instances: [PlannedInstance], inCluster isMember: Bool) {
        let placed = instances.filter { $0.entry.placement == .worker }
        for planned in placed {
            if let sentence = Self.objection(to: planned, isMember) {
                diagnostics.append(planned.fault(at: ["placement"], sentence))
            }
        }
        guard !placed.isEmpty else { return }
        for planned in instances {
            guard case .state(let pointer) = planned.entry.gate,
                let owner = placed.first(where: { $0.slice?.contains(pointer) == true })
            else { continue }
            diagnostics.append(
                planned.fault(
                    at: ["gate", "state"],
                    "the gate follows \(pointer), and \(owner.id), which keeps that, runs in a worker, so it changes only after others have heard the action; let an action move the gate, or run \(owner.id) in the host"
                ))
        }
    }

    /// What manifests ask for and no worker has, and what that means.
    private static let beyond = [
        ("network", "uses the network"), ("files", "changes files outside of its folder for data"),
    ]

    /// Why an instance cannot run in a worker; nil where it can.
    private static func objection(to planned: PlannedInstance, _ isMember: Bool) -> String? {
        if isMember, planned.manifest.scope == .partition {
            return
                "a member of a cluster runs \(planned.id) once in each of its partitions, and those have no workers; run it in the host"
        }
        if planned.intercepts {
            return
                "the plugin \(planned.manifest.id) decides about actions before anybody else hears them, and they cannot wait for another process; run it in the host"
        }
        for (permission, need) in Self.beyond where planned.manifest.permissions.contains(permission) {
            return
                "the plugin \(planned.manifest.id) \(need), which it cannot do in a worker; run it in the host"
        }
        let leading = ["state", "control", "ingress"].first {
            planned.entry.lift.dependencies?.contains($0) == true
        }
        return leading.map {
            "the dependency \(Quotation.of($0)) leads into the host, which a worker cannot reach; remove it, or run \(planned.id) in the host"
        }
    }
}
