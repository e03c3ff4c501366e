// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// One run of a host over real libraries, and everything that came out of it.
struct HostRun: Sendable {
    /// The state at the end of the run.
    let state: Value
    /// What was reported while actions ran, in order.
    let reports: [String]
    /// The actions in the order in which the store took them: type, payload and, of an instance, its source.
    let actions: [String]
    let counts: HostCounts
    let summary: Host.Summary
    /// What was said before the first action.
    let warnings: [String]

    /// What the closures of a run leave behind, from any thread.
    private final class Record: Sendable {
        let reports = Mutex<[String]>([])
        let actions = Mutex<[String]>([])
    }

    /// Assembles a host in a folder of its own, gives it lines of input, and waits for its end.
    ///
    /// - Parameters:
    ///   - configuration: the text of plugins.json; its folder is the one that holds the libraries.
    ///   - libraries: the targets whose libraries are copied there.
    ///   - prepare: changes the folder before the host looks at it.
    /// - Throws: `Diagnostics`.
    init(
        _ configuration: String, libraries: [String], lines: [String] = [], isStrict: Bool = false,
        prepare: (TemporaryFolder) throws -> Void = { _ in }
    ) async throws {
        let folder = try TemporaryFolder()
        for library in libraries { try folder.copyLibrary(library) }
        try prepare(folder)
        let input = try folder.write(lines.map { $0 + "\n" }.joined(), to: "input")
        let path = folder.path
        // Waiting for effects blocks, and must not block one of the few threads that run them.
        self = try await TestThread.value {
            try Self.run(configuration, in: path, input: input, isStrict: isStrict)
        }
        withExtendedLifetime(folder) {}
    }

    private init(_ host: Host, _ summary: Host.Summary, _ record: Record, warnings: [String]) throws {
        state = try host.snapshot()
        counts = host.counts
        self.summary = summary
        self.warnings = warnings
        reports = record.reports.withLock { $0 }
        actions = record.actions.withLock { $0 }
    }

    private static func run(_ configuration: String, in folder: String, input: String, isStrict: Bool) throws
        -> HostRun
    {
        let record = Record()
        let reporter = Reporter { report in record.reports.withLock { $0.append(report.description) } }
        let assembler = Assembler(
            cache: ImageCache(),
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { reporter.send($0) }))
        let planner = Planner(trust: FileTrust(isStrict: isStrict), baseDirectory: folder)
        let assembly = try assembler.assemble(
            planner.plan(ConfigurationParser.parse(Array(configuration.utf8), file: "plugins.json")))
        let warnings = assembly.diagnostics.warnings.map {
            $0.description.replacing(folder, with: "<folder>")
        }
        let host = Host(assembly, reports: reporter) { dispatched in
            let action = dispatched.action;
            let payload = action.payload.map { " \($0.json())" } ?? ""
            record.actions.withLock { $0.append(action.type.name + payload) }
        }
        let descriptor = unsafe open(input, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure("open \(input)") }
        defer { close(descriptor) }
        let summary = try host.run([.stream(descriptor, name: "input.ndjson")], isStrict: isStrict)
        return try HostRun(host, summary, record, warnings: warnings)
    }

    /// Why a configuration does not start, as an operator reads it: problems, refusals, warnings.
    static func failure(
        _ configuration: String, libraries: [String] = [],
        prepare: (TemporaryFolder) throws -> Void = { _ in }
    ) async throws -> [String] {
        let folder = try TemporaryFolder()
        for library in libraries { try folder.copyLibrary(library) }
        try prepare(folder)
        let path = folder.path
        let lines = try await TestThread.value {
            do {
                _ = try run(configuration, in: path, input: "/dev/null", isStrict: false)
                return [String]()
            } catch let failure as Diagnostics {
                return failure.all.map { $0.description.replacing(path, with: "<folder>") }
            }
        }
        withExtendedLifetime(folder) {}
        return lines
    }
}
