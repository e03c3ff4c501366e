// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let sdk = Target.Dependency.product(name: "GatehouseSDK", package: "SDK")

let package = Package(
    name: "gatehouse",
    // The name is written out because the identity of a path dependency otherwise follows its folder's name.
    dependencies: [.package(name: "SDK", path: "SDK")],
    targets: [
        // MARK: Host
        .target(name: "GatehouseHost", dependencies: [sdk]),

        // MARK: Tests
        .testTarget(name: "GatehouseHostTests", dependencies: ["GatehouseHost", sdk]),
        .testTarget(name: "GatehouseManifestTests", dependencies: [sdk]),
        .testTarget(name: "GatehouseValueTests", dependencies: [sdk]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)

for target in package.targets where ![.plugin, .system].contains(target.type) && !target.name.hasPrefix("C") {
    target.swiftSettings = [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
