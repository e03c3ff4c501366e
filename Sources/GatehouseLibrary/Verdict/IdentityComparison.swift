// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest

/// One field in which plugin and host must agree.
package struct IdentityComparison: Equatable {
    /// The compared field.
    let field: Refusal.IdentityField
    /// The value that the host has.
    let expected: String
    /// The value that the plugin has.
    let found: String

    /// Whether the two values are equal.
    var agrees: Bool { expected == found }

    /// All fields, in the order of messages.
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
    }
}
