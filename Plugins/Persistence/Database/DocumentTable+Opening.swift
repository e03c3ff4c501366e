// SPDX-License-Identifier: Apache-2.0

extension DocumentTable {
    /// What marks a file as one of this plugin, in SQLite's `application_id`.
    private static let applicationID: Int64 = 0x4748_5044

    /// What leads from one schema version to the next, beginning with an empty file; only ever appended to.
    private static let migrations = [
        """
        CREATE TABLE documents (
            collection TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (collection, id)
        ) STRICT, WITHOUT ROWID
        """
    ]

    /// Opens a file, making it and bringing its schema up to date when needed.
    ///
    /// A file of another kind, or of a later version, is left as it is.
    convenience init(opening file: DatabaseFile) throws(DocumentFailure) {
        try file.make()
        do {
            let connection = try SQLiteConnection(path: file.path, busyTimeout: Int32(file.busyTimeout))
            try Self.prepare(connection, file)
            try self.init(connection)
        } catch let failure as DocumentFailure {
            throw failure
        } catch let error as SQLiteError {
            throw DocumentFailure(error, path: file.path, busyTimeout: file.busyTimeout)
        } catch {
            throw DocumentFailure(reason: .databaseError, message: "\(file.path): \(error); try again")
        }
    }

    /// Looks at what there is, and changes what must be changed.
    private static func prepare(_ connection: SQLiteConnection, _ file: DatabaseFile) throws {
        // Two processes that open the file at once must not both migrate it, so looking is part of the transaction.
        var version = try checkedVersion(connection, file)
        // The mode is kept in the file; setting it again costs nothing. A file system without shared memory refuses
        // it silently, and then the rollback journal does.
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = \(file.durability.synchronous)")
        guard version < migrations.count else { return }
        try connection.execute("BEGIN IMMEDIATE")
        version = try checkedVersion(connection, file)
        for migration in migrations.dropFirst(Int(version)) { try connection.execute(migration) }
        try connection.execute("PRAGMA application_id = \(applicationID)")
        try connection.execute("PRAGMA user_version = \(migrations.count)")
        try connection.execute("COMMIT")
    }

    /// The schema version of a file that is empty or made by this plugin.
    private static func checkedVersion(
        _ connection: SQLiteConnection, _ file: DatabaseFile
    ) throws -> Int64 {
        let version = try connection.integer("PRAGMA user_version")
        let owner = try connection.integer("PRAGMA application_id")
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
        let isEmpty = version == 0 && owner == 0 && tables == 0
        guard isEmpty || owner == applicationID, version >= 0 else {
            throw DocumentFailure.foreignDatabase(file.path)
        }
        guard version <= migrations.count else {
            throw DocumentFailure.newerSchema(file.path, found: version, known: Int64(migrations.count))
        }
        return version
    }
}
