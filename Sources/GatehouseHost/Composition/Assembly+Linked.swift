// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

extension Assembly {
    /// Makes instances of plugins that are linked in, in the given order; nothing is judged or loaded.
    ///
    /// Slices must not overlap.
    /// - Throws: when an entry's settings do not fit its plugin.
    public init(
        linking plugins: [LinkedPlugin], configuration: HostConfiguration = HostConfiguration(),
        dependencies: HostDependencies
    ) throws(CodingFailure) {
        let tree = StateTree(plain: configuration.state)
        var instances: [Instance] = []
        for plugin in plugins {
            let instance = try Instance(
                PlannedInstance(plugin.entry, manifest: plugin.manifest), exports: plugin.exports,
                dependencies: dependencies)
            if !instance.slice.isEmpty { tree.own(instance.slicePointer, instance.slice, by: instance.id) }
            instances.append(instance)
        }
        self.init(
            state: HostState(
                tree: tree, generation: Generation(instances: instances), window: dependencies.window),
            configuration: configuration)
    }
}
