// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest

/// What a library declares about its plugin, once for all its instances.
package final class PluginDescription: Sendable {
    /// The manifest of the library.
    package let manifest: PluginManifest
    /// Local names and patterns that the plugin consumes.
    package let consumes: [TypePattern]
    /// Local names and patterns that the plugin emits.
    package let emits: [TypePattern]

    /// What a manifest says.
    package init(_ manifest: PluginManifest) {
        self.manifest = manifest
        consumes = manifest.consumes.compactMap { TypePattern($0) }
        emits = manifest.emits.compactMap { TypePattern($0) }
    }
}
