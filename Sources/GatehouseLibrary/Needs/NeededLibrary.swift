// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// A library that another one needs, and where the loader would find it.
package struct NeededLibrary: Equatable, Sendable {
    /// Where the loader finds it.
    enum Source: Equatable, Sendable {
        /// The host has already loaded it, so nobody looks for it.
        case loaded
        /// A file at this path.
        case file(String)
        /// A file at this path in the plugin folder, which is copied with the plugin.
        case companion(String)
        /// Nowhere, although a file of this name is beside the plugin.
        case beside
        /// Nowhere.
        case absent
        /// Not looked for, or not to be loaded.
        case unknown
    }

    /// The name as the asking library spells it.
    let name: String
    /// The place from which the loader would take it.
    let source: Source
    /// The library that needs it; nil for the plugin.
    let asker: String?

    /// Whether loading the plugin would fail without it.
    var isMissing: Bool { source == .absent || source == .beside }
}

extension NeededLibrary: CustomStringConvertible {
    /// The name and who needs it, as the start of a sentence.
    package var description: String {
        "needs \(Quotation.bare(name))" + (asker.map { " for \(Quotation.bare($0))" } ?? "")
    }
}
