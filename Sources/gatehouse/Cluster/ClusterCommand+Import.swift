// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseJournal
internal import GatehouseMember
internal import GatehousePlan
internal import GatehouseSupport

extension ClusterCommand {
    /// `gatehouse cluster import`: takes everything of the cluster that another configuration names along into this one, which must be
    /// new or empty; reports the result, or what prevents it.
    func bring(
        from other: ConfigurationFile, to place: ClusterPlace, _ cluster: ClusterConfiguration,
        _ file: ConfigurationFile
    ) throws(Ended) -> ExitCode {
        if let outcome = try? other.read(), let before = outcome.readable, before.cluster == nil,
            let folder = before.journalFolder(from: other.folder)
        {
            return try bring(journal: folder, of: other, to: place, cluster, file)
        }
        guard let (before, source) = try self.cluster(of: other, or: "name the configuration of before")
        else {
            return .configuration
        }
        guard source != place || before.name != cluster.name else {
            return .configuration.because(
                "\(other.path) and \(file.path) name the same cluster; gatehouse cluster resize changes the number of its partitions"
            )
        }
        do throws(ClusterFailure) {
            let maintainer = try source.maintainer(of: before.name, patience: Self.patience)
            guard let shape = try maintainer.shape() else {
                return .unavailable.because("there is no cluster \(before.name) at \(before.engine)")
            }
            if let code = objection(to: .import, before, shape) { return code }
            if let obstacle = try obstacle(at: place, cluster) { return .badData.because(obstacle) }
            let letters = try maintainer.engine(of: shape).survey().dead
            let code = try divide(file, cluster, maintainer, shape, to: cluster.partitions) {
                () throws(ClusterFailure) in try begin(at: place, cluster)
            }
            guard code == .success else { return code }
            if letters > 0 {
                StandardError.tell("\(Counted.text(letters, "dead letter")) stay at \(before.engine)")
            }
            if !options.has("--dry-run") {
                StandardError.tell(
                    "the cluster \(before.name) at \(before.engine) is left as it was; start no member with \(other.path) any more"
                )
            }
            return .success
        } catch {
            return .unavailable.because(
                "cluster \(before.name) at \(before.engine), to \(cluster.name) at \(cluster.engine): \(error)"
            )
        }
    }

    /// The same with what a host without a cluster keeps in its journal.
    private func bring(
        journal folder: String, of other: ConfigurationFile, to place: ClusterPlace,
        _ cluster: ClusterConfiguration, _ file: ConfigurationFile
    ) throws(Ended) -> ExitCode {
        let plan = try file.plan()
        guard !plan.diagnostics.isFailure else {
            plan.diagnostics.write()
            return plan.diagnostics.exitCode
        }
        let source: JournalImport
        do throws(JournalFailure) {
            source = try JournalImport(
                folder: folder, cluster, plan, discarding: Set(options.list("--discard")))
        } catch {
            return .badData.because("\(error)")
        }
        do throws(ClusterFailure) {
            if let obstacle = try obstacle(at: place, cluster) { return .badData.because(obstacle) }
            let isDry = options.has("--dry-run")
            let code = report(
                try source.run(isDry: isDry) { () throws(ClusterFailure) in try begin(at: place, cluster) },
                of: cluster)
            if code == .success, !isDry {
                StandardError.tell(
                    "the journal at \(folder) is left as it was; start no host with \(other.path) any more")
            }
            return code
        } catch {
            return .unavailable.because(
                "the journal at \(folder), to \(cluster.name) at \(cluster.engine): \(error)")
        }
    }

    /// Returns why the new cluster cannot take anything in; nil when it can.
    private func obstacle(at place: ClusterPlace, _ cluster: ClusterConfiguration) throws(ClusterFailure)
        -> String?
    {
        let maintainer = try place.maintainer(of: cluster.name, patience: Self.patience)
        guard let shape = try maintainer.shape() else { return nil }
        let there = "there is a cluster \(cluster.name) at \(cluster.engine) already"
        guard shape.partitions == cluster.partitions, shape.halted == nil, shape.resizing == nil, !shape.isOld
        else { return "\(there); name the new one otherwise" }
        let survey = try maintainer.engine(of: shape).survey()
        let isEmpty = survey.partitions.allSatisfy { $0.offset == .start && $0.lag == 0 }
        return isEmpty ? nil : "\(there), and it has processed actions; name the new one otherwise"
    }

    /// Makes the new cluster, unless it is there, and begins to fill it.
    private func begin(at place: ClusterPlace, _ cluster: ClusterConfiguration) throws(ClusterFailure)
        -> any ClusterMaintainer
    {
        let engine = try place.cluster(
            named: cluster.name, partitions: cluster.partitions, replicas: cluster.replicas,
            patience: Self.patience, restarted: { _ in }
        ).connect()
        // The first one that joins makes it.
        let presence = ClusterPresence(
            name: "import", life: String(UInt32.random(in: .min ... .max), radix: 36))
        try engine.join(presence)
        try engine.leave(presence)
        let maintainer = try place.maintainer(of: cluster.name, patience: Self.patience)
        guard let shape = try maintainer.shape() else {
            throw .refused("the new cluster vanished while it was made; import once more")
        }
        let members = try maintainer.beginResize(of: shape, to: cluster.partitions)
        guard members.isEmpty else {
            throw .refused(
                "the new cluster is in use by \(members.map { Quotation.bare($0) }.joined(separator: ", ")); stop it first"
            )
        }
        return maintainer
    }
}
