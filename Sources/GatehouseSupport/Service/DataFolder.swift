// SPDX-License-Identifier: Apache-2.0

/// Where instances keep what must last.
public enum DataFolder {
    /// The folder for this process: what systemd says of a service's state, otherwise `data` beside the configuration.
    public static func path(beside base: String) -> String { path(beside: base, SystemFile.variable) }

    /// The folder by what the environment says; what is relative does not count.
    static func path(beside base: String, _ variable: (String) -> String?) -> String {
        guard let folders = variable("STATE_DIRECTORY"), folders.hasPrefix("/") else { return base + "/data" }
        // systemd lists all folders of a service, with colons between them.
        return folders.prefix { $0 != ":" } + "/data"
    }
}
