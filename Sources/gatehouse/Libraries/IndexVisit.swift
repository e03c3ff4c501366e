// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSupport

/// What a command needs to look into the index of a configuration.
struct IndexVisit {
    /// The plugin folder.
    let folder: String
    /// Where the index is.
    let shelf: PluginShelf
    /// Decides whose signatures count.
    let judge: SigningJudge

    /// Reads the configuration, or reports what it lacks.
    init(_ options: OptionReader) throws(Ended) {
        let file = options.file
        let configuration = try file.readable()
        guard let policy = configuration.trust, !policy.keys.isEmpty else {
            throw Ended(
                .configuration,
                "\(file.path): \"trust\" has no keys, so nobody's index counts; add the key of whoever signs it"
            )
        }
        guard let place = options["--index"] ?? policy.index else {
            throw Ended(
                .configuration,
                "\(file.path): \"trust\" names no index; add \"index\" with its path or URL, or give --index")
        }
        var problems: [Diagnostic] = []
        folder = configuration.folder(from: file.folder)
        judge = SigningJudge(policy, folder: folder, ledger: SigningLedgerFile(beside: file.folder)) {
            problems.append($0)
        }
        let found = Diagnostics(problems)
        found.write()
        if found.isFailure { throw Ended(code: found.exitCode) }
        // A path on the command line starts where the command was given, one in the file where that is.
        shelf = PluginShelf(
            place: PluginShelf.isRemote(place) || options.has("--index")
                ? place : HostConfiguration.path(place, from: file.folder))
    }
}
