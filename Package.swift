// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The one binary that host and plugins share.
let sdk = Target.Dependency.product(name: "GatehouseSDK", package: "SDK")

/// The libraries that are plugins: a folder under `Plugins` or `Tests/Fixtures` each, with a plugin.json beside the source.
let plugins: [(name: String, folder: String)] = [
    ("Counter", "Plugins"),
    ("CrashReports", "Plugins"),
    ("Logger", "Plugins"),
    ("Rules", "Plugins"),
    ("RefusingEntry", "Tests/Fixtures"),
    ("SecondSDKCopy", "Tests/Fixtures"),
    ("UnknownCase", "Tests/Fixtures"),
]

let package = Package(
    name: "gatehouse",
    products: [
        .executable(name: "gatehouse", targets: ["gatehouse"])
    ]
        + plugins.map { .library(name: $0.name + "Plugin", type: .dynamic, targets: [$0.name + "Plugin"]) }
        + [.library(name: "NoNote", type: .dynamic, targets: ["NoNote"])],
    // The name is written out because the identity of a path dependency otherwise follows its folder's name.
    dependencies: [.package(name: "SDK", path: "SDK")],
    targets: [
        // Counts heap allocations per thread, for tests that promise there are none.
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        .testTarget(
            name: "GatehouseTests",
            dependencies: ["CAllocations", .product(name: "GatehouseSDK", package: "SDK")]),
        // An ordinary C library, for the tests of what is refused.
        .target(name: "NoNote", path: "Tests/Fixtures/NoNote", exclude: ["README.md"]),
        .testTarget(
            name: "PluginTests",
            dependencies: plugins.filter { $0.folder == "Plugins" }.map { .init(stringLiteral: $0.name + "Plugin") }
                + [sdk]),
    ]
        + plugins.map { plugin in
            .target(
                name: plugin.name + "Plugin", dependencies: [sdk], path: plugin.folder + "/" + plugin.name,
                exclude: ["README.md"], plugins: [.plugin(name: "EmbedManifest", package: "SDK")])
        },
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)

for target in package.targets where ![.plugin, .system].contains(target.type) {
    target.swiftSettings = [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
