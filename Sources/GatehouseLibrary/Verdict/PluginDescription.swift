// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest

/// The declarations of a library about its plugin, shared by all its instances.
package final class PluginDescription: Sendable {
    /// The manifest of the library.
    package let manifest: PluginManifest
    /// Local names and patterns that the plugin consumes.
    package let consumes: [TypePattern]
    /// Local names and patterns that the plugin emits.
    package let emits: [TypePattern]

    /// Parses the patterns of a manifest.
    package init(_ manifest: PluginManifest) {
        self.manifest = manifest
        consumes = manifest.consumes.compactMap { TypePattern($0) }
        emits = manifest.emits.compactMap { TypePattern($0) }
    }
}
