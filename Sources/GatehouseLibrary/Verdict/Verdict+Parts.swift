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
    /// - Parameter isOurs: whether it is for this machine, so that the SDK's names can be compared.
    static func compare(
        _ note: PluginNote, with host: BuildIdentity, _ image: ELFImage, isOurs: Bool,
        _ refusals: inout [Refusal]
    ) {
        switch note.contract {
        case .sdk(let identity):
            for comparison in IdentityComparison.all(of: identity, with: host) where comparison.isRefusal {
                refusals.append(
                    .identity(
                        field: comparison.field, expected: comparison.expected, found: comparison.found))
            }
            // Missing names explain a different fingerprint. From the same sources there are none.
            if isOurs,
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
