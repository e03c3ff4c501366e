// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Keeps documents in a database, for the persistence of the core.
struct DocumentController: PersistenceController {
    /// The database, which works on a thread of its own.
    let database: DocumentDatabase

    /// The most changes that share one wait for the disk.
    let batchLimit = 256

    func save(_ element: Document) async throws(DocumentFailure) { try await perform(.save(element)) }

    func delete(_ element: Document) async throws(DocumentFailure) { try await perform(.delete(element)) }

    func request(_ request: DocumentQuery) -> DocumentResults {
        DocumentResults(database: database, query: request)
    }

    func perform(_ changes: [PersistenceChange<Document>]) async -> [DocumentFailure?] {
        await database.perform(changes)
    }

    /// Makes one change, as a batch of one.
    private func perform(_ change: PersistenceChange<Document>) async throws(DocumentFailure) {
        for case let failure? in await perform([change]) { throw failure }
    }
}
