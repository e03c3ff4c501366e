// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

// The SDK is a package of its own so that host and plugins link it as ONE dynamic library. Inside one package
// SwiftPM links target dependencies statically: each side would get its own copy of every type, and each cast
// across the boundary would fail silently. For the same reason there is exactly one library product.

import PackageDescription

/// The build makes the manifest tool, unless the environment names that of the host, as `gatehouse sdk --environment` does.
/// Making it takes longer than making a plugin, and SwiftPM makes it again for each configuration and package.
let manifestTool: [Target.Dependency] =
    Context.environment["GATEHOUSE_MANIFEST_TOOL", default: ""].isEmpty ? ["manifest-tool"] : []

/// Whether plugins are built for a host that names its SDK, as `gatehouse sdk --environment` does. Then no body of the SDK that its
/// fingerprint leaves out gets into a plugin, so that other bodies in a later host keep it loading. The host itself may contain
/// them: it is always built with its SDK. SwiftPM permits these flags only in a package that is named by its path, as there.
let isForHost = !Context.environment["GATEHOUSE_SDK", default: ""].isEmpty

let package = Package(
    name: "GatehouseSDK",
    products: [
        .library(
            name: "GatehouseSDK", type: .dynamic,
            targets: [
                "GatehouseSDK", "Gatehouse", "GatehouseManifest", "GatehouseTesting", "GatehouseValue",
                "Suas",
            ]),
        .plugin(name: "EmbedManifest", targets: ["EmbedManifest"]),
    ],
    targets: [
        // JSON values: tree, text, pointer, tape, typed coding. Depends on nothing.
        .target(name: "GatehouseValue"),
        // What a plugin declares about itself, and the identity of SDK and compiler.
        .target(name: "GatehouseManifest", dependencies: ["CGatehouse", "CSHA256", "GatehouseValue"]),
        // The processor's instructions for SHA-256.
        .target(name: "CSHA256"),
        // The core: actions, middlewares, readers, effects, gates, store. Knows nothing of C, files or plugins.
        .target(name: "Gatehouse"),
        // The Suas vocabulary, for those who think in it. Its names clash with the core's, so nothing re-exports it.
        .target(name: "Suas", dependencies: ["Gatehouse"]),
        // The plugin contract; re-exports the core.
        .target(
            name: "GatehouseSDK",
            dependencies: ["CGatehouse", "Gatehouse", "GatehouseManifest", "GatehouseValue"],
            plugins: ["EmbedManifest"]),
        // What tests of plugins and stores need; imports no test framework.
        .target(
            name: "GatehouseTesting",
            dependencies: ["Gatehouse", "GatehouseManifest", "GatehouseSDK", "GatehouseValue"]),
        // The C side of the entry. Header only.
        .target(name: "CGatehouse"),

        // Runs at build time: embeds plugin.json as an ELF note and stamps the SDK with its own identity.
        .executableTarget(name: "manifest-tool", dependencies: ["GatehouseManifest", "GatehouseValue"]),
        .plugin(name: "EmbedManifest", capability: .buildTool(), dependencies: manifestTool),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)

for target in package.targets where ![.plugin, .system].contains(target.type) && !target.name.hasPrefix("C") {
    target.swiftSettings = [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    if isForHost {
        target.swiftSettings?.append(
            .unsafeFlags(["-disable-cmo", "-emit-module-separately-wmo"], .when(configuration: .release)))
    }
}
