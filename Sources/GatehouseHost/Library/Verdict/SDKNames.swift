// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Compares the names that a plugin asks of the SDK with those that this host's SDK has.
enum SDKNames {
    /// How the SDK's modules stand in mangled names.
    private static let modules = [
        "12GatehouseSDK", "9Gatehouse", "14GatehouseValue", "17GatehouseManifest", "16GatehouseTesting",
        "4Suas",
    ]

    /// Whether a mangled name mentions a module of the SDK.
    static func isOne(_ name: String) -> Bool {
        name.hasPrefix("$s") && modules.contains { name.contains($0) }
    }

    /// The names that an image asks of the SDK and that this host's SDK does not have, in table order.
    ///
    /// Empty too when the SDK's library cannot be read: then nothing is known.
    static func missing(in image: ELFImage, loaded: LoadedLibraries) -> [String] {
        let wanted = image.symbols.filter { !$0.isDefined && !$0.isWeak && isOne($0.name) }.map(\.name)
        guard !wanted.isEmpty, let path = loaded.path(of: Verdict.sdkLibrary) else { return [] }
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { return [] }
        do {
            let copy = try SparseCopy(descriptor: file, count: Int(status.st_size), path: path)
            return try unsafe copy.withBytes { (bytes) throws(ELFError) in
                try unsafe ExportLookup.missing(wanted, in: bytes, loadedBy: copy)
            }
        } catch {
            return []
        }
    }
}
