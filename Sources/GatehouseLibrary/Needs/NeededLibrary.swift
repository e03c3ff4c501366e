// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// A library that another one asks for, and what the loader would make of it.
public struct NeededLibrary: Equatable, Sendable {
    /// Where the loader gets it from.
    public enum Source: Equatable, Sendable {
        /// The host has it already, so nobody looks for it.
        case loaded
        /// A file at this path.
        case file(String)
        /// A file at this path in the plugin folder, which is copied with the plugin.
        case companion(String)
        /// Nowhere, although a file of this name stands beside the plugin.
        case beside
        /// The loader would find it nowhere.
        case absent
        /// Not looked for, or not to be taken.
        case unknown
    }

    /// The name as it is asked for.
    public let name: String
    /// The place from which the loader would take it.
    public let source: Source
    /// The library that asks for it; nil for the plugin.
    public let asker: String?

    /// Whether loading the plugin would fail for want of it.
    public var isMissing: Bool { source == .absent || source == .beside }
}

extension NeededLibrary: CustomStringConvertible {
    /// What is needed and by whom, as the start of a sentence.
    public var description: String {
        "needs \(Quotation.bare(name))" + (asker.map { " for \(Quotation.bare($0))" } ?? "")
    }
}
