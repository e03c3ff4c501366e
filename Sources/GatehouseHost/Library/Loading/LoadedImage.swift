// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest
public import GatehouseSDK

/// A plugin whose library is mapped and whose entry has answered.
public final class LoadedImage {
    /// What the library says about itself.
    public let note: PluginNote
    /// SHA-256 of the bytes that were judged and mapped.
    public let digest: Digest
    /// What the entry gave.
    public let exports: PluginExports

    /// Maps the very bytes that were judged, and calls the entry.
    init(file: SealedFile, note: PluginNote) throws(LoadingError) {
        let library = try DynamicLibrary(path: ImagePath.next(for: file.descriptor), name: file.name)
        let entry = unsafe try library.address(of: note.entry.symbol)
        exports = unsafe try PluginEntryCall.exports(from: entry)
        let unknown = exports.unknownNames(in: note.manifest.consumes + note.manifest.emits)
        guard unknown.isEmpty else { throw .undeclaredCases(unknown) }
        if let schema = note.manifest.settings {
            let difference = exports.settingsDifference(from: Schema(schema))
            guard difference.isEmpty else { throw .settings(difference) }
        }
        if let declared = note.keepsState, declared != exports.keepsState { throw .state(declared: declared) }
        self.note = note
        digest = file.digest
    }
}
