// swift-tools-version: 6.3

import PackageDescription

/// The SDK of the host, which `make` names; for editors it leaves a link.
let sdk = Context.environment["GATEHOUSE_SDK"] ?? ".gatehouse/SDK"

let package = Package(
    name: "plugin-id",
    products: [.library(name: "PluginName", type: .dynamic, targets: ["PluginName"])],
    dependencies: [.package(name: "SDK", path: sdk)],
    targets: [
        .target(
            name: "PluginName",
            // The product, never a target of the SDK: host and plugin share one library.
            dependencies: [.product(name: "GatehouseSDK", package: "SDK")],
            // The runtime comes with the host: the library names no folder of this toolchain.
            linkerSettings: [
                .unsafeFlags(["-no-toolchain-stdlib-rpath"], .when(configuration: .release))
            ],
            // Embeds plugin.json and generates the entry.
            plugins: [.plugin(name: "EmbedManifest", package: "SDK")]),
        .testTarget(
            name: "PluginNameTests",
            dependencies: ["PluginName", .product(name: "GatehouseSDK", package: "SDK")]),
    ],
    swiftLanguageModes: [.v6]
)
