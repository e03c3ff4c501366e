// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehouseSDK

/// What is known of a slice whose instance is gone, so that one that comes later can take it over.
package struct KeptSlice: Equatable, Sendable {
    /// The plugin that made it.
    package let plugin: String
    /// The version of its form, as that plugin counts them.
    package let stateVersion: Int
    /// The id of the instance that had it; nil in what older hosts have written.
    package var instance: String?

    /// A slice as it is kept.
    package init(plugin: String, stateVersion: Int, instance: String? = nil) {
        self.plugin = plugin
        self.stateVersion = stateVersion
        self.instance = instance
    }
}

extension [JSONPointer: KeptSlice] {
    /// Where something is kept for an instance that begins: at its place, or where an instance of its id had it, or of the id that
    /// it had before; nil for nowhere.
    ///
    /// - Parameter plugin: the id of its plugin, which must have made what is kept.
    package func place(for entry: InstanceConfiguration, of plugin: String?) -> JSONPointer? {
        if let slice = self[entry.slice], slice.plugin == plugin { return entry.slice }
        for id in [entry.id, entry.was] {
            let places = filter { $0.value.plugin == plugin && $0.value.instance == id && id != nil }.keys
            if let place = places.min(by: { "\($0)" < "\($1)" }) { return place }
        }
        return nil
    }

    /// What is kept for an instance that begins, and where; nil for nothing.
    ///
    /// - Parameter plain: the state that no instance owns, in which the value lies.
    package func state(
        for planned: PlannedInstance, in plain: GatehouseSDK.Value
    ) -> (place: JSONPointer, state: VersionedState)? {
        guard let place = place(for: planned.entry, of: planned.manifest.id), let slice = self[place],
            let value = plain[place]
        else { return nil }
        return (place, VersionedState(version: slice.stateVersion, value: value))
    }
}
