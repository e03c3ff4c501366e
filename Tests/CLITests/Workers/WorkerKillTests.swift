// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What becomes of actions whose worker is killed while four writers write.
@Suite(.timeLimit(.minutes(120))) struct WorkerKillTests {
    @Test func `a worker that is killed loses nothing, doubles nothing, and the host goes on`() throws {
        // It may die while it begins, again and again, with the same action in hand.
        let host = try TorturedHost(
            #""supervise": { "deaths": 100 }, "#, placement: "worker", seed: KillTests.seed)
        let child = try host.start()
        try host.waitUntilListening(child)
        let numbersEach = 25
        for kill in 1...KillTests.kills {
            try host.writeAll(upTo: kill * numbersEach) {
                for worker in WorkerProcesses(of: child).identifiers { Glibc.kill(worker, SIGKILL) }
            }
        }
        child.signal(SIGTERM)
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0, "seed \(host.seed): \(outcome.errors)")
        let state = try JSONText.parse(outcome.output)
        try host.expectAll(in: state)
        for writer in host.writers {
            let last = KillTests.kills * numbersEach
            #expect(
                try LedgerPage(of: writer.name, in: state).entered == [1...last], "seed \(host.seed)")
        }
        #expect(outcome.errors.contains("ledger: its worker died by SIGKILL"), "\(outcome.errors)")
    }
}
