// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest

/// One field that plugin and host have in common, or should.
package struct IdentityComparison: Equatable {
    /// The compared field.
    let field: Refusal.IdentityField
    /// The value that the host has.
    let expected: String
    /// The value that the plugin has.
    let found: String

    /// Whether a difference keeps the plugin from loading.
    var decides = true

    /// Whether the two values are equal.
    var agrees: Bool { expected == found }
    /// Whether the plugin is refused for it.
    var isRefusal: Bool { !agrees && decides }

    /// All fields that the plugin tells, in the order of messages.
    static func all(of plugin: BuildIdentity, with host: BuildIdentity) -> [IdentityComparison] {
        [
            IdentityComparison(field: .abi, expected: "\(host.abi)", found: "\(plugin.abi)"),
            IdentityComparison(field: .triple, expected: host.triple, found: plugin.triple),
            IdentityComparison(field: .compiler, expected: host.compiler, found: plugin.compiler),
            IdentityComparison(
                field: .configuration, expected: host.configuration.rawValue,
                found: plugin.configuration.rawValue),
            // The fingerprint covers compiler, triple and configuration: if it alone differs, the sources do.
            IdentityComparison(
                field: .sdkFingerprint, expected: host.sdkFingerprint, found: plugin.sdkFingerprint),
        ]
            + sources(of: plugin, with: host)
    }

    /// The digest of all sources, if the plugin tells it or must.
    ///
    /// It decides for a plugin that may contain code of the SDK that the fingerprint leaves out. Another fingerprint says it all.
    private static func sources(of plugin: BuildIdentity, with host: BuildIdentity) -> [IdentityComparison] {
        guard plugin.seesBodies || !plugin.sdkSources.isEmpty else { return [] }
        let comparison = IdentityComparison(
            field: .sdkSources, expected: host.sdkSources,
            found: plugin.sdkSources.isEmpty ? "none" : plugin.sdkSources,
            decides: plugin.seesBodies && plugin.sdkFingerprint == host.sdkFingerprint)
        return [comparison]
    }
}
