// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSupport

extension OptionReader {
    /// The folder of a journal: the one of `--journal`, or the one that the configuration names.
    func journalFolder() throws(Ended) -> String {
        if let folder = self["--journal"] { return folder }
        let readable = try file.readable()
        if let folder = readable.journalFolder(from: file.folder) { return folder }
        let advice =
            readable.cluster == nil
            ? "name its folder with --journal, or add \"journal\""
            : "what has come to its cluster is told by gatehouse cluster history, and what that made of it by gatehouse cluster state"
        throw Ended(.configuration, "\(file.path) names no journal; \(advice)")
    }
}
