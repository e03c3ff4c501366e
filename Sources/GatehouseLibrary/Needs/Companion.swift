// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest

/// A library in the plugin folder that a plugin needs.
///
/// The plugin is loaded from a copy, so its companions must be copied with it, under the same names.
public struct Companion: Sendable {
    /// Its path from the plugin folder: a file name, or folders and a file name.
    public let name: String
    /// The judged bytes.
    public let file: SealedFile

    /// The path at which it was found.
    public var path: String { file.path }
    /// SHA-256 of the bytes.
    public var digest: Digest { file.digest }
}
