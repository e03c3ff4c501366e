// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport

/// Looks for what cannot be where an instance runs in a worker, because something would have to wait for another process.
struct WorkerReview {
    /// What cannot be, with its place in the file.
    private(set) var diagnostics: [Diagnostic] = []
    /// Why discovered libraries take no part, by the ids of their instances; no entry can be corrected there.
    private(set) var refused: [String: Diagnostic] = [:]

    /// Reviews the instances of a plan.
    ///
    /// - Parameter isMember: whether those that keep their state in partitions do so as a member of a cluster.
    init(of instances: [PlannedInstance], inCluster isMember: Bool) {
        var placed = instances.filter(\.runsInWorker)
        var listening: [ListeningGrant: String] = [:]
        // The first member of each shared worker, which decides whose program that is.
        var first: [String: PlannedInstance] = [:]
        for planned in placed {
            if let name = planned.sharedWorker {
                if let other = first[name], planned.placement.isElsewhere(than: other.placement) {
                    let fault = planned.fault(
                        at: ["placement"], Self.separation(of: planned, from: other, in: name))
                    if fault.library == nil { diagnostics.append(fault) } else { refused[planned.id] = fault }
                }
                first[name] = first[name] ?? planned
            }
            if let sentence = Self.objection(to: planned, isMember) {
                let fault = planned.fault(at: ["placement"], sentence)
                if fault.library == nil { diagnostics.append(fault) } else { refused[planned.id] = fault }
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
            for (index, grant) in planned.entry.grant.network.enumerated() {
                guard case .listener(let socket) = grant else { continue }
                guard let other = listening[socket] else {
                    listening[socket] = planned.id
                    continue
                }
                diagnostics.append(
                    planned.fault(
                        at: ["grant", "network", "\(index)"],
                        other == planned.id
                            ? "\(Quotation.of(socket.text)) is there twice; remove one of them"
                            : "\(other) is to listen at \(socket.address) already; grant \(planned.id) another port"
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
        where !planned.runsInWorker && planned.entry.grant != GrantConfiguration() {
            diagnostics.append(
                planned.diagnostic(
                    .warning, at: ["grant"],
                    "in the host \(planned.id) has all rights of the host, so this grants nothing; add \"placement\": \"worker\", or remove it"
                ))
        }
        placed.removeAll { refused[$0.id] != nil }
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

    /// Why two instances cannot share a worker, and what to do.
    private static func separation(
        of planned: PlannedInstance, from other: PlannedInstance, in name: String
    ) -> String {
        func version(_ planned: PlannedInstance) -> String {
            planned.match.map { "the installed version \($0.version.name)" } ?? "this host"
        }
        return
            "a worker is a process of one version: in the worker \(name), \(other.id) is loaded by \(version(other)), and \(planned.id) by \(version(planned)); give \(planned.id) another worker"
    }

    /// Why an instance cannot run in a worker, and what to do; nil where it can.
    private static func objection(to planned: PlannedInstance, _ isMember: Bool) -> String? {
        obstacle(to: planned, isMember).map { obstacle in
            let version = planned.match.map {
                ", and only a worker of the installed version \($0.version.name) can load it, because \($0.reason())"
            }
            return "\(obstacle.reason)\(version ?? ""); \(obstacle.remedy)"
        }
    }

    /// What to do where an instance cannot run in a worker: run it in the host, or build it for that.
    private static func home(of planned: PlannedInstance) -> String {
        planned.match == nil ? "run it in the host" : "rebuild it with this host's SDK"
    }

    /// Why an instance cannot run in a worker, and what to do, in two parts; nil where it can.
    private static func obstacle(
        to planned: PlannedInstance, _ isMember: Bool
    ) -> (reason: String, remedy: String)? {
        let home = home(of: planned)
        if isMember, planned.manifest.scope == .partition {
            return (
                "a member of a cluster runs \(planned.id) once in each of its partitions, and those have no workers",
                home
            )
        }
        let (need, plugin) = (WorkerNeed(of: planned.manifest), "the plugin \(planned.manifest.id)")
        if let need, let obstacle = need.obstacle {
            return ("\(plugin) \(need.deed)\(obstacle)", home)
        }
        for place in planned.listeningPlaces {
            guard let grant = ListeningGrant(place: place) else {
                return ("\(plugin) listens at \(place), which it cannot do in a worker", home)
            }
            guard planned.entry.grant.listeners.contains(grant) else {
                return (
                    "\(plugin) listens at \(place), which its entry does not let it do in a worker",
                    "add \(Quotation.of(grant.text)) to \"grant\"/\"network\", or \(home)"
                )
            }
        }
        if let need, let grant = need.grant, planned.entry.grant.isEmpty(grant.key) {
            return (
                "\(plugin) \(need.deed), and \(grant.lack)", "\(grant.remedy), or \(home)"
            )
        }
        let leading = ["state", "control", "ingress"].first {
            planned.entry.lift.dependencies?.contains($0) == true
        }
        return leading.map {
            (
                "the dependency \(Quotation.of($0)) leads into the host, which a worker cannot reach",
                "remove it, or \(planned.match == nil ? "run \(planned.id) in the host" : home)"
            )
        }
    }

    /// Why instances cannot run in workers, by id, where all others do; outside of a cluster.
    static func obstacles(to instances: [PlannedInstance]) -> [String: String] {
        var found: [String: String] = [:]
        for planned in instances {
            if let obstacle = obstacle(to: planned, false) { found[planned.id] = obstacle.reason }
            guard case .state(let pointer) = planned.entry.gate,
                let owner = instances.first(where: { $0.slice?.contains(pointer) == true })
            else { continue }
            found[owner.id] = found[owner.id] ?? "the gate of \(planned.id) follows its state"
        }
        return found
    }
}
