// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The answers of one live request: all documents, then one difference for each committed change.
///
/// Each iteration is a request of its own, which ends with its iterator or its task.
struct DocumentResults: AsyncSequence, Sendable {
    typealias Element = PersistenceFetchResult<Document>
    typealias Failure = DocumentFailure

    /// The database of the request.
    let database: DocumentDatabase
    /// The selection of documents.
    let query: DocumentQuery

    func makeAsyncIterator() -> Iterator { Iterator(database: database, query: query) }

    /// One live request; begins with the first call of `next`.
    struct Iterator: AsyncIteratorProtocol {
        /// The database of the request.
        let database: DocumentDatabase
        /// The selection of documents.
        let query: DocumentQuery
        /// The request once it has begun.
        fileprivate var live: Live?

        mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(DocumentFailure) -> Element? {
            guard let live else {
                let (number, documents) = try await database.begin(query)
                self.live = Live(database: database, number: number)
                return .elements(documents)
            }
            return await withTaskCancellationHandler {
                await live.database.next(live.number)
            } onCancel: {
                live.end()
            }
        }
    }

    /// A request that has begun; ends with its last reference.
    fileprivate final class Live: Sendable {
        /// The database that serves the request.
        let database: DocumentDatabase
        /// The database's number of the request.
        let number: UInt64

        /// Takes over a request.
        init(database: DocumentDatabase, number: UInt64) {
            self.database = database
            self.number = number
        }

        deinit { end() }

        /// Ends the request soon; the next answer is then nil.
        func end() { Task { [database, number] in await database.end(number) } }
    }
}
