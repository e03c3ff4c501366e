// SPDX-License-Identifier: Apache-2.0

/// The folder for the persistent data of instances.
package enum DataFolder {
    /// The folder for this process: systemd's state folder of the service, otherwise `data` beside the configuration.
    package static func path(beside base: String) -> String { path(beside: base, SystemFile.variable) }

    /// The folder that the environment names; relative paths are ignored.
    package static func path(beside base: String, _ variable: (String) -> String?) -> String {
        guard let folders = variable("STATE_DIRECTORY"), folders.hasPrefix("/") else { return base + "/data" }
        // systemd lists all folders of a service, separated by colons.
        return folders.prefix { $0 != ":" } + "/data"
    }
}
