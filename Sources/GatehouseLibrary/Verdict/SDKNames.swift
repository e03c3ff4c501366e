// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// Compares the names that a plugin needs from the SDK with those of this host's SDK.
enum SDKNames {
    /// The SDK's modules as mangled names contain them.
    private static let modules = [
        "12GatehouseSDK", "9Gatehouse", "14GatehouseValue", "17GatehouseManifest", "16GatehouseTesting",
        "4Suas",
    ]

    /// Whether a mangled name mentions a module of the SDK.
    static func isOne(_ name: String) -> Bool {
        name.hasPrefix("$s") && modules.contains { name.contains($0) }
    }

    /// The names of this host's SDK; nil when its library cannot be read: then nothing is known.
    private static let offered: Set<String>? = LoadedLibraries.host.path(of: Verdict.sdkLibrary).flatMap {
        path in
        let image = unsafe try? SystemFile.withSparseCopy(of: path) { copy, bytes in
            Result { () throws(ELFError) in try unsafe ELFImage(reading: bytes, loadedBy: copy) }
        }
        return (try? image?.get()).map { Set($0.definedNames) }
    }

    /// The names that an image needs from the SDK and this host's SDK lacks, in table order.
    static func missing(in image: ELFImage) -> [String] {
        let wanted = image.symbols.filter { !$0.isDefined && !$0.isWeak && isOne($0.name) }.map(\.name)
        guard !wanted.isEmpty, let offered else { return [] }
        return wanted.filter { !offered.contains($0) }
    }
}
