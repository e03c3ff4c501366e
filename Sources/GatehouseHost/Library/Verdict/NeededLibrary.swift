// SPDX-License-Identifier: Apache-2.0

/// A library that another one asks for, and what the loader would make of it.
public struct NeededLibrary: Equatable, Sendable {
    /// Where the loader gets it from.
    public enum Source: Equatable, Sendable {
        /// The host has it already, so nobody looks for it.
        case loaded
        /// A file at this path.
        case file(String)
        /// Nowhere, although a file of this name stands beside the plugin.
        case beside
        /// Nowhere.
        case absent
        /// Not looked for: the plugin is for another machine.
        case unknown
    }

    /// The name as the plugin asks for it.
    public let name: String
    /// Where it comes from.
    public let source: Source

    /// Whether loading the plugin would fail for want of it.
    public var isMissing: Bool { source == .absent || source == .beside }
}
