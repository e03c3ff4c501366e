// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan

/// The journal that a command reads: the one that a configuration names, or a folder.
struct JournalPlace: Equatable {
    /// The path of the configuration.
    private let config: String
    /// The folder of a journal; nil for the one that the configuration names.
    private let directory: String?

    /// The place named by `--config` or `--journal`.
    init(_ options: OptionReader) {
        config = options["--config"] ?? "plugins.json"
        directory = options["--journal"]
    }

    /// The folder; nil, after reporting why, when there is none.
    func folder() -> String? {
        if let directory { return directory }
        let file = ConfigurationFile(path: config, plugins: nil)
        guard let outcome = file.read() else { return nil }
        guard let configuration = outcome.readable else {
            outcome.diagnostics.write()
            return nil
        }
        guard let folder = configuration.journalFolder(from: file.folder) else {
            StandardError.writeLine(
                "gatehouse: \(config) names no journal; name its folder with --journal, or add \"journal\"")
            return nil
        }
        return folder
    }
}
