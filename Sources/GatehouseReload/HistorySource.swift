// SPDX-License-Identifier: Apache-2.0

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
