// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
package import GatehousePlan
package import GatehouseSDK
package import GatehouseSupport

/// What the configuration and the plugin folder make together: the instances in chain order, and their state.
package struct Assembly {
    /// The instances, in chain order.
    package let instances: [Instance]
    /// The state before the first action.
    package let tree: StateTree
    /// What the instances were granted from.
    package let dependencies: HostDependencies
    /// What made the instances, and makes those of later generations; nil for plugins that are linked in.
    package let assembler: Assembler?
    /// The configuration it was made from.
    package let configuration: HostConfiguration
    /// What an operator should know although the host starts.
    package private(set) var diagnostics = Diagnostics()
    /// The instances whose states could not be read, and why; they are left out, and their states kept.
    package var unread: [Diagnostic] = []

    /// The ids of the instances, in chain order.
    package var instanceIDs: [String] { instances.map(\.id) }
}

extension Assembly {
    /// Makes instances of plugins that are linked in, in the given order; nothing is judged or loaded.
    ///
    /// Slices must not overlap.
    /// - Throws: when an entry's settings do not fit its plugin.
    package init(
        linking plugins: [LinkedPlugin], configuration: HostConfiguration = HostConfiguration(),
        dependencies: HostDependencies
    ) throws(CodingFailure) {
        let tree = StateTree(plain: configuration.state)
        var instances: [Instance] = []
        for plugin in plugins {
            let instance = try Instance(
                PlannedInstance(plugin.entry, manifest: plugin.manifest), exports: plugin.exports,
                tree: tree, dependencies: dependencies)
            if !instance.slice.isEmpty { tree.own(instance.slicePointer, instance.slice, by: instance.id) }
            instances.append(instance)
        }
        self.init(
            instances: instances, tree: tree, dependencies: dependencies, assembler: nil,
            configuration: configuration)
    }
}

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
