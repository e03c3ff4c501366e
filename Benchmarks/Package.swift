// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

// A package of its own, so that nothing measured here reaches users.

import PackageDescription

let sdk = Target.Dependency.product(name: "GatehouseSDK", package: "SDK")
let embedding: [Target.PluginUsage] = [.plugin(name: "EmbedManifest", package: "SDK")]

let package = Package(
    name: "Benchmarks",
    products: [.library(name: "ListenerPlugin", type: .dynamic, targets: ["ListenerPlugin"])],
    dependencies: [.package(name: "SDK", path: "../SDK"), .package(name: "gatehouse", path: "..")],
    targets: [
        // The same plugin twice: as a library to load, and linked in (its folder holds links to the first one's files).
        .target(name: "ListenerPlugin", dependencies: [sdk], path: "Plugins/Listener", plugins: embedding),
        .target(
            name: "LinkedListener", dependencies: [sdk], path: "Plugins/LinkedListener", plugins: embedding),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                sdk, "LinkedListener", .product(name: "GatehouseHost", package: "gatehouse"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .plugin {
    target.swiftSettings = [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
