// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Judges what a configuration asks for: finds the libraries, compares entries with manifests, orders the chain.
///
/// Runs no plugin code and changes nothing. Every command that needs to know what would run asks it.
public struct Planner: Sendable {
    /// Who may own and write the files.
    private let trust: FileTrust
    /// The folder that relative paths start from.
    private let baseDirectory: String

    /// A planner for configurations whose relative paths start at a folder.
    public init(trust: FileTrust, baseDirectory: String) {
        self.trust = trust
        self.baseDirectory = baseDirectory
    }

    /// The plan of a configuration, with everything that is wrong; what follows from another problem is left out.
    public func plan(_ outcome: ConfigurationOutcome) -> HostPlan {
        guard let configuration = outcome.readable else {
            return HostPlan(
                configuration: HostConfiguration(), entries: [], spares: [], problems: outcome.problems,
                refusals: [], warnings: [])
        }
        var matcher = LibraryMatcher(
            configuration: configuration, known: outcome.problems, baseDirectory: baseDirectory, trust: trust)
        matcher.match()
        let plan = HostPlan(
            configuration: configuration, entries: matcher.entries, spares: matcher.spares,
            problems: matcher.problems, refusals: matcher.refusals, warnings: matcher.warnings)
        // Advice about a configuration that must change anyway would only hide what is wrong.
        guard plan.failure == nil else { return plan.sorted(adding: [], []) }
        var review = PlanReview(plan)
        review.look()
        return plan.sorted(adding: review.problems, review.warnings)
    }
}

extension HostPlan {
    /// The plan with further problems and warnings; all problems in the order of the file.
    fileprivate func sorted(adding more: [ConfigurationProblem], _ words: [String]) -> HostPlan {
        let all = (problems + more).enumerated()
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element)
        return HostPlan(
            configuration: configuration, entries: entries, spares: spares, problems: all, refusals: refusals,
            warnings: warnings + words)
    }
}
