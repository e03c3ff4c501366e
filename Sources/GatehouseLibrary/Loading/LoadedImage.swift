// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest
public import GatehouseSDK

/// A plugin whose library is mapped and whose entry has answered; stays as long as the process, like the library.
public final class LoadedImage {
    /// What the library says about itself.
    public let note: PluginNote
    /// The exports that the entry gave.
    public let exports: PluginExports
    /// Where it is mapped; nil when the loader does not tell.
    package let range: Range<UInt>?

    /// Maps the very bytes that were judged, and calls the entry.
    ///
    /// - Parameters:
    ///   - path: leads to these bytes, and was never used in this process with others.
    ///   - name: what messages call the library.
    ///   - isTried: whether a child has found the note true, so that looking again would only take time.
    ///   - announce: told each step before it is taken.
    package init(
        path: String, name: String, note: PluginNote, isTried: Bool = false,
        announce: (LoadingStep) -> Void = { _ in }
    ) throws(LoadingError) {
        announce(.load)
        let library = try DynamicLibrary(path: path, name: name)
        announce(.entry)
        let entry = unsafe try library.address(of: note.entry.symbol)
        range = unsafe DynamicLibrary.range(around: entry)
        switch note.contract {
        case .sdk: exports = unsafe try PluginEntryCall.exports(from: entry)
        case .foreign:
            exports = PluginExports(unsafe try ForeignEntryCall.plugin(from: entry), id: note.manifest.id)
        }
        self.note = note
        _ = unsafe Unmanaged.passRetained(self)
        guard !isTried else { return }
        announce(.names)
        let unknown = exports.unknownNames(in: note.manifest.consumes + note.manifest.emits)
        guard unknown.isEmpty else { throw .undeclaredCases(unknown) }
        if let schema = note.manifest.settings {
            let difference = exports.settingsDifference(from: Schema(schema))
            guard difference.isEmpty else { throw .settings(difference) }
        }
        guard exports.stateVersion > 0 else { throw .stateVersion(exports.stateVersion) }
        if let declared = note.keepsState, declared != exports.keepsState { throw .state(declared: declared) }
    }
}
