// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest

/// A library in the plugin folder that a plugin needs.
///
/// The plugin is loaded from a copy, so its companions must be copied with it, under the same names.
package struct Companion: Sendable {
    /// Its path from the plugin folder: a file name, or folders and a file name.
    package let name: String
    /// The judged bytes.
    let file: SealedFile

    /// The path at which it was found.
    var path: String { file.path }
    /// SHA-256 of the bytes.
    var digest: Digest { file.digest }
}
