// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest
public import GatehouseSDK

/// A plugin that is linked into the program instead of loaded from a library; for tests and embedding.
public struct LinkedPlugin {
    /// The entry of its configuration.
    public let entry: InstanceConfiguration
    /// The manifest that the library carries.
    public let manifest: PluginManifest
    /// What `PluginEntry.exports(of:)` gives for its type.
    public let exports: PluginExports

    /// One use of a linked plugin.
    public init(entry: InstanceConfiguration, manifest: PluginManifest, exports: PluginExports) {
        self.entry = entry
        self.manifest = manifest
        self.exports = exports
    }
}
