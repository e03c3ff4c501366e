// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
package import GatehouseLibrary
internal import GatehouseSDK
internal import GatehouseSupport

/// Judges what a configuration asks for: finds the libraries, compares entries with manifests, orders the chain.
///
/// Runs no plugin code and changes nothing. Every command that needs to know what would run asks it.
package struct Planner: Sendable {
    /// Who may own and write the files.
    private let trust: FileTrust
    /// The folder that relative paths start from.
    private let baseDirectory: String

    /// A planner for configurations whose relative paths start at a folder.
    package init(trust: FileTrust, baseDirectory: String) {
        self.trust = trust
        self.baseDirectory = baseDirectory
    }

    /// The plan of a configuration, with everything that is wrong; what follows from another problem is left out.
    ///
    /// - Parameter library: the path of a library to be used in the place of those with its plugin id; nil for none.
    package func plan(_ outcome: ConfigurationOutcome, with library: String? = nil) -> HostPlan {
        guard let configuration = outcome.readable else {
            return HostPlan(
                configuration: HostConfiguration(), entries: [], spares: [], diagnostics: outcome.diagnostics)
        }
        var matcher = LibraryMatcher(
            configuration: configuration, known: outcome.diagnostics.all, baseDirectory: baseDirectory,
            trust: trust, substitute: library)
        matcher.match()
        var plan = HostPlan(
            configuration: configuration, entries: matcher.entries, shadows: matcher.shadows,
            spares: matcher.spares,
            diagnostics: Diagnostics(matcher.diagnostics), isDistrusted: matcher.isDistrusted,
            signing: matcher.signing,
            unvouched: matcher.unvouched)
        // Advice about a configuration that must change anyway would only hide what is wrong.
        guard !plan.diagnostics.isFailure else { return plan }
        let review = WorkerReview(of: plan.instances, inCluster: configuration.cluster != nil)
        plan.diagnostics = plan.diagnostics + review.diagnostics
        plan = plan.refusing(review.refused)
        guard !plan.diagnostics.isFailure else { return plan }
        plan.diagnostics = plan.diagnostics + PlanReview(plan).diagnostics
        if let cluster = configuration.cluster {
            plan.diagnostics = plan.diagnostics + ClusterReview(of: plan.instances, in: cluster).diagnostics
            plan.diagnostics = plan.diagnostics + accessDiagnostics(cluster, configuration.place)
        }
        return plan
    }

    /// What keeps a member from its engine, as far as files tell.
    private func accessDiagnostics(_ cluster: ClusterConfiguration, _ place: ConfigurationPlace?)
        -> [Diagnostic]
    {
        guard case .redis(let access) = cluster.place(from: baseDirectory) else { return [] }
        let (tls, identity) = (access.tls, access.tls.identity)
        let files: [(part: [String], file: AccessFile?, isSecret: Bool)] = [
            (["password"], access.password, true), (["tls", "ca"], tls.authorities, false),
            (["tls", "cert"], identity?.certificate, false), (["tls", "key"], identity?.key, true),
        ]
        return files.compactMap { part, file, isSecret in
            do throws(AccessFile.Problem) {
                try file?.judge(isSecret: isSecret)
                return nil
            } catch {
                let severity = error.mayBeElsewhere ? Diagnostic.Severity.warning : .error
                return place.diagnostic(severity, at: ["cluster"] + part, error.sentence)
            }
        }
    }
}
