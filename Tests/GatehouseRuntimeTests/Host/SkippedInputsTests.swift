// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// Inputs that have ended the host too often.
@Suite(.timeLimit(.minutes(10))) struct SkippedInputsTests {
    /// What closures leave behind.
    private final class Record: Sendable {
        let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test func `a line that is skipped is set aside with its reason, and the others are taken`() async throws
    {
        let wire = try Wire.holding("{\"type\":\"a\"}\n{\"type\":\"b\"}\n{\"type\":\"c\"}\n")
        let record = Record()
        let summary = try await TestThread.value {
            let host = Host(
                try .empty(),
                reports: Reporter { record.add("\($0)") }
            ) { record.add($0.action.type.name) }
            host.skipped = SkippedInputs(places: ["in:2": "it has ended the host twice"])
            return try host.run([.stream(wire.reading, name: "in")], isStrict: false)
        }
        let lines = record.lines.withLock { $0 }
        #expect(lines.filter { $0.utf8.count == 1 } == ["a", "c"])
        #expect(lines.contains { $0.contains("it has ended the host twice") }, "\(lines)")
        #expect(summary.lines == 3)
        withExtendedLifetime(wire) {}
    }

    @Test func `an accepted action that is skipped is written off at once, and the others are done`()
        async throws
    {
        let folder = try TemporaryFolder()
        let left = try await TestThread.value {
            let first = try DurableHost(#"{ "id": "counter" }"#, libraries: ["CounterPlugin"], in: folder)
            for amount in [1, 10, 100] {
                _ = try first.journal.accept(
                    AnyAction("counter/increment", payload: ["by": .integer(Int64(amount))]),
                    from: .here())
            }
            let left = try first.leave()
            first.journal.close()
            return left
        }
        let afterwards = try await TestThread.value {
            let second = try DurableHost(#"{ "id": "counter" }"#, libraries: ["CounterPlugin"], in: left)
            second.host.skipped = SkippedInputs(numbers: [2: "it has ended the host twice"])
            try second.run()
            #expect(
                second.actions == [#"counter/increment {"by":1}"#, #"counter/increment {"by":100}"#])
            #expect(try second.state == ["counter": ["count": 101]])
            #expect(
                second.reports.count { $0.contains("it has ended the host twice") } == 1,
                "\(second.reports)")
            return try second.crash()
        }
        try await TestThread.value {
            let third = try DurableHost(
                #"{ "id": "counter" }"#, libraries: ["CounterPlugin"], in: afterwards)
            try third.run()
            #expect(third.actions == [])
            #expect(try third.state == ["counter": ["count": 101]])
            third.journal.close()
        }
        withExtendedLifetime((folder, left)) {}
    }
}
