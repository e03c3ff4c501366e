// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest

extension Verdict {
    /// Reads the one note there should be.
    static func readNote(of image: ELFImage, _ refusals: inout [Refusal]) -> PluginNote? {
        let notes = image.notes(ownedBy: PluginNote.owner).filter { $0.type == PluginNote.type }
        guard let first = notes.first else {
            refusals.append(.noNote)
            return nil
        }
        guard notes.count == 1 else {
            refusals.append(.severalNotes(notes.count))
            return nil
        }
        do {
            return try PluginNote(parsing: first.content)
        } catch {
            refusals.append(.malformedNote(error))
            return nil
        }
    }

    /// Everything in which plugin and host must agree, all differences at once.
    ///
    /// - Parameter loaded: where this host's SDK is; nil when its names are not to be compared.
    static func compare(
        _ note: PluginNote, with host: BuildIdentity, _ image: ELFImage, _ loaded: LoadedLibraries?,
        _ refusals: inout [Refusal]
    ) {
        for comparison in IdentityComparison.all(of: note.identity, with: host) where !comparison.agrees {
            refusals.append(
                .identity(
                    field: comparison.field, expected: comparison.expected, found: comparison.found))
        }
        // Names that are missing explain another fingerprint; with the same one there are none.
        if let loaded, host.sdkFingerprint != note.identity.sdkFingerprint {
            let missing = SDKNames.missing(in: image, loaded: loaded)
            if !missing.isEmpty { refusals.append(.missingSDKSymbols(missing)) }
        }
        if let symbol = image.symbols.first(where: { $0.isDefined && sdkSymbols.contains($0.name) }) {
            refusals.append(.secondSDK(symbol: symbol.name))
        }
        if !(image.dynamic?.needed ?? []).contains(sdkLibrary) { refusals.append(.doesNotNeedSDK) }
        let entry = note.entry.symbol
        if let symbol = image.symbols.first(where: { $0.isDefined && $0.name == entry }) {
            if symbol.kind != .function || !symbol.isExported { refusals.append(.entryNotAFunction(entry)) }
        } else {
            refusals.append(.entryMissing(entry))
        }
    }

    /// What the loader will look for, and where the library would have it look.
    static func look(
        for image: ELFImage, _ search: LibrarySearch, _ folder: String?, _ refusals: inout [Refusal],
        _ warnings: inout [String]
    ) {
        guard let dynamic = image.dynamic else { return }
        let runPath = dynamic.searchPath
        for name in dynamic.needed where name != sdkLibrary {
            let library = search.find(name, runPath: runPath, folder: folder)
            if library.isMissing { refusals.append(.neededMissing(library)) }
            // A name with a slash is a path, which no search and so no look at the run path stands for.
            guard case .file = library.source, let slash = name.lastIndex(of: "/") else { continue }
            let entry = RunPathEntry(String(name[...slash]), loaded: search.loaded)
            if case .writable = entry.finding {
                refusals.append(.neededUntrusted(library, folder: entry))
            }
        }
        for entry in runPath.map({ RunPathEntry($0, loaded: search.loaded) }) {
            switch entry.finding {
            case .trusted, .origin: break
            case .relative, .writable: refusals.append(.runPath(entry))
            case .elsewhere:
                warnings.append(
                    "its run path has \(Quotation.of(entry.text)), probably a folder of the machine that built it; link the plugin without it"
                )
            }
        }
    }

    /// The metadata of one type of each module of the SDK, which exists once in a process.
    private static let sdkSymbols: Set<String> = {
        let types = [
            "$s12GatehouseSDK13PluginExportsC", "$s9Gatehouse5StoreC", "$s14GatehouseValue0B0O",
            "$s17GatehouseManifest06PluginB0V", "$s4Suas5StoreC",
        ]
        return Set(types.flatMap { type in ["N", "Ma", "Mn"].map { type + $0 } })
    }()
}
