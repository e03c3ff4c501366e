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
    ///
    /// - Parameter path: leads to these bytes, and was never used in this process with others.
    init(path: String, file: SealedFile, note: PluginNote) throws(LoadingError) {
        let library = try DynamicLibrary(path: path, name: file.name)
        let entry = unsafe try library.address(of: note.entry.symbol)
        exports = unsafe try PluginEntryCall.exports(from: entry)
        let unknown = exports.unknownNames(in: note.manifest.consumes + note.manifest.emits)
        guard unknown.isEmpty else { throw .undeclaredCases(unknown) }
        self.note = note
        digest = file.digest
    }
}
