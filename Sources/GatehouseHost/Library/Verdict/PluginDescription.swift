// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest

/// What a library declares about its plugin, once for all its instances.
final class PluginDescription: Sendable {
    /// The manifest of the library.
    let manifest: PluginManifest
    /// Local names and patterns that the plugin consumes.
    let consumes: [TypePattern]
    /// Local names and patterns that the plugin emits.
    let emits: [TypePattern]

    /// What a manifest says.
    init(_ manifest: PluginManifest) {
        self.manifest = manifest
        consumes = manifest.consumes.compactMap { TypePattern($0) }
        emits = manifest.emits.compactMap { TypePattern($0) }
    }
}
