// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// What is known of a slice whose instance is gone, so that one that comes later can take it over.
struct KeptSlice: Equatable, Sendable {
    /// The plugin that made it.
    let plugin: String
    /// The version of its form, as that plugin counts them.
    let stateVersion: Int
}

extension [JSONPointer: KeptSlice] {
    /// What is kept for an instance that begins: at its place, by a plugin of its id; nil for nothing.
    ///
    /// - Parameter plain: the state that no instance owns, in which the value lies.
    func state(for planned: PlannedInstance, in plain: GatehouseSDK.Value) -> VersionedState? {
        let place = planned.entry.slice
        guard let slice = self[place], slice.plugin == planned.manifest.id, let value = plain[place] else {
            return nil
        }
        return VersionedState(version: slice.stateVersion, value: value)
    }
}
