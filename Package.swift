// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The one binary that host and plugins share.
let sdk = Target.Dependency.product(name: "GatehouseSDK", package: "SDK")

/// The plugin libraries: a folder each, with a plugin.json beside the source. Adding one is adding a line.
let plugins: [(name: String, folder: String)] = [
    ("Aggregate", "Plugins"),
    ("Counter", "Plugins"),
    ("CrashReports", "Plugins"),
    ("File", "Plugins"),
    ("HTTP", "Plugins"),
    ("HTTPClient", "Plugins"),
    ("JQ", "Plugins"),
    ("Limit", "Plugins"),
    ("Logger", "Plugins"),
    ("Persistence", "Plugins"),
    ("Rules", "Plugins"),
    ("Schedule", "Plugins"),
    ("RefusingEntry", "Tests/Fixtures"),
    ("SecondSDKCopy", "Tests/Fixtures"),
    ("Probe", "Tests/Fixtures"),
    ("Ending", "Tests/Fixtures"),
    ("Interceptor", "Tests/Fixtures"),
    ("SilentInterceptor", "Tests/Fixtures"),
    ("UnknownCase", "Tests/Fixtures"),
    ("Misdescribed", "Tests/Fixtures"),
    ("Shapes", "Tests/Fixtures"),
    ("Restless", "Tests/Fixtures"),
    ("MigrantOne", "Tests/Fixtures"),
    ("MigrantTwo", "Tests/Fixtures"),
    ("Holding", "Tests/Fixtures"),
    ("Patient", "Tests/Fixtures"),
    ("Remote", "Tests/Fixtures"),
    ("Lingering", "Tests/Fixtures"),
    ("Ledger", "Tests/Fixtures"),
    ("Passbook", "Tests/Fixtures"),
    ("Timed", "Tests/Fixtures"),
    ("Traced", "Tests/Fixtures"),
    ("Courier", "Tests/Fixtures"),
    ("TillOne", "Tests/Fixtures"),
    ("TillTwo", "Tests/Fixtures"),
    ("TillTrap", "Tests/Fixtures"),
    ("Planted", "Tests/Fixtures"),
    ("Defective", "Tests/Fixtures"),
    ("Eavesdropper", "Tests/Fixtures"),
    ("Fatal", "Tests/Fixtures"),
    ("Doomed", "Tests/Fixtures"),
    ("Fetching", "Tests/Fixtures"),
    ("Serving", "Tests/Fixtures"),
]

/// Libraries in C with one defect each, and the linker's options that make it.
let fixtures: [(name: String, linker: [String])] = [
    ("SilentEntry", []), ("NoSDK", []), ("TwoNotes", []), ("DataEntry", []), ("HiddenEntry", []),
    ("RelativeRunPath", ["-rpath", "libraries"]), ("TextRelocations", ["-z", "notext"]),
    ("ExecutableStack", ["-z", "execstack"]), ("RunsOnLoad", []),
    ("UniqueSymbol", []),
]

/// Plugins in C, which need a header and no SDK.
let foreign = [
    "ForeignProbe", "ForeignMigrant", "ForeignFirst", "ForeignRefusing", "ForeignWithSDK", "ForeignFatal",
    "ForeignEscaping", "ForeignNetwork",
]

/// The targets of the host, each of which sees those after it.
let hostTargets = [
    "GatehouseChecks", "GatehouseMember", "GatehouseHistory", "GatehouseReload", "GatehouseControl",
    "GatehouseRuntime", "GatehouseJournal", "GatehousePlan", "GatehouseLibrary",
    "GatehouseSupport",
]
/// For what stands above all of them.
let wholeHost = hostTargets.map { Target.Dependency(stringLiteral: $0) }

/// The tests of the host's targets, and the C targets that they use. Some watch their target from above, so all see the whole host.
let hostTests = [
    ("Plan", []), ("Journal", ["CPowerLoss"]),
    ("Runtime", ["CAllocations", "CLinux", "CSimdJSON", "HostSimulation"]),
    ("Control", []), ("Reload", []), ("History", []), ("Member", []), ("Checks", []),
].map { (name: String, tools: [String]) in
    let shared = ["GatehouseHostTesting", "GatehouseLibraryTesting", "GatehousePlanTesting", "SeededTesting"]
    let seen = hostTargets + ["GatehouseCluster", "GatehouseSQLite"] + shared + tools
    return Target.testTarget(
        name: "Gatehouse\(name)Tests",
        dependencies: seen.map { .init(stringLiteral: $0) }
            + (["Plan", "Journal"].contains(name) ? [sdk] : ["GatehouseRuntimeTesting", sdk]))
}

/// The C targets that single plugins use; nothing else links them.
let libraries = [
    "File": ["CZlib"], "HTTP": ["CMicroHTTPD", "CNettle", "CSecret", "CTraces", "CZlib"],
    "HTTPClient": ["CCurl", "CSecret", "CTraces"], "JQ": ["CJQ"],
    "Persistence": ["CSQLite", "GatehouseSQLite"], "Restless": ["CRestless"], "Defective": ["CDefective"],
    "Eavesdropper": ["CDefective"], "Planted": ["CPlanted"], "Fatal": ["CFatal"], "Doomed": ["CFatal"],
]

/// The files that single plugins embed.
let consoleModules = [
    "page", "rows", "stream", "chain", "cluster", "problems", "actions", "action", "state", "trial",
    "hour", "plot", "shadows", "graph", "picture", "layout", "flame", "instance", "stretch",

].map { $0 + ".js" }
let consoleFiles = ["console.html", "console.css", "console.svg", "console.js"] + consoleModules
let embedded = ["HTTP": consoleFiles.map { "Console/" + $0 }]

/// What measures, and the plugins that it loads from libraries; built only where GATEHOUSE_BENCHMARKS is set, so that none of it
/// reaches users.
let benchmarks = Context.environment["GATEHOUSE_BENCHMARKS"] != nil
let benchmarkPlugins = ["Listener", "Everything", "Tally", "CodableTally"]
let benchmarkTargets: [Target] =
    benchmarkPlugins.map {
        .target(
            name: $0 + "Plugin", dependencies: [sdk], path: "Benchmarks/Plugins/" + $0,
            plugins: [.plugin(name: "EmbedManifest", package: "SDK")])
    } + [
        // A plugin in C, which needs a header and no SDK.
        .target(name: "ForeignPlugin", path: "Benchmarks/Plugins/Foreign"),
        // The listener once more, linked in: its folder holds links to the first one's files.
        .target(
            name: "LinkedListener", dependencies: [sdk], path: "Benchmarks/Plugins/LinkedListener",
            plugins: [.plugin(name: "EmbedManifest", package: "SDK")]),
        // simdjson by itself, and a function that counters of instructions know by its name.
        .target(
            name: "CBenchmark", path: "Benchmarks/Sources/CBenchmark", cxxSettings: [.define("NDEBUG")],
            linkerSettings: [.linkedLibrary("simdjson")]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: wholeHost + ["CBenchmark", "CLinux", "LinkedListener", sdk],
            path: "Benchmarks/Sources/Benchmarks"),
        // What the journal is compared with, in C.
        .target(
            name: "CJournalBenchmark", path: "Benchmarks/Sources/CJournalBenchmark",
            linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "journal-benchmark",
            dependencies: wholeHost + ["CJournalBenchmark", sdk], path: "Benchmarks/Sources/JournalBenchmark"),
        .executableTarget(name: "worker-benchmark", path: "Benchmarks/Sources/WorkerBenchmark"),
    ]

let package = Package(
    name: "gatehouse",
    products: [
        .executable(name: "gatehouse", targets: ["gatehouse"]),
        // For the benchmarks, and for programs that embed the host.
        .library(name: "GatehouseHost", targets: hostTargets),
        .library(name: "NoNote", type: .dynamic, targets: ["NoNote"]),
        .library(name: "SyncedFiles", type: .dynamic, targets: ["SyncedFiles"]),
        .library(name: "FalseClock", type: .dynamic, targets: ["FalseClock"]),
    ]
        + plugins.map { .library(name: $0.name + "Plugin", type: .dynamic, targets: [$0.name + "Plugin"]) }
        + (fixtures.map(\.name) + foreign).map { .library(name: $0, type: .dynamic, targets: [$0]) }
        + (benchmarks ? benchmarkPlugins + ["Foreign"] : []).map {
            .library(name: $0 + "Plugin", type: .dynamic, targets: [$0 + "Plugin"])
        },
    // The name is written out because the identity of a path dependency otherwise follows its folder's name.
    dependencies: [.package(name: "SDK", path: "SDK")],
    targets: [
        // MARK: Thin C targets, one per library

        // Debian's libsimdjson behind a pure C header. Its asserts abort, hence NDEBUG in debug builds too.
        .target(
            name: "CSimdJSON", cxxSettings: [.define("NDEBUG")], linkerSettings: [.linkedLibrary("simdjson")]),
        // Linux calls whose declarations or macros the Glibc module hides: sealed memfd, locks of open files, signals.
        .target(name: "CLinux"),
        // The one rule for secrets in files, of host, cluster and plugins.
        .target(name: "CSecret"),
        // What plugins find in the program that carry traces. Header only.
        .target(name: "CTraces"),
        // What libswiftCore exports without a Swift declaration: the demangler. Header only.
        .target(name: "CSwiftRuntime"),
        // Writes the filter of system calls of children when the project is built; only this links Debian's libseccomp.
        .executableTarget(
            name: "child-filter", path: "BuildTools/child-filter",
            linkerSettings: [.linkedLibrary("seccomp")]),
        .plugin(
            name: "MakeChildFilter", capability: .buildTool(), dependencies: ["child-filter"],
            path: "BuildTools/MakeChildFilter"),
        // Debian's libsqlite3.
        .systemLibrary(name: "CSQLite"),
        // Its connections and statements, for the journal and for documents.
        .target(name: "GatehouseSQLite", dependencies: ["CSQLite"]),
        // Debian's libcurl.
        .systemLibrary(name: "CCurl"),
        // Debian's libjq 1.6.
        .systemLibrary(name: "CJQ"),
        // Debian's zlib, for checksums and for what is kept small.
        .systemLibrary(name: "CZlib"),
        // Debian's libmicrohttpd, and nettle for signatures.
        .systemLibrary(name: "CMicroHTTPD"),
        .systemLibrary(name: "CNettle"),
        // Debian's libsodium, for signatures in the form of minisign.
        .systemLibrary(name: "CSodium"),

        // MARK: Cluster
        // Connections to a Redis; Debian's libssl is looked for when one is encrypted, and linked by nobody.
        .target(name: "CRedis"),
        // Who owns which partition: rules without IO, which the host and the simulation run; and the engines that keep them.
        .target(name: "GatehouseCluster", dependencies: ["CRedis", "CSecret", "GatehouseSQLite"]),

        // MARK: Host
        // Each target sees only those above it: the compiler refuses an import against this order.
        // Diagnostics, the event loop, child processes, files and reasons of the system, the service manager.
        .target(
            name: "GatehouseSupport", dependencies: ["CLinux", "CZlib", sdk],
            plugins: [.plugin(name: "MakeChildFilter")]),
        // Shared libraries: what their bytes say, who may have written them, what they need, the verdict, and the only place that loads one.
        .target(
            name: "GatehouseLibrary",
            dependencies: ["GatehouseSupport", "CLinux", "CSimdJSON", "CSodium", "CSwiftRuntime", sdk]),
        // The configuration, what it makes of libraries, and the state that a run leaves to the next; no code of plugins runs.
        .target(
            name: "GatehousePlan",
            dependencies: [
                "GatehouseCluster", "GatehouseLibrary", "GatehouseSupport", "CSecret", sdk,
            ]),
        // The record of actions, generations, effects and dead letters.
        .target(
            name: "GatehouseJournal",
            dependencies: [
                "GatehousePlan", "GatehouseLibrary", "GatehouseSupport", "GatehouseSQLite", "CLinux",
                "CSQLite",
                sdk,
            ]),
        // One store of plugins: chain, routes, passes, the ways in, durability and the rehearsal.
        .target(
            name: "GatehouseRuntime",
            dependencies: [
                "GatehouseCluster", "GatehouseJournal", "GatehousePlan", "GatehouseLibrary",
                "GatehouseSupport",
                "CSimdJSON", "CLinux", sdk,
            ]),
        // The control socket and what instances may ask of their host; the status and the metrics.
        .target(
            name: "GatehouseControl",
            dependencies: [
                "GatehouseCluster", "GatehouseRuntime", "GatehouseJournal", "GatehousePlan",
                "GatehouseLibrary", "GatehouseSupport", "CLinux", sdk,
            ]),
        // Reloads: the watch of changes, the procedure, the hand-over; and supervision, which remembers crashes.
        .target(
            name: "GatehouseReload",
            dependencies: [
                "GatehouseControl", "GatehouseRuntime", "GatehouseJournal", "GatehousePlan",
                "GatehouseLibrary", "GatehouseSupport", "CLinux", sdk,
            ]),
        // What a journal tells: pages, causes, replays, states of the past.
        .target(
            name: "GatehouseHistory",
            dependencies: [
                "GatehouseReload", "GatehouseControl", "GatehouseRuntime", "GatehouseJournal",
                "GatehousePlan", "GatehouseLibrary", "GatehouseSupport", "CLinux", sdk,
            ]),
        // A member of a cluster: its partitions, their checkpoints, and the change of their number.
        .target(
            name: "GatehouseMember",
            dependencies: [
                "GatehouseCluster", "GatehouseHistory", "GatehouseReload", "GatehouseControl",
                "GatehouseRuntime", "GatehouseJournal", "GatehousePlan", "GatehouseLibrary",
                "GatehouseSupport", "CLinux", sdk,
            ]),
        // What authors run: cases, the validator, the template of a new plugin.
        .target(
            name: "GatehouseChecks",
            dependencies: [
                "GatehouseControl", "GatehouseRuntime", "GatehouseJournal", "GatehousePlan",
                "GatehouseLibrary", "GatehouseSupport", "CLinux", sdk,
            ]),
        .executableTarget(
            name: "gatehouse",
            dependencies: wholeHost + ["GatehouseCluster", "CLinux", sdk],
            // What stands before functions of other libraries for plugins too; gatehouse_threads.c, gatehouse_descriptors.c and
            // gatehouse_main_queue.c say why. And what CTraces declares.
            linkerSettings: [
                .unsafeFlags(
                    [
                        "_exit", "_Exit", "quick_exit", "close", "close_range", "closefrom",
                        "libdispatch_init",
                        "gatehouse_is_traced", "gatehouse_traceparent",
                    ]
                    .flatMap {
                        ["-Xlinker", "--export-dynamic-symbol=" + $0]
                    })
            ]),

        // MARK: Tests
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        // A disk for SQLite that can lose what was not synced.
        .target(name: "CPowerLoss", path: "Tests/CPowerLoss", linkerSettings: [.linkedLibrary("sqlite3")]),
        // A debugger, as far as tests need one.
        .target(name: "CTracing", path: "Tests/CTracing"),
        // The random numbers of all properties.
        .target(name: "SeededTesting", path: "Tests/SeededTesting"),
        .testTarget(name: "GatehouseTests", dependencies: ["CAllocations", "SeededTesting", sdk]),
        .testTarget(name: "GatehouseValueTests", dependencies: ["SeededTesting", sdk]),
        .testTarget(name: "GatehouseManifestTests", dependencies: ["SeededTesting", sdk]),
        // Members, an engine and a network whose every coincidence follows from a seed.
        .target(
            name: "ClusterSimulation", dependencies: ["GatehouseCluster", "SeededTesting"],
            path: "Tests/ClusterSimulation"),
        .executableTarget(
            name: "simulate-cluster", dependencies: ["ClusterSimulation"], path: "Tests/SimulateCluster"),
        .testTarget(
            name: "GatehouseClusterTests",
            dependencies: ["ClusterSimulation", "GatehouseCluster", "GatehouseHostTesting", "SeededTesting"]),
        // A disk for SQLite on which each step can be the last one.
        .target(
            name: "CSimulatedDisk", path: "Tests/CSimulatedDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
        // A host with a journal and a worker, its disk and its clock, whose every coincidence follows from a seed.
        .target(
            name: "HostSimulation",
            dependencies: [
                "CSimulatedDisk", "GatehouseHostTesting", "GatehouseJournal", "GatehousePlan",
                "GatehouseReload", "GatehouseRuntime", "GatehouseRuntimeTesting", "GatehouseSupport",
                "SeededTesting", sdk,
            ],
            path: "Tests/HostSimulation"),
        .executableTarget(
            name: "simulate-host", dependencies: ["GatehouseHostTesting", "HostSimulation"],
            path: "Tests/SimulateHost"),
        .testTarget(name: "SuasTests", dependencies: ["SeededTesting", sdk]),
        .testTarget(name: "GatehouseTestingTests", dependencies: [sdk], exclude: ["Golden"]),
        // What the tests of host and program share: built products, temporary folders, child processes.
        .target(
            name: "GatehouseHostTesting", dependencies: ["CSQLite", "CSodium"],
            path: "Tests/GatehouseHostTesting"),
        .testTarget(
            name: "GatehouseSupportTests",
            dependencies: ["CLinux", "GatehouseHostTesting", "GatehouseSupport", "SeededTesting", sdk]),
        // What the tests of libraries and of the host damage.
        .target(
            name: "GatehouseLibraryTesting", dependencies: ["GatehouseHostTesting", "GatehouseLibrary", sdk],
            path: "Tests/GatehouseLibraryTesting"),
        .testTarget(
            name: "GatehouseLibraryTests",
            dependencies: [
                "GatehouseHostTesting", "GatehouseLibrary", "GatehouseLibraryTesting", "GatehouseSupport",
                "CLinux", "SeededTesting", sdk,
            ]),
        // Plans of made-up instances and of real libraries, and flight recorders, for the tests of several targets.
        .target(
            name: "GatehousePlanTesting",
            dependencies: [
                "GatehouseHostTesting", "GatehouseLibrary", "GatehousePlan", "GatehouseSupport", sdk,
            ],
            path: "Tests/GatehousePlanTesting"),
        .target(
            name: "GatehouseRuntimeTesting",
            dependencies: ["CLinux", "GatehouseJournal", "GatehouseRuntime", sdk],
            path: "Tests/GatehouseRuntimeTesting"),
        // A cluster of real processes, and what is done to it.
        .target(
            name: "ClusterTorture",
            dependencies: ["GatehouseCluster", "GatehouseHostTesting", "SeededTesting", sdk],
            path: "Tests/ClusterTorture"),
        // One member, compared with its Redis.
        .executableTarget(
            name: "bench-cluster", dependencies: ["CRedis", "GatehouseCluster", "GatehouseHostTesting"],
            path: "Benchmarks/Sources/ClusterBenchmark"),
        .executableTarget(
            name: "torture-cluster", dependencies: ["ClusterTorture"], path: "Tests/TortureCluster"),
        // In a browser, where there is one.
        .testTarget(name: "ConsoleTests", dependencies: ["GatehouseHostTesting", sdk]),
        .testTarget(
            name: "CLITests",
            dependencies: [
                "ClusterTorture", "GatehouseHostTesting", "SeededTesting", "CNettle", "CTracing", sdk,
            ]),
        .testTarget(
            name: "PluginTests",
            dependencies: plugins.filter {
                $0.folder == "Plugins" || ["Probe", "Interceptor", "Shapes"].contains($0.name)
            }.map {
                .init(stringLiteral: $0.name + "Plugin")
            }
                + ["GatehouseHostTesting", "GatehouseSQLite", "SeededTesting", sdk],
            exclude: ["Examples/Golden", "Examples/reminder.json"]),
        // What is preloaded into a host whose machine is to lose its power.
        .target(name: "SyncedFiles", path: "Tests/SyncedFiles", linkerSettings: [.linkedLibrary("dl")]),
        // What is preloaded into programs whose clock a test sets.
        .target(name: "FalseClock", path: "Tests/FalseClock"),
        // A library that is no plugin, for the tests of what is refused.
        .target(name: "NoNote", path: "Tests/Fixtures/NoNote", exclude: ["README.md"]),
        // What the fixture Restless does.
        .target(name: "CRestless", path: "Tests/Fixtures/CRestless"),
        // What the fixtures Defective and Eavesdropper do.
        .target(name: "CDefective", path: "Tests/Fixtures/CDefective"),
        // What the fixture Planted does.
        .target(name: "CPlanted", path: "Tests/Fixtures/CPlanted"),
        // What the fixtures Fatal and Doomed do.
        .target(name: "CFatal", path: "Tests/Fixtures/CFatal"),
        // The note of the fixtures in C. Header only.
        .target(name: "CFixture", path: "Tests/Fixtures/CFixture"),
        // The header that plugins in C copy. Header only.
        .target(name: "CForeign", path: "Tests/Fixtures/CForeign"),
    ]
        + hostTests
        + fixtures.map { fixture in
            .target(
                name: fixture.name, dependencies: ["CFixture"] + (fixture.name == "NoSDK" ? [] : [sdk]),
                path: "Tests/Fixtures/" + fixture.name, exclude: ["README.md"],
                linkerSettings: fixture.linker.isEmpty
                    ? [] : [.unsafeFlags(fixture.linker.flatMap { ["-Xlinker", $0] })])
        }
        + foreign.map { name in
            .target(
                name: name,
                dependencies: (name == "ForeignFirst" ? [] : ["CForeign"])
                    + (name == "ForeignWithSDK" ? [sdk] : []) + (name == "ForeignFatal" ? ["CFatal"] : []),
                path: "Tests/Fixtures/" + name, exclude: ["README.md"],
                cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Wpedantic", "-Werror"])])
        }
        + plugins.map { plugin in
            .target(
                name: plugin.name + "Plugin",
                dependencies: [sdk] + (libraries[plugin.name] ?? []).map { .init(stringLiteral: $0) },
                path: plugin.folder + "/" + plugin.name,
                exclude: ["README.md"],
                resources: (embedded[plugin.name] ?? []).map { .embedInCode($0) },
                plugins: [.plugin(name: "EmbedManifest", package: "SDK")])
        }
        + (benchmarks ? benchmarkTargets : []),
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17,
    cxxLanguageStandard: .cxx17
)

// One set of rules for all Swift of this package.
for target in package.targets where ![.plugin, .system].contains(target.type) {
    target.swiftSettings = [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        // In release builds the drain's one-thread-at-a-time rule stands in for the run-time checks of exclusive access,
        // which would cost more than a third of a dispatch. Debug builds, and so the tests, keep them.
        .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
