// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseSQLite

/// The documents in an open database file, and its statements.
///
/// Not thread-safe: one caller at a time. Texts are compared byte by byte.
final class DocumentTable {
    /// The connection to the open file.
    let connection: SQLiteConnection
    /// Begins a transaction with the right to write, so that it is not refused later.
    private let begin: SQLiteStatement
    /// Commits a transaction.
    private let commit: SQLiteStatement
    /// Rolls a transaction back.
    private let rollback: SQLiteStatement
    /// Stores a value under a collection and an id.
    private let save: SQLiteStatement
    /// Deletes the value under a collection and an id.
    private let delete: SQLiteStatement
    /// Gives the value under a collection and an id.
    private let one: SQLiteStatement
    /// Gives ids and values in a collection, from an id up to another, in order.
    private let range: SQLiteStatement

    /// Prepares the statements on a connection whose schema is up to date.
    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        save = try connection.prepare(
            """
            INSERT INTO documents (collection, id, value) VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET value = excluded.value
            """)
        delete = try connection.prepare("DELETE FROM documents WHERE collection = ?1 AND id = ?2")
        one = try connection.prepare("SELECT value FROM documents WHERE collection = ?1 AND id = ?2")
        range = try connection.prepare(
            "SELECT id, value FROM documents WHERE collection = ?1 AND id >= ?2 AND id < ?3 ORDER BY id")
    }

    /// Runs a body in a transaction, which is rolled back when the body or the commit fails.
    func transaction<Result>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try begin.run()
        do throws(SQLiteError) {
            let result = try body()
            try commit.run()
            return result
        } catch {
            // Some errors, a full disk among them, have ended the transaction already.
            if connection.isInTransaction { try rollback.run() }
            throw error
        }
    }

    /// Stores or deletes one document, inside the open transaction.
    func make(_ change: PersistenceChange<Document>) throws(SQLiteError) {
        switch change {
        case .save(let document): try save.run(document.collection, document.id, document.value.json())
        case .delete(let document): try delete.run(document.collection, document.id)
        }
    }

    /// Returns the stored form of a change's document; nil if it is not stored.
    func stored(_ document: Document) throws(SQLiteError) -> Document? {
        try stored(collection: document.collection, id: document.id)
    }

    /// Returns the documents of a query, in the order of the ids.
    func documents(_ query: DocumentQuery) throws(SQLiteError) -> [Document] {
        var documents: [Document] = []
        if let ids = query.ids {
            for id in ids {
                guard let document = try stored(collection: query.collection, id: id),
                    query.matches(document)
                else { continue }
                documents.append(document)
            }
            return documents.sortedByID()
        }
        let prefix = Array((query.prefix ?? "").utf8)
        // No text in UTF-8 has this byte, so the bound is after all texts with the prefix.
        try range.forEach(query.collection, prefix, prefix + [0xff]) { row in
            documents.append(
                Document(collection: query.collection, id: row.text(0), value: Self.value(row.bytes(1))))
            return true
        }
        return documents
    }

    /// Returns one document, nil if it is not stored.
    private func stored(collection: String, id: String) throws(SQLiteError) -> Document? {
        try one.first(collection, id) { row in
            Document(collection: collection, id: id, value: Self.value(row.bytes(0)))
        }
    }

    /// Parses the value of a text; another program's text that is no JSON becomes a string.
    private static func value(_ text: [UInt8]) -> Value {
        do { return try JSONText.parse(text) } catch { return .string(String(decoding: text, as: UTF8.self)) }
    }
}

extension [Document] {
    /// Returns each document once, in the order of the ids.
    fileprivate func sortedByID() -> [Document] {
        var last: Document?
        return sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }.filter { document in
            defer { last = document }
            return last.map { !$0.id.utf8.elementsEqual(document.id.utf8) } ?? true
        }
    }
}
