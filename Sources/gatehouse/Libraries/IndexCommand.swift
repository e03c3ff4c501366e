// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK
internal import GatehouseSupport

/// `gatehouse index`: writes the index of a folder of libraries.
struct IndexCommand: ParsedCommand {
    /// The parsed command line.
    let options: OptionReader

    /// Writes the file, and prints what is in it.
    func run() throws(Ended) -> ExitCode {
        let folder = options.operands[0]
        guard SystemFile.isFolder(folder) else {
            throw Ended(.usage, "\(Quotation.bare(folder)): expected a folder of libraries, found none")
        }
        let index = PluginIndex(of: folder) { file, reason in
            StandardError.tell("warning: \(Quotation.bare(file)) is left out: \(reason)")
        }
        let path = folder + "/" + PluginIndex.name
        try SystemFile.replaceOrEnd(path, with: Array((index.value.json(.pretty) + "\n").utf8))
        for entry in index.entries { Results.writeLine("\(entry.id) \(entry.version) \(entry.file)") }
        StandardError.tell("\(Quotation.bare(path)) is written; sign it with gatehouse sign")
        return .success
    }
}
