// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSupport

// Libraries whose reducers fail on the past: their slices stand still, and the others continue.
extension Recovery {
    /// A library whose reducer ended the child that reduces the journal, or did not return there.
    package struct FallenLibrary: Equatable {
        /// The digest of the library's bytes, in hexadecimal.
        package let digest: String
        /// The id of the plugin.
        package let plugin: String
        /// The reason, as a sentence without an end mark.
        package let reason: String
    }

    /// The libraries that the host should not load again.
    package var fallen: [FallenLibrary] {
        place.fallen.compactMap { one in
            guard let entry = place.state.entries[one.id], let digest = entry.digest else { return nil }
            return FallenLibrary(
                digest: digest, plugin: entry.plugin,
                reason:
                    "its reducer \(one.reason) at action \((one.at + 1).grouped), when the journal was replayed"
            )
        }
    }
}
