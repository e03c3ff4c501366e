// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "gatehouse",
    dependencies: [.package(name: "SDK", path: "SDK")],
    targets: [
        .testTarget(
            name: "GatehouseValueTests",
            dependencies: [.product(name: "GatehouseSDK", package: "SDK")])
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where ![.plugin, .system].contains(target.type) && !target.name.hasPrefix("C") {
    target.swiftSettings = [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
