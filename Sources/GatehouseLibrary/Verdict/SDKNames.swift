// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

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

    /// What this host's SDK offers; nil when its library cannot be read: then nothing is known.
    private static let offered: Set<String>? = LoadedLibraries.host.path(of: Verdict.sdkLibrary).flatMap {
        path in
        let image = unsafe try? SystemFile.withSparseCopy(of: path) { copy, bytes in
            Result { () throws(ELFError) in try unsafe ELFImage(reading: bytes, loadedBy: copy) }
        }
        return (try? image?.get()).map { Set($0.definedNames) }
    }

    /// The names that an image asks of the SDK and that this host's SDK does not have, in table order.
    static func missing(in image: ELFImage) -> [String] {
        let wanted = image.symbols.filter { !$0.isDefined && !$0.isWeak && isOne($0.name) }.map(\.name)
        guard !wanted.isEmpty, let offered else { return [] }
        return wanted.filter { !offered.contains($0) }
    }
}
