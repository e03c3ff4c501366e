// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "greeter",
    products: [
        // The plugin library; the host loads nothing else.
        .library(name: "GreeterPlugin", type: .dynamic, targets: ["GreeterPlugin"])
    ],
    // Where the SDK's sources are. The name is written out because it would otherwise follow the folder's name.
    dependencies: [.package(name: "SDK", path: Context.environment["GATEHOUSE_SDK"] ?? "../../SDK")],
    targets: [
        .target(
            name: "GreeterPlugin",
            // The product, never a target of the SDK: host and plugin must share one library.
            dependencies: [.product(name: "GatehouseSDK", package: "SDK")],
            // The runtime comes with the host: the library names no folder of this toolchain.
            linkerSettings: [
                .unsafeFlags(["-no-toolchain-stdlib-rpath"], .when(configuration: .release))
            ],
            // Embeds plugin.json and generates the entry.
            plugins: [.plugin(name: "EmbedManifest", package: "SDK")]),
        .testTarget(
            name: "GreeterPluginTests",
            dependencies: ["GreeterPlugin", .product(name: "GatehouseSDK", package: "SDK")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [.strictMemorySafety(), .treatAllWarnings(as: .error)]
}
