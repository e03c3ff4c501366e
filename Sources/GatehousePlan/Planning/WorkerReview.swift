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
            // Landlock would leave it out in silence.
            for (index, folder) in planned.entry.grant.files.enumerated()
            where !SystemFile.isFolder(folder) {
                diagnostics.append(
                    planned.fault(
                        at: ["grant", "files", "\(index)"],
                        "expected a folder, found none at \(Quotation.of(folder)); make it, or correct the path"
                    ))
            }
            for (index, path) in planned.entry.grant.read.enumerated() where SystemFile.status(path) == nil {
                diagnostics.append(
                    planned.fault(
                        at: ["grant", "read", "\(index)"],
                        "expected a file or a folder, found none at \(Quotation.of(path)); correct the path"))
            }
        }
        for planned in instances
        where planned.entry.placement == .host && planned.entry.grant != GrantConfiguration() {
            diagnostics.append(
                planned.diagnostic(
                    .warning, at: ["grant"],
                    "in the host \(planned.id) has all rights of the host, so this grants nothing; add \"placement\": \"worker\", or remove it"
                ))
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
        let permissions = planned.manifest.permissions
        if permissions.contains("network") {
            return
                "the plugin \(planned.manifest.id) uses the network, which it cannot do in a worker; run it in the host"
        }
        if permissions.contains("files"), planned.entry.grant.files.isEmpty {
            return
                "the plugin \(planned.manifest.id) changes files outside of its folder for data, and its entry grants it none; name their folders, as in \"grant\": { \"files\": [\"/srv/exports\"] }, or run it in the host"
        }
        let leading = ["state", "control", "ingress"].first {
            planned.entry.lift.dependencies?.contains($0) == true
        }
        return leading.map {
            "the dependency \(Quotation.of($0)) leads into the host, which a worker cannot reach; remove it, or run \(planned.id) in the host"
        }
    }
}
