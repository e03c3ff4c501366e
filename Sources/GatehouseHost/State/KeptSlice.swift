// SPDX-License-Identifier: Apache-2.0

/// What is known of a slice whose instance is gone, so that one that comes later can take it over.
struct KeptSlice: Equatable, Sendable {
    /// The plugin that made it.
    let plugin: String
    /// The version of its form, as that plugin counts them.
    let stateVersion: Int
}
