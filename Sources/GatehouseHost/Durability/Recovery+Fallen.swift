// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSupport

// Libraries whose reducers do not come through the past: their slices stand, and the others go on.
extension Recovery {
    /// A library whose reducer has ended the child that goes over the journal, or did not come back there.
    struct FallenLibrary: Equatable {
        /// Names its bytes, in hexadecimal.
        let digest: String
        /// The id of the plugin.
        let plugin: String
        /// What happened, as a sentence without an end mark.
        let reason: String
    }

    /// The libraries that the host should not load again.
    var fallen: [FallenLibrary] {
        place.fallen.compactMap { one in
            guard let entry = place.state.entries[one.id], let digest = entry.digest else { return nil }
            return FallenLibrary(
                digest: digest, plugin: entry.plugin,
                reason:
                    "its reducer \(one.reason) at action \((one.at + 1).grouped), when the journal was gone over"
            )
        }
    }
}
