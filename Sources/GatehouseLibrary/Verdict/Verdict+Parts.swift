// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest

extension Verdict {
    /// Reads the one note that there should be.
    static func readNote(among all: [ELFNote]) throws(Refusal) -> PluginNote {
        let notes = all.filter { $0.owner == PluginNote.owner && $0.type == PluginNote.type }
        guard let first = notes.first else { throw .noNote }
        guard notes.count == 1 else { throw .severalNotes(notes.count) }
        do {
            return try PluginNote(parsing: first.content)
        } catch {
            throw .malformedNote(error)
        }
    }

    /// Compares everything in which plugin and host must agree; reports all differences at once.
    ///
    /// - Parameters:
    ///   - isOurs: whether it is for this machine, so that the SDK's names can be compared.
    ///   - versions: the installed versions, one of which may have been built with the plugin's SDK and compiler.
    /// - Returns: the version whose worker takes the plugin; nil where this process can load it, and where none does.
    static func compare(
        _ note: PluginNote, with host: BuildIdentity, _ image: ELFImage, isOurs: Bool,
        versions: InstalledVersions, _ refusals: inout [Refusal]
    ) -> VersionMatch? {
        var match: VersionMatch?
        switch note.contract {
        case .sdk(let identity):
            let differences = IdentityComparison.all(of: identity, with: host).filter(\.isRefusal).map {
                Refusal.identity(field: $0.field, expected: $0.expected, found: $0.found)
            }
            let installed = isOurs && !differences.isEmpty ? versions.version(for: identity) : nil
            if let installed, installed.obstacle == nil {
                match = VersionMatch(version: installed.version, differences: differences)
            } else {
                refusals += differences
            }
            if let installed, let obstacle = installed.obstacle {
                refusals.append(.unusableVersion(installed.version.name, obstacle))
            }
            // Missing names explain a different fingerprint. From the same sources there are none.
            if isOurs, match == nil,
                (host.sdkFingerprint, host.sdkSources) != (identity.sdkFingerprint, identity.sdkSources)
            {
                let missing = SDKNames.missing(in: image)
                if !missing.isEmpty { refusals.append(.missingSDKSymbols(missing)) }
            }
        case .foreign: break  // Reading the note has compared the number.
        }
        if let symbol = image.symbols.first(where: { $0.isDefined && sdkSymbols.contains($0.name) }) {
            refusals.append(.secondSDK(symbol: symbol.name))
        }
        switch ((image.dynamic?.needed ?? []).contains(sdkLibrary), note.contract) {
        case (false, .sdk): refusals.append(.doesNotNeedSDK)
        case (true, .foreign): refusals.append(.foreignNeedsSDK)
        case (true, .sdk), (false, .foreign): break
        }
        let entry = note.entry.symbol
        if let symbol = image.symbols.first(where: { $0.isDefined && $0.name == entry }) {
            if symbol.kind != .function || !symbol.isExported { refusals.append(.entryNotAFunction(entry)) }
        } else {
            refusals.append(.entryMissing(entry))
        }
        return match
    }

    /// The metadata of one type of each module of the SDK, which a process may contain only once.
    private static let sdkSymbols: Set<String> = {
        let types = [
            "$s12GatehouseSDK13PluginExportsC", "$s9Gatehouse5StoreC", "$s14GatehouseValue0B0O",
            "$s17GatehouseManifest06PluginB0V", "$s4Suas5StoreC",
        ]
        return Set(types.flatMap { type in ["N", "Ma", "Mn"].map { type + $0 } })
    }()
}
