// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The SDK does not appear: the header is all that the plugin needs.
let package = Package(
    name: "hello",
    products: [.library(name: "HelloPlugin", type: .dynamic, targets: ["HelloPlugin"])],
    targets: [
        .target(
            name: "HelloPlugin",
            cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Wpedantic", "-Werror"])]),
        .testTarget(name: "HelloPluginTests", dependencies: ["HelloPlugin"]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)
