// swift-tools-version: 6.3
import PackageDescription
let package = Package(
    name: "gatehouse",
    products: [.library(name: "GreeterPlugin", type: .dynamic, targets: ["GreeterPlugin"])],
    dependencies: [.package(name: "SDK", path: "SDK")],
    targets: [
    .target(name: "GreeterPlugin", dependencies: [.product(name: "GatehouseSDK", package: "SDK")], path: "Plugins/Greeter",
        swiftSettings: [.strictMemorySafety(), .treatAllWarnings(as: .error)],
        plugins: [.plugin(name: "EmbedManifest", package: "SDK")])
    ],
    swiftLanguageModes: [.v6]
)
