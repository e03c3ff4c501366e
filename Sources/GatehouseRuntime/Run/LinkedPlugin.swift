// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
package import GatehousePlan
package import GatehouseSDK

/// A plugin that is linked into the program instead of loaded from a library; for tests and embedding.
package struct LinkedPlugin {
    /// The entry of its configuration.
    package let entry: InstanceConfiguration
    /// The manifest that the library carries.
    package let manifest: PluginManifest
    /// What `PluginEntry.exports(of:)` gives for its type.
    package let exports: PluginExports

    /// One use of a linked plugin.
    package init(entry: InstanceConfiguration, manifest: PluginManifest, exports: PluginExports) {
        self.entry = entry
        self.manifest = manifest
        self.exports = exports
    }
}
