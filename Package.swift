// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let sdk = Target.Dependency.product(name: "GatehouseSDK", package: "SDK")

let package = Package(
    name: "gatehouse",
    // The name is written out because the identity of a path dependency otherwise follows its folder's name.
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

        // MARK: Host
        .target(name: "GatehouseHost", dependencies: ["CLinux", "CSimdJSON", sdk]),

        // MARK: Tests
        .testTarget(name: "GatehouseHostTests", dependencies: ["CLinux", "CSimdJSON", "GatehouseHost", sdk]),
        .testTarget(name: "GatehouseManifestTests", dependencies: [sdk]),
        .testTarget(name: "GatehouseValueTests", dependencies: [sdk]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17,
    cxxLanguageStandard: .cxx17
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
