// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
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
    /// What a child may read that makes some instances of a plan: configuration, plugins and journal, and what the instances may.
    func access(for instances: [PlannedInstance], of plan: HostPlan) -> FileAccess {
        .reading(
            for: instances.map { ($0, nil) },
            and: [path, plan.configuration.folder(from: base)] + FileAccess.images(of: journal)
                + (plan.signing == nil ? [] : SigningJudge.files(beside: base)))
    }
}
