// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// The folder where this user's programs keep what can be regenerated.
package enum CacheFolder {
    /// The folder for this process; nil when the environment names none.
    package static var current: String? { path(SystemFile.variable) }

    /// The folder that the environment names: systemd's first, then the user's own; relative paths are ignored.
    package static func path(_ variable: (String) -> String?) -> String? {
        func absolute(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        // systemd lists all folders of a service, separated by colons.
        if let folders = absolute("CACHE_DIRECTORY") { return String(folders.prefix { $0 != ":" }) }
        if let base = absolute("XDG_CACHE_HOME") { return base + "/gatehouse" }
        return absolute("HOME").map { $0 + "/.cache/gatehouse" }
    }
}
