// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The plugins of this package: each a folder in Sources and a library.
let plugins = ["Forwarder", "RateLimiter", "WindowedCounter"]
/// Where the SDK's sources are; the one product that host and plugins share.
let sdk = Target.Dependency.product(name: "GatehouseSDK", package: "SDK")

let package = Package(
    name: "plugins",
    products: plugins.map { .library(name: $0, type: .dynamic, targets: [$0]) },
    dependencies: [.package(name: "SDK", path: Context.environment["GATEHOUSE_SDK"] ?? "../../SDK")],
    targets: plugins.map { plugin in
        .target(
            name: plugin, dependencies: [sdk], plugins: [.plugin(name: "EmbedManifest", package: "SDK")])
    }
        + plugins.map { plugin in
            .testTarget(name: plugin + "Tests", dependencies: [.init(stringLiteral: plugin), sdk])
        },
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [.strictMemorySafety(), .treatAllWarnings(as: .error)]
}
