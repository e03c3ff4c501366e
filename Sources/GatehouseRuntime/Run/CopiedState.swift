// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehousePlan
package import GatehouseSDK

/// The state of a host as it was between two actions, copied for little and not encoded yet.
package struct CopiedState: Sendable {
    /// The state of one instance.
    private struct Entry {
        /// The id of the instance.
        let id: String
        /// Its state, encoded when it is asked for; nil for a plugin without.
        let state: SliceCopy?
        /// The version of the form of the state.
        let version: Int
        /// Everything else, with no state.
        let rest: SavedState.Entry
    }

    /// What the instances have.
    private let entries: [Entry]
    /// Everything else, with no instances.
    private let rest: SavedState

    /// Copies the state of a generation; called in the drain.
    ///
    /// - Parameter isWanted: whether the state of an instance is copied.
    package init(
        of generation: Generation, configured: Value, where isWanted: (Instance) -> Bool = { _ in true }
    ) {
        let tree = generation.state.state
        entries = generation.instances.filter(isWanted).map { instance in
            Entry(
                id: instance.id, state: instance.slice.copy(), version: instance.exports.stateVersion,
                rest: SavedState.Entry(
                    plugin: instance.manifest.id, digest: instance.planned.digest?.hex,
                    pointer: instance.slicePointer, state: nil, gate: "\(instance.planned.entry.gate)",
                    position: instance.statePointer == nil ? instance.gate : nil,
                    standing: instance.standing?.value))
        }
        rest = SavedState(configured: configured, plain: tree.plain, kept: tree.kept, entries: [:])
    }

    /// The state as it goes from one run to the next; callable once, on any thread.
    ///
    /// - Throws: when a plugin's state does not encode.
    package func saved() throws(CodingFailure) -> SavedState {
        var all: [String: SavedState.Entry] = [:]
        for entry in entries {
            var made = entry.rest
            if let state = entry.state {
                made.state = VersionedState(version: entry.version, value: try state())
            }
            all[entry.id] = made
        }
        return SavedState(configured: rest.configured, plain: rest.plain, kept: rest.kept, entries: all)
    }
}
