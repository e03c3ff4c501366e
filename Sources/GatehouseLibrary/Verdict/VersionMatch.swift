// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// The installed version that a plugin was built for, where this process cannot load the plugin and a worker of that version can.
package struct VersionMatch: Equatable, Sendable {
    /// The version.
    package let version: InstalledVersion
    /// Why this process refuses the plugin: the differences from this host.
    let differences: [Refusal]

    /// Why another version takes the plugin, as a sentence about one plugin or several, without a subject: `its compiler and SDK
    /// fingerprint differ from this host's`.
    package func reason(ofOne isOne: Bool = true) -> String {
        let fields = differences.compactMap { difference -> String? in
            if case .identity(let field, _, _) = difference { field.rawValue } else { nil }
        }
        let names =
            fields.count > 1
            ? fields.dropLast().joined(separator: ", ") + " and " + (fields.last ?? "") : fields.first ?? ""
        return
            "\(isOne ? "its" : "their") \(names) \(fields.count == 1 ? "differs" : "differ") from this host's"
    }

    /// The refusal of the plugin where its entry says that it runs in the host.
    package var refusalInHost: String {
        let found = differences.compactMap { difference -> String? in
            guard case .identity(let field, let expected, let found) = difference else { return nil }
            return "\(field.rawValue): expected \(expected), found \(found)"
        }.joined(separator: "; ")
        return
            "\(found); the installed version \(version.name) was built with the same, and its worker would take it: write \"placement\": \"worker\", or rebuild the plugin with this host's SDK"
    }

    /// The refusal of the plugin where its code would run in a process of this program.
    package var refusalHere: String {
        "only a worker of the installed version \(version.name) can load it, because \(reason()), and its code would run in a process of this program here; use \(version.program) in its place, or rebuild the plugin with this host's SDK"
    }
}
