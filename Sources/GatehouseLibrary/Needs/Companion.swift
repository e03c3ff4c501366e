// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest

/// A library that a plugin needs and that stands in the plugin folder.
///
/// The plugin is loaded from a copy, so its companions must be copied with it, under the same names.
public struct Companion: Sendable {
    /// Its path from the plugin folder: a file name, or folders and a file name.
    public let name: String
    /// The bytes that were judged.
    public let file: SealedFile

    /// The path at which it was found.
    public var path: String { file.path }
    /// SHA-256 of the bytes.
    public var digest: Digest { file.digest }
}
