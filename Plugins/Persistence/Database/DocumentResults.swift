// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The answers of one live request: all documents, then one difference for each change that was committed.
///
/// Each iteration is a request of its own, which ends with its iterator or its task.
struct DocumentResults: AsyncSequence, Sendable {
    typealias Element = PersistenceFetchResult<Document>
    typealias Failure = DocumentFailure

    /// The database that is asked.
    let database: DocumentDatabase
    /// The documents that are asked for.
    let query: DocumentQuery

    func makeAsyncIterator() -> Iterator { Iterator(database: database, query: query) }

    /// One live request; begins when the first answer is asked for.
    struct Iterator: AsyncIteratorProtocol {
        /// The database that is asked.
        let database: DocumentDatabase
        /// The documents that are asked for.
        let query: DocumentQuery
        /// The request once it has begun.
        private var live: Live?

        /// A request that has not begun.
        init(database: DocumentDatabase, query: DocumentQuery) {
            self.database = database
            self.query = query
        }

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

    /// A request that has begun; ends when nobody iterates any more.
    private final class Live: Sendable {
        /// The database that serves the request.
        let database: DocumentDatabase
        /// The number by which the database knows the request.
        let number: UInt64

        /// Takes over a request.
        init(database: DocumentDatabase, number: UInt64) {
            self.database = database
            self.number = number
        }

        deinit { end() }

        /// Ends the request soon; asking for the next answer then gives nil.
        func end() {
            Task { [database, number] in await database.end(number) }
        }
    }
}
