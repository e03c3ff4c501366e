// SPDX-License-Identifier: Apache-2.0

import GatehouseSQLite

extension DocumentTable {
    /// The mark of this plugin's files, in SQLite's `application_id`.
    private static let applicationID: Int64 = 0x4748_5044

    /// The steps from one schema version to the next, beginning with an empty file; only ever appended to.
    private static let migrations = [
        """
        CREATE TABLE documents (
            collection TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (collection, id)
        ) STRICT, WITHOUT ROWID
        """
    ]

    /// Opens a file, or creates it, and updates its schema if necessary.
    ///
    /// Leaves a file of another kind, or of a later version, as it is.
    convenience init(opening file: DatabaseFile) throws(DocumentFailure) {
        try file.make()
        do {
            let connection = try SQLiteConnection(
                path: file.path, .sharing, busyTimeout: Int32(file.settings.busyTimeout))
            try Self.prepare(connection, file)
            try self.init(connection)
        } catch let failure as DocumentFailure {
            throw failure
        } catch let error as SQLiteError {
            throw DocumentFailure(error, path: file.path, busyTimeout: file.settings.busyTimeout)
        } catch {
            throw DocumentFailure(reason: .databaseError, message: "\(file.path): \(error); try again")
        }
    }

    /// Checks the file, and makes the necessary changes.
    private static func prepare(_ connection: SQLiteConnection, _ file: DatabaseFile) throws {
        // Two processes that open the file at once must not both migrate it, so check within the transaction.
        var version = try checkedVersion(connection, file)
        // The file keeps the mode; setting it again costs nothing. A file system without shared memory refuses it
        // silently, and then the rollback journal works too.
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = \(file.settings.durability.synchronous)")
        guard version < migrations.count else { return }
        try connection.execute("BEGIN IMMEDIATE")
        version = try checkedVersion(connection, file)
        for migration in migrations.dropFirst(Int(version)) { try connection.execute(migration) }
        try connection.execute("PRAGMA application_id = \(applicationID)")
        try connection.execute("PRAGMA user_version = \(migrations.count)")
        try connection.execute("COMMIT")
    }

    /// Returns the schema version of a file that is empty or made by this plugin.
    private static func checkedVersion(
        _ connection: SQLiteConnection, _ file: DatabaseFile
    ) throws -> Int64 {
        let version = try connection.integer("PRAGMA user_version") ?? 0
        let owner = try connection.integer("PRAGMA application_id")
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
        let isEmpty = version == 0 && owner == 0 && tables == 0
        guard isEmpty || owner == applicationID, version >= 0 else {
            throw DocumentFailure(
                reason: .foreignDatabase,
                message: """
                    \(file.path): expected a database of documents, found one of another program; \
                    set "file" to another name
                    """)
        }
        guard version <= migrations.count else {
            throw DocumentFailure(
                reason: .newerSchema,
                message: """
                    \(file.path): expected schema version \(migrations.count) or less, found \(version); \
                    update the persistence plugin, or set "file" to another name
                    """)
        }
        return version
    }
}
