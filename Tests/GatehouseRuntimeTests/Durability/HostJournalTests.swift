// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Testing

@testable import GatehouseJournal
@testable import GatehouseRuntime

/// What a run hands over to its journal, and in which order.
@Suite(.timeLimit(.minutes(10))) struct HostJournalTests {
    @Test(arguments: ["strict", "relaxed"])
    func `a snapshot is written after all actions that led to it, never before`(mode: String) async throws {
        let folder = try TemporaryFolder()
        try await TestThread.value {
            let run = try DurableHost(
                #"{ "id": "counter" }"#, libraries: ["CounterPlugin"], in: folder,
                journal: #"{ "mode": "\#(mode)" }"#)
            // The third good one would let the first go, which may not be verified then.
            for _ in 1...2 {
                run.host.dispatch(AnyAction("counter/increment"), from: .here())
                run.host.queue.withExclusiveAccess { run.host.store.onIdle?() }
            }
            run.journal.close()
            #expect(run.reports == [])
        }
        let connection = try SQLiteConnection(path: folder("journal/journal.sqlite"), .reading)
        let snapshots = try SnapshotTable(connection).rows(isGood: true)
        #expect(snapshots.map(\.sequence).max() == 2)
        for snapshot in snapshots {
            // The first batch of which it knows nothing comes after that of its last action.
            let batch = try #require(
                try connection.integer(
                    "SELECT id FROM batch WHERE first <= \(snapshot.sequence) AND first + count > \(snapshot.sequence)"
                ))
            #expect(snapshot.batch > batch, "\(snapshot.sequence)")
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `a state after which nothing has happened is not written twice`() async throws {
        let folder = try TemporaryFolder()
        try await TestThread.value {
            let run = try DurableHost(#"{ "id": "counter" }"#, libraries: ["CounterPlugin"], in: folder)
            run.host.dispatch(AnyAction("counter/increment"), from: .here())
            #expect(run.host.queue.withExclusiveAccess { run.journal.status.snapshotAge } == nil)
            for _ in 1...3 { run.host.queue.withExclusiveAccess { run.host.store.onIdle?() } }
            #expect(run.host.queue.withExclusiveAccess { run.journal.status.snapshotAge } != nil)
            run.journal.close()
        }
        let connection = try SQLiteConnection(path: folder("journal/journal.sqlite"), .reading)
        #expect(try SnapshotTable(connection).rows(isGood: true).map(\.id) == [1])
        withExtendedLifetime(folder) {}
    }
}
