// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
package import GatehouseSDK

/// A plugin whose library is mapped and whose entry has returned; it lasts as long as the process, like the
/// library.
package final class LoadedImage {
    /// The note of the library.
    package let note: PluginNote
    /// The exports that the entry returned.
    package let exports: PluginExports
    /// The range where it is mapped; nil when the loader does not give it.
    package let range: Range<UInt>?

    /// Maps the judged bytes themselves, and calls the entry.
    ///
    /// - Parameters:
    ///   - path: leads to these bytes, and was never used in this process with others.
    ///   - name: names the library in messages.
    ///   - isTried: whether a child has verified the note, so that checking again would only take time.
    ///   - announce: called before each step.
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
