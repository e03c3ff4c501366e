// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import SeededTesting
import Testing

@testable import PersistencePlugin

/// The database below the actions.
@Suite(.timeLimit(.minutes(5)))
struct DocumentDatabaseTests {
    private let folder: TemporaryFolder
    private let file: DatabaseFile

    init() throws {
        folder = try TemporaryFolder()
        file = DatabaseFile(folder: folder("data"), settings: Persistence.Settings())
    }

    private func database() -> DocumentDatabase {
        DocumentDatabase(file: file, instance: "test")
    }

    private func document(_ id: String, _ value: Value) -> Document {
        Document(collection: "c", id: id, value: value)
    }

    @Test func `a full disk fails a change and changes nothing; less fits afterwards`() throws {
        let table = try DocumentTable(opening: file)
        try table.make(.save(document("a", 1)))
        let pages = try #require(try table.connection.integer("PRAGMA page_count"))
        try table.connection.execute("PRAGMA max_page_count = \(pages + 1)")
        let large = document("a", .string(String(repeating: "x", count: 100_000)))
        let error = #expect(throws: SQLiteError.self) {
            try table.transaction { () throws(SQLiteError) in try table.make(.save(large)) }
        }
        #expect(error?.code == 13)
        #expect(!table.connection.isInTransaction)
        #expect(try table.documents(DocumentQuery(collection: "c")) == [document("a", 1)])
        try table.transaction { () throws(SQLiteError) in try table.make(.save(document("a", 2))) }
        #expect(try table.documents(DocumentQuery(collection: "c")) == [document("a", 2)])
    }

    @Test func `the schema is written once and says what it is`() throws {
        for _ in 0..<2 {
            let connection = try DocumentTable(opening: file).connection
            #expect(try connection.integer("PRAGMA user_version") == 1)
            #expect(try connection.integer("PRAGMA application_id") == 0x4748_5044)
            #expect(try connection.integer("PRAGMA synchronous") == 2)
        }
    }

    @Test func `SQLite waits for others and for the disk as the settings say`() throws {
        var settings = Persistence.Settings()
        settings.busyTimeout = 1234
        settings.durability = .process
        let file = DatabaseFile(folder: folder("data"), settings: settings)
        let connection = try DocumentTable(opening: file).connection
        #expect(try connection.integer("PRAGMA busy_timeout") == 1234)
        #expect(try connection.integer("PRAGMA synchronous") == 1)
    }

    @Test func `a change that cannot be made does not keep the others of its batch from being made`()
        async
        throws
    {
        let database = database()
        _ = await database.perform([.save(document("a", 1))])
        let other = try SQLiteConnection(path: file.path, .sharing, busyTimeout: 1000)
        try other.execute(
            """
            CREATE TRIGGER refuse BEFORE INSERT ON documents WHEN NEW.id = 'bad'
            BEGIN SELECT RAISE(ABORT, 'refused'); END
            """)
        let outcomes = await database.perform(
            [
                .save(document("b", 2)), .save(document("bad", 3)), .save(document("c", 4)),
                .delete(document("a", nil)),
            ]
        )
        #expect(outcomes.map { $0?.reason } == [nil, .databaseError, nil, nil])
        let kept = try await database.begin(DocumentQuery(collection: "c")).documents
        #expect(kept == [document("b", 2), document("c", 4)])
    }

    @Test func `two hosts may work on one file`() async throws {
        let databases = [database(), database()]
        for database in databases { _ = await database.perform([]) }
        let outcomes = await withTaskGroup(of: [DocumentFailure?].self) { group in
            for (host, database) in databases.enumerated() {
                for number in 0..<50 {
                    group.addTask { [document = document("\(host) \(number)", 1)] in
                        await database.perform([.save(document)])
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes == Array(repeating: nil, count: 100))
        for database in databases {
            #expect(try await database.begin(DocumentQuery(collection: "c")).documents.count == 100)
        }
    }

    @Test func `closing leaves one file, ends live requests, and the next action opens again`() async throws {
        let database = database()
        _ = await database.perform([.save(document("a", 1))])
        var answers = DocumentResults(
            database: database, query: DocumentQuery(collection: "c")
        ).makeAsyncIterator()
        #expect(try await answers.next() == .elements([document("a", 1)]))
        database.close()
        #expect(throws: SystemFailure.self) { try FileSystem.read(file.path + "-wal") }
        #expect(try await answers.next() == nil)
        #expect(await database.perform([.save(document("a", 2))]) == [nil])
    }

    @Test func `a change waits until live requests have dealt with it, and not for those that went`()
        async throws
    {
        let database = database()
        var kept = DocumentResults(
            database: database, query: DocumentQuery(collection: "c")
        ).makeAsyncIterator()
        _ = try await kept.next()
        do {
            var gone = DocumentResults(
                database: database, query: DocumentQuery(collection: "c")
            ).makeAsyncIterator()
            _ = try await gone.next()
        }
        let change = Task { [database, document = document("a", 1)] in
            await database.perform([.save(document)])
        }
        guard case .difference(let difference) = try await kept.next() else {
            Issue.record("expected a difference")
            return
        }
        #expect(difference?.insertions.count == 1)
        let last = Task { [kept] in
            var kept = kept
            return try await kept.next()
        }
        #expect(await change.value == [nil])
        last.cancel()
        #expect(try await last.value == nil)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `differences lead to what is stored`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let database = database()
        let query = DocumentQuery(collection: "c", prefix: ["", "a"].randomElement(using: &random))
        var changes: [PersistenceChange<Document>] = []
        for number in 0..<40 {
            let id = ["a", "ab", "b", "é", "e\u{301}", "ae"].randomElement(using: &random) ?? ""
            let document = document(id, Value(number))
            changes.append(Int.random(in: 0...2, using: &random) == 0 ? .delete(document) : .save(document))
        }
        _ = await database.perform(Array(changes[..<10]))
        let (number, start) = try await database.begin(query)
        let writing = Task { [changes] in
            for batch in [changes[10..<13], changes[13..<30], changes[30...]] {
                _ = await database.perform(Array(batch))
            }
            await database.end(number)
        }
        var known = start
        while let answer = await database.next(number) {
            guard case .difference(let difference) = answer,
                let next = difference.flatMap({ known.applying($0) })
            else {
                Issue.record("seed \(seed): \(answer) does not fit")
                return
            }
            known = next
        }
        await writing.value
        let stored = try await database.begin(query).documents
        #expect(known.map { "\($0.id.utf8.count) \($0)" } == stored.map { "\($0.id.utf8.count) \($0)" })
    }
}
