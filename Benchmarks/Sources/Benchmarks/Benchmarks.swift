// SPDX-License-Identifier: Apache-2.0

import CBenchmark
import FoundationEssentials
import Glibc

/// Measures, on a machine that does nothing else: compare figures of one run, not runs.
@main
enum Benchmarks {
    /// The host's release build, seen from the root of the repository.
    private static let defaultBuilds = ".build/release"

    private static let usage = """
        usage: Benchmarks [--json] [--builds FOLDER]   all figures; FOLDER has the host's release build
               Benchmarks scenarios REPETITIONS        each dispatch scenario, between marks for who counts instructions
               Benchmarks lines KIND COUNT             input of a kind: \(kinds)
               Benchmarks configuration FOLDER         the configuration for that input; FOLDER has the plugins
               Benchmarks simdjson FILE                parses the lines of a file
        """

    private static var kinds: String { InputLines.allCases.map(\.rawValue).joined(separator: ", ") }

    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            print("Benchmarks: \(error)")
            exit(1)
        }
    }

    /// Does what the arguments ask for.
    private static func run(_ arguments: [String]) throws {
        switch (arguments.first, arguments.count) {
        case ("scenarios", 2): try runScenarios(Int(arguments[1]) ?? 1)
        case ("lines", 3):
            guard let lines = InputLines(rawValue: arguments[1]), let count = Int(arguments[2]) else {
                fail()
            }
            print(lines.text(count), terminator: "")
        case ("configuration", 2): print(InputLines.configuration(arguments[1]), terminator: "")
        case (LineBenchmark.word, 2):
            if unsafe gatehouse_benchmark_parse_lines(arguments[1]) < 0 { fail() }
        case (MemoryBenchmark.word, 2): try MemoryBenchmark.runAsChild(instances: Int(arguments[1]) ?? 1)
        default: try measure(arguments)
        }
    }

    /// Measures everything and prints the table.
    private static func measure(_ arguments: [String]) throws {
        var rest = arguments[...]
        var isJSON = false
        var builds = defaultBuilds
        while let option = rest.popFirst() {
            if option == "--json" {
                isJSON = true
            } else if option == "--builds", let folder = rest.popFirst() {
                builds = folder
            } else {
                fail()
            }
        }
        builds = URL(filePath: builds).standardizedFileURL.path
        guard FileManager.default.isExecutableFile(atPath: builds + "/gatehouse") else {
            print("Benchmarks: there is no gatehouse in \(builds); run make build first")
            exit(66)
        }
        // Hosts that are started keep their images here, instead of in the user's cache folder.
        let cache = try TemporaryFolder()
        unsafe setenv("CACHE_DIRECTORY", cache.path, 1)
        defer { withExtendedLifetime(cache) {} }
        var table = Table(processors: ProcessInfo.processInfo.activeProcessorCount)
        if !isJSON { print(table.heading) }
        let parts: [() throws -> [Row]] = [
            DispatchBenchmark.rows, ThreadBenchmark.rows, LatencyBenchmark.rows, MemoryBenchmark.rows,
            { try StartBenchmark.rows(builds) }, { try LineBenchmark.rows(builds) },
        ]
        for rows in parts {
            let rows = try rows()
            table.add(rows)
            if !isJSON { print(Table.text(rows)) }
        }
        if isJSON { print(try table.json) }
    }

    /// Runs each dispatch scenario warm, with a mark before and after the repetitions, and prints its name.
    private static func runScenarios(_ repetitions: Int) throws {
        for scenario in DispatchScenario.all + [.installed(1_000)] {
            let run = try scenario.make()
            run(100)
            gatehouse_benchmark_mark()
            run(repetitions)
            gatehouse_benchmark_mark()
            print(scenario.name)
        }
    }

    private static func fail() -> Never {
        print(usage)
        exit(64)
    }
}
