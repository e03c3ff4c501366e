// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "gatehouse",
    dependencies: [.package(name: "SDK", path: "SDK")],
    targets: [
        // MARK: Thin C targets, one per library

        // Debian's libsimdjson behind a pure C header. Its asserts abort, hence NDEBUG in debug builds too.
        .target(
            name: "CSimdJSON",
            path: "Sources/CSimdJSON",
            cxxSettings: [.define("NDEBUG")],
            linkerSettings: [.linkedLibrary("simdjson")]),
        // Linux calls whose declarations or macros the Glibc module hides: sealed memfd, signalfd.
        .target(name: "CLinux"),

        // MARK: The host

        .target(
            name: "GatehouseHost",
            dependencies: [.product(name: "GatehouseSDK", package: "SDK"), "CLinux", "CSimdJSON"]),

        // MARK: Tests

        .testTarget(
            name: "GatehouseHostTests",
            dependencies: [
                .product(name: "GatehouseSDK", package: "SDK"), "CLinux", "CSimdJSON", "GatehouseHost",
            ]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17,
    cxxLanguageStandard: .cxx17
)

for target in package.targets where !target.name.hasPrefix("C") {
    target.swiftSettings = [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
