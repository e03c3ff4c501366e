// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import GatehouseSQLite
internal import GatehouseSupport

/// What a journal's file looks like, and how it is made and recognised.
enum JournalSchema {
    /// Tells a journal from other files of SQLite: "GHJ1".
    static let application: Int64 = 0x4748_4A31
    /// The form that this version writes, and makes of others when it opens them for writing. Form 1 has no generations; before form 3
    /// effects are told when they are interrupted, and before form 4 no batch names the one before it.
    static let form: Int64 = 4
    /// The file's name in its folder.
    static let fileName = "journal.sqlite"

    /// The tables of an empty journal.
    ///
    /// `batch`: `id` counts without gaps, `first` is the sequence of the first of `count` entries, `input` the greatest number
    /// of an input so far, `effect` that of an effect, `open` the id of the oldest batch with an input that was not done before this
    /// batch, its own id where there was none. Whoever wants to understand a batch reads from `open` on.
    ///
    /// `snapshot`: `batch` is the first batch whose effects the snapshot does not know, `floor` the oldest one that recovery from it
    /// needs. `seen`: what writers call their inputs. `dead`: actions that came to nothing. `generation`: what ran, and from which
    /// action on.
    private static let tables = first + generations

    /// What form 1 has.
    private static let first = """
        CREATE TABLE batch (id INTEGER PRIMARY KEY, first INTEGER NOT NULL, count INTEGER NOT NULL,
            input INTEGER NOT NULL, effect INTEGER NOT NULL, open INTEGER NOT NULL, time REAL NOT NULL, content BLOB NOT NULL);
        CREATE TABLE snapshot (id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, epoch INTEGER NOT NULL,
            generation INTEGER NOT NULL, batch INTEGER NOT NULL, floor INTEGER NOT NULL, time REAL NOT NULL,
            isGood INTEGER NOT NULL, content BLOB NOT NULL);
        CREATE TABLE slice (id INTEGER PRIMARY KEY, snapshot INTEGER NOT NULL, instance TEXT NOT NULL,
            content BLOB NOT NULL);
        CREATE INDEX sliceOfSnapshot ON slice (snapshot);
        CREATE TABLE seen (input INTEGER PRIMARY KEY, id TEXT NOT NULL, time REAL NOT NULL);
        CREATE TABLE dead (id INTEGER PRIMARY KEY, content BLOB NOT NULL);
        CREATE TABLE epoch (number INTEGER PRIMARY KEY, began REAL NOT NULL, ended REAL, host TEXT NOT NULL,
            name TEXT NOT NULL);
        """

    /// What form 2 has that form 1 has not.
    private static let generations = """
        CREATE TABLE generation (id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, number INTEGER NOT NULL,
            after INTEGER NOT NULL, time REAL NOT NULL, content BLOB NOT NULL);
        ALTER TABLE seen ADD COLUMN checksum INTEGER;
        """

    /// What a journal looks like, and what one of form 1 does.
    private static let (shape, firstShape) = (made(by: tables), made(by: first))

    /// What some statements make, tried in memory.
    private static func made(by sql: String) -> Result<JournalShape, SQLiteError> {
        Result { () throws(SQLiteError) in
            let connection = try SQLiteConnection(path: ":memory:", .writing)
            try connection.execute(sql)
            return try JournalShape(of: connection)
        }
    }

    /// Opens a journal for writing, and makes it where there is none.
    ///
    /// Nobody but the user of this process may read or write what is made.
    ///
    /// - Parameters:
    ///   - system: the name of SQLite's way to the system; nil for the usual one.
    ///   - admit: looks at the journal, whose form it is given, before anything in it is changed.
    static func openForWriting(
        _ path: String, isStrict: Bool, system: String?,
        admit: (SQLiteConnection, _ form: Int64) throws(JournalFailure) -> Void = { _, _ in }
    ) throws(JournalFailure) -> SQLiteConnection {
        do throws(SystemFailure) {
            try SystemFile.createPrivately(path)
        } catch {
            throw JournalFailure(path, .opening, .system(call: "open \(path)", code: error.code))
        }
        let connection = try JournalFailure.told(of: path, .opening) { () throws(SQLiteError) in
            let connection = try SQLiteConnection(path: path, .writing, system: system)
            if try connection.integer("SELECT count(*) FROM sqlite_schema") == 0,
                try connection.integer("PRAGMA application_id") == 0
            {
                try connection.execute(
                    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE; \(tables) PRAGMA application_id = \(application); PRAGMA user_version = \(form); COMMIT"
                )
            }
            return connection
        }
        let found = try check(connection, path, .opening)
        try admit(connection, found)
        if found < 2 { SystemFile.makePrivate([path, path + "-wal", path + "-shm"]) }
        try JournalFailure.told(of: path, .opening) { () throws(SQLiteError) in
            if found < Self.form {
                try connection.execute(
                    "PRAGMA synchronous = FULL; BEGIN IMMEDIATE; \(found < 2 ? generations : "") PRAGMA user_version = \(Self.form); COMMIT"
                )
            }
            try connection.execute(
                "PRAGMA synchronous = \(isStrict ? "FULL" : "NORMAL")")
        }
        return connection
    }

    /// Whether a journal that is open has generations: one of form 1 that nobody has opened for writing since has none.
    static func hasGenerations(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        try connection.integer("PRAGMA user_version") ?? 0 >= 2
    }

    /// Opens a journal for reading, also beside a host that writes it, and in a folder that cannot be written to.
    static func openForReading(
        _ path: String, system: String? = nil
    ) throws(JournalFailure) -> SQLiteConnection {
        guard SystemFile.status(path) != nil else { throw JournalFailure(path, .reading, .missing) }
        do throws(JournalFailure) {
            return try open(path, .reading, system)
        } catch {
            // Nobody has it open, and no file may be made beside it: then nothing is lost by not looking there.
            guard case .database(let reason) = error.reason, reason.primaryCode == SQLITE_CANTOPEN,
                SystemFile.status(path + "-wal") == nil
            else { throw error }
            return try open(path, .readingUnchanging, system)
        }
    }

    /// Opens a journal that is there.
    private static func open(
        _ path: String, _ access: SQLiteConnection.Access, _ system: String?
    ) throws(JournalFailure) -> SQLiteConnection {
        let connection = try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in
            try SQLiteConnection(path: path, access, system: system)
        }
        try check(connection, path, .reading)
        return connection
    }

    /// Looks whether the file is a journal that this version understands; gives its form.
    @discardableResult
    private static func check(
        _ connection: SQLiteConnection, _ path: String, _ step: JournalFailure.Step
    ) throws(JournalFailure) -> Int64 {
        let (application, form) = try JournalFailure.told(of: path, step) { () throws(SQLiteError) in
            (
                try connection.integer("PRAGMA application_id") ?? 0,
                try connection.integer("PRAGMA user_version") ?? 0
            )
        }
        guard application == Self.application else { throw JournalFailure(path, step, .foreign) }
        guard form <= Self.form else { throw JournalFailure(path, step, .newer(form: form)) }
        let differences = try JournalFailure.told(of: path, step) { () throws(SQLiteError) in
            let sound = try (form < 2 ? firstShape : shape).get()
            return try JournalShape(of: connection).differences(from: sound)
        }
        let strange = differences.isEmpty ? JournalShape.strangeRows(connection, form: form) : differences
        guard strange.isEmpty else { throw JournalFailure(path, step, .strange(strange)) }
        return form
    }
}
