// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
package import GatehousePlan
package import GatehouseRuntime
internal import GatehouseSupport

/// Where a child of the host finds the configuration and the past.
package struct HistorySource: Codable, Equatable, Sendable {
    /// The path of the configuration file or, if `isFolder`, of a folder of plugins without one.
    package let path: String
    /// Whether the path is a folder of plugins.
    package let isFolder: Bool
    /// The folder that relative paths of the configuration start from.
    package let base: String
    /// The folder of the journal.
    package let journal: String
    /// Whether to refuse files that their group may write to.
    package let isStrict: Bool

    /// Creates the source of a host.
    package init(path: String, isFolder: Bool, base: String, journal: String, isStrict: Bool) {
        self.path = path
        self.isFolder = isFolder
        self.base = base
        self.journal = journal
        self.isStrict = isStrict
    }
}

extension HistorySource {
    /// Returns the plan of the configuration currently on disk.
    ///
    /// - Parameters:
    ///   - library: the path of a library that replaces those with its plugin id; nil for none.
    ///   - name: what messages call the file; nil for its path.
    /// - Throws: that the file cannot be read, or all that is wrong with the plan.
    package func plan(
        with library: String? = nil, calledAs name: String? = nil
    ) throws(PastFailure) -> HostPlan {
        let read: ConfigurationOutcome
        do {
            read =
                isFolder
                ? ConfigurationOutcome(of: HostConfiguration(directory: path))
                : ConfigurationParser.parse(
                    try SystemFile.bytes(of: path, limit: 64 << 20), file: name ?? path)
        } catch {
            throw .child("\(path): \(error)")
        }
        let plan = Planner(trust: FileTrust(isStrict: isStrict), baseDirectory: base).plan(
            read, with: library)
        if let failure = plan.failure { throw .diagnostics(failure) }
        return plan
    }

    /// What a child may read that makes some instances of a plan: configuration, plugins and journal, and what the instances may.
    func access(for instances: [PlannedInstance], of plan: HostPlan) -> FileAccess {
        .reading(
            for: instances.map { ($0, nil) },
            and: [path, plan.configuration.folder(from: base)] + FileAccess.images(of: journal)
                + (plan.signing == nil ? [] : SigningJudge.files(beside: base)))
    }
}
