// swift-tools-version: 6.3
import PackageDescription
let package = Package(
    name: "gatehouse",
    dependencies: [.package(name: "SDK", path: "SDK")],
    targets: [
        // Counts heap allocations per thread, for tests that promise there are none.
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        .testTarget(
            name: "GatehouseTests",
            dependencies: ["CAllocations", .product(name: "GatehouseSDK", package: "SDK")]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)

for target in package.targets where ![.plugin, .system].contains(target.type) && !target.name.hasPrefix("C") {
    target.swiftSettings = [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
