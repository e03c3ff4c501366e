// swift-tools-version: 6.3
import PackageDescription
let package = Package(
    name: "gatehouse",
    dependencies: [.package(name: "SDK", path: "SDK")],
    targets: [
    ],
    swiftLanguageModes: [.v6]
)
