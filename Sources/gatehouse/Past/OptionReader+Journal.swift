// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSupport

extension OptionReader {
    /// The folder of a journal: the one of `--journal`, or the one that the configuration names.
    func journalFolder() throws(Ended) -> String {
        if let folder = self["--journal"] { return folder }
        guard let folder = try file.readable().journalFolder(from: file.folder) else {
            throw Ended(
                .configuration,
                "\(file.path) names no journal; name its folder with --journal, or add \"journal\"")
        }
        return folder
    }
}
