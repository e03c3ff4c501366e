// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseSDK
import GatehouseSQLite

/// The documents of one instance: opened at their first use, closed with the instance.
///
/// Everything happens on a thread of its own, one operation after the other. A file that could not be opened is tried
/// again with the next action.
actor DocumentDatabase {
    /// The only thread of the actor, because SQLite blocks.
    private let executor = DispatchExecutor(name: "gatehouse.persistence")
    /// The file; nil without a data folder.
    private let file: DatabaseFile?
    /// The id of the instance, for messages.
    private let instance: String
    /// The open file; nil before the first action, and after an error that leaves it in doubt.
    private var table: DocumentTable?
    /// The live requests, by number.
    private var feeds: [UInt64: DocumentFeed] = [:]
    /// The number of live requests so far.
    private var feedCount: UInt64 = 0

    /// Creates a database in a file, without touching it; nil for a folder that was not granted.
    init(file: DatabaseFile?, instance: String) {
        self.file = file
        self.instance = instance
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Makes changes in one transaction; if that fails, each in one of its own.
    ///
    /// Returns when every live request has processed its changes.
    func perform(_ changes: [PersistenceChange<Document>]) async -> [DocumentFailure?] {
        let delivery = DispatchGroup()
        let outcomes = make(changes, delivery)
        await withCheckedContinuation { waiter in
            delivery.notify(queue: .global()) { waiter.resume() }
        }
        return outcomes
    }

    /// Begins a live request; returns its number, and the current documents.
    func begin(_ query: DocumentQuery) throws(DocumentFailure) -> (number: UInt64, documents: [Document]) {
        let documents = try use { table throws(SQLiteError) in try table.documents(query) }
        feedCount += 1
        feeds[feedCount] = DocumentFeed(query, knowing: documents)
        return (feedCount, documents)
    }

    /// Returns a live request's next answer; nil at its end. The call confirms the previous answer.
    func next(_ number: UInt64) async -> PersistenceFetchResult<Document>? {
        guard let feed = feeds[number] else { return nil }
        return await withCheckedContinuation { feed.next($0) }
    }

    /// Ends a live request.
    func end(_ number: UInt64) { feeds.removeValue(forKey: number)?.close() }

    /// Closes the file, after work in progress, and ends live requests; waits for it. A later action opens it again.
    ///
    /// Must not be called by the actor itself.
    nonisolated func close() {
        executor.sync {
            assumeIsolated { database in
                database.table = nil
                for feed in database.feeds.values { feed.close() }
                database.feeds = [:]
            }
        }
    }

    // MARK: - Implementation details

    /// Makes changes, together if possible.
    private func make(
        _ changes: [PersistenceChange<Document>], _ delivery: DispatchGroup
    ) -> [DocumentFailure?] {
        do throws(DocumentFailure) {
            let made = try use { table throws(SQLiteError) in
                try table.transaction { () throws(SQLiteError) in
                    var made: [DocumentChange] = []
                    for change in changes { made.append(try make(change, table)) }
                    return made
                }
            }
            for change in made {
                for feed in feeds.values { feed.tell(change, delivery) }
            }
            return changes.map { _ in nil }
        } catch {
            guard changes.count > 1, error.mayConcernOneChange else { return changes.map { _ in error } }
            return changes.flatMap { make([$0], delivery) }
        }
    }

    /// Makes one change, and returns its effect as far as a live request needs it.
    private func make(
        _ change: PersistenceChange<Document>, _ table: DocumentTable
    ) throws(SQLiteError) -> DocumentChange {
        let document = change.element
        let isWatched = feeds.values.contains { $0.query.matches(document) }
        let before = isWatched ? try table.stored(document) : nil
        try table.make(change)
        let after: Document? = if case .save = change { document } else { nil }
        return DocumentChange(before: before, after: after, document: document)
    }

    /// Performs an operation on the open file.
    private func use<Result>(
        _ body: (DocumentTable) throws(SQLiteError) -> Result
    ) throws(DocumentFailure) -> Result {
        guard let file else {
            throw DocumentFailure(
                reason: .noDataFolder,
                message:
                    #"the instance \#(instance) has no folder for its file; grant it "data" in "lift"/"dependencies""#
            )
        }
        let open = if let table { table } else { try DocumentTable(opening: file) }
        table = open
        do throws(SQLiteError) {
            return try body(open)
        } catch {
            let failure = DocumentFailure(error, path: file.path, busyTimeout: file.settings.busyTimeout)
            if failure.leavesFileInDoubt { table = nil }
            throw failure
        }
    }
}
