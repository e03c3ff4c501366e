// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What becomes of actions whose worker is killed while four writers write, and of those whose host is.
@Suite(.timeLimit(.minutes(120))) struct WorkerKillTests {
    @Test(arguments: ["", #""journal": { "mode": "strict", "snapshotEvery": 500 }, "#])
    func `a worker that is killed loses nothing, doubles nothing, and the host goes on`(journal: String)
        throws
    {
        // It may die while it begins, again and again, with the same action in hand.
        let host = try TorturedHost(
            #""supervise": { "deaths": 100 }, "# + journal, placement: "worker", seed: KillTests.seed)
        let child = try host.start(atMost: .seconds(300 + 10 * KillTests.kills))
        try host.waitUntilListening(child)
        let numbersEach = 25
        for kill in 1...KillTests.kills {
            try host.writeAll(upTo: kill * numbersEach) {
                for worker in WorkerProcesses(of: child).identifiers { Glibc.kill(worker, SIGKILL) }
            }
            try child.takeWhatIsThere()
        }
        child.signal(SIGTERM)
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0, "seed \(host.seed): \(outcome.errors)")
        let state = try JSONText.parse(outcome.output)
        try host.expectAll(in: state)
        for writer in host.writers {
            let last = KillTests.kills * numbersEach
            #expect(try LedgerPage(of: writer.name, in: state).entered == [1...last], "seed \(host.seed)")
        }
        #expect(outcome.errors.contains("ledger: its worker died by SIGKILL"), "\(outcome.errors)")
        guard !journal.isEmpty else { return }
        #expect(try host.runIdly() == state, "seed \(host.seed)")
    }

    @Test func `a host that is killed with its workers loses nothing that was acknowledged`() throws {
        let host = try TorturedHost(
            #""journal": { "mode": "strict", "snapshotEvery": 500 }, "#, placement: "worker",
            seed: KillTests.seed)
        for _ in 0..<KillTests.kills { try host.runAndKill() }
        let state = try host.runToEnd()
        try host.expectAll(in: state)
        let file = JournalFile(in: host.scene.folder("journal"))
        try file.change("DELETE FROM slice; DELETE FROM snapshot")
        #expect(try host.runIdly() == state, "seed \(host.seed)")
    }
}
