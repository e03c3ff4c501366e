// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

// A package of its own, so that nothing measured here reaches users.

import PackageDescription

let sdk = Target.Dependency.product(name: "GatehouseSDK", package: "SDK")
let embedding: [Target.PluginUsage] = [.plugin(name: "EmbedManifest", package: "SDK")]

/// The plugins that are loaded from libraries, a folder each.
let plugins = ["Listener", "Everything", "Tally", "CodableTally"]

/// What measures the journal; built with -enable-testing, because the journal is no part of what the host shows outside, and so
/// apart from the rest, which that would slow.
let journal: [Target] =
    Context.environment["BENCHMARK_JOURNAL"] == nil
    ? []
    : [
        // What it is compared with, in C.
        .target(name: "CJournalBenchmark", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "journal-benchmark",
            dependencies: [
                sdk, "CJournalBenchmark", .product(name: "GatehouseHost", package: "gatehouse"),
            ], path: "Sources/JournalBenchmark"),
    ]

let package = Package(
    name: "Benchmarks",
    products: (plugins + ["Foreign"]).map {
        .library(name: $0 + "Plugin", type: .dynamic, targets: [$0 + "Plugin"])
    },
    dependencies: [.package(name: "SDK", path: "../SDK"), .package(name: "gatehouse", path: "..")],
    targets: plugins.map {
        .target(name: $0 + "Plugin", dependencies: [sdk], path: "Plugins/" + $0, plugins: embedding)
    } + [
        // A plugin in C, which needs a header and no SDK.
        .target(name: "ForeignPlugin", path: "Plugins/Foreign"),
        // The listener once more, linked in: its folder holds links to the first one's files.
        .target(
            name: "LinkedListener", dependencies: [sdk], path: "Plugins/LinkedListener", plugins: embedding),
        // simdjson by itself, and a function that counters of instructions know by its name.
        .target(
            name: "CBenchmark", cxxSettings: [.define("NDEBUG")], linkerSettings: [.linkedLibrary("simdjson")]
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                sdk, "CBenchmark", "LinkedListener",
                .product(name: "GatehouseHost", package: "gatehouse"),
            ]),
    ] + journal,
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

for target in package.targets
where !["CBenchmark", "CJournalBenchmark", "ForeignPlugin"].contains(target.name) {
    target.swiftSettings = [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
