// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// How the inputs of a run take turns.
@Suite(.timeLimit(.minutes(10))) struct RunIntakeTests {
    /// The types of the actions so far, and what happens behind each.
    private final class Record: Sendable {
        let types = Mutex<[String]>([])
    }

    /// Runs a host without plugins over inputs; a closure sees the types so far behind each action.
    private func run(
        _ wires: [Wire], isStrict: Bool = false,
        onAction: @escaping @Sendable ([String]) -> Void = { _ in }
    ) async throws -> (types: [String], summary: Host.Summary) {
        let record = Record()
        let summary = try await TestThread.value {
            let host = Host(
                try .empty(),
                reports: Reporter { _ in }
            ) { dispatched in
                let types = record.types.withLock {
                    $0.append(dispatched.action.type.name)
                    return $0
                }
                onAction(types)
            }
            return try host.run(
                wires.enumerated().map { .stream($1.reading, name: "in\($0)") }, isStrict: isStrict)
        }
        withExtendedLifetime(wires) {}
        return (record.types.withLock { $0 }, summary)
    }

    @Test func `an input that stays open is read to what it has, also when that is more than one turn`()
        async throws
    {
        let wire = try Wire.pipe()
        try wire.write(String(repeating: "{\"type\":\"a\"}\n", count: 3_000))
        let run = try await run([wire]) { types in
            // Nothing but what is read can end the run.
            if types.count == 3_000 { wire.closeWriting() }
        }
        #expect(run.types.count == 3_000)
        #expect(run.summary.lines == 3_000)
    }

    @Test func `what inputs may not bring is counted over all of them`() async throws {
        let line = #"{"type":"host/run/ended"}"# + "\n"
        let run = try await run([
            try Wire.holding(String(repeating: line, count: 1_500)), try Wire.holding(line),
        ])
        // The first takes two turns.
        #expect(run.summary.lines == 1_501)
        #expect(run.summary.refused == 1_501)
        #expect(run.types == [])
    }

    @Test func `the inputs of a run are all read, and their lines counted together`() async throws {
        let run = try await run([
            try Wire.holding("{\"type\":\"a\"}\n\n"), try Wire.holding("{\n"),
            try Wire.holding("{\"type\":\"b\"}"),
        ])
        #expect(run.types.sorted() == ["a", "b"])
        #expect(run.summary.lines == 4 && run.summary.blank == 1 && run.summary.rejected == 1)
        #expect(!run.summary.stoppedAtBadData)
    }

    @Test func `a strict run ends behind a line that is no action`() async throws {
        let run = try await run(
            [try Wire.holding("{\"type\":\"a\"}\n{\n{\"type\":\"b\"}\n")], isStrict: true)
        #expect(run.types == ["a"])
        #expect(run.summary.stoppedAtBadData)
        #expect(run.summary.lines == 2)
    }
}
