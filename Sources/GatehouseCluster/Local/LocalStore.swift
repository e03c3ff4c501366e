// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSQLite
private import Glibc

/// An SQLite database that holds a cluster: one connection, for one thread at a time.
///
/// Each call throws in the words of the cluster: `full` when the disk is, `lost` for whatever another try may get over.
///
/// `@unchecked Sendable`: a store of a file belongs to one engine, and so to one thread at a time; that of the memory is used under the
/// lock of its cluster.
final class LocalStore: @unchecked Sendable {
    /// One row while it is read.
    typealias Row = SQLiteStatement.Row

    /// The form of the tables: rises with changes that an older version misreads.
    private static let form: Int64 = 1

    /// The tables. Offsets are stored as their three numbers; times are milliseconds since 1970, and 0 for none.
    private static let schema = """
        CREATE TABLE cluster(name TEXT NOT NULL, partitions INTEGER NOT NULL, reload INTEGER NOT NULL DEFAULT 0,
            turn TEXT NOT NULL DEFAULT '', turn_ends INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE members(name TEXT PRIMARY KEY, life TEXT NOT NULL, digest TEXT NOT NULL, version TEXT NOT NULL,
            process INTEGER NOT NULL, started REAL NOT NULL, lease INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE draining(name TEXT PRIMARY KEY);
        CREATE TABLE partitions(number INTEGER PRIMARY KEY, owner TEXT NOT NULL DEFAULT '',
            epoch INTEGER NOT NULL DEFAULT 0, high INTEGER NOT NULL DEFAULT 0, low INTEGER NOT NULL DEFAULT 0,
            place INTEGER NOT NULL DEFAULT 65535, last_high INTEGER NOT NULL DEFAULT 0,
            last_low INTEGER NOT NULL DEFAULT 0, added INTEGER NOT NULL DEFAULT 0,
            processed INTEGER NOT NULL DEFAULT 0, time INTEGER NOT NULL DEFAULT 0,
            checkpoint INTEGER NOT NULL DEFAULT 0, grants INTEGER NOT NULL DEFAULT 0,
            tried TEXT NOT NULL DEFAULT '', tries INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE entries(partition INTEGER NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL,
            packed INTEGER NOT NULL, origin TEXT NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY(partition, high, low)) WITHOUT ROWID;
        CREATE TABLE slices(partition INTEGER NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY(partition, name));
        CREATE TABLE dead(id INTEGER PRIMARY KEY AUTOINCREMENT, partition INTEGER NOT NULL, offset TEXT NOT NULL,
            origin TEXT NOT NULL, action BLOB NOT NULL, reason TEXT NOT NULL, member TEXT NOT NULL,
            time REAL NOT NULL);

        """
    /// The tables of earlier checkpoints, which files of earlier versions do not have.
    private static let past = """
        CREATE TABLE IF NOT EXISTS earlier(partition INTEGER NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL,
            place INTEGER NOT NULL, PRIMARY KEY(partition, high, low, place)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS earlier_slices(partition INTEGER NOT NULL, high INTEGER NOT NULL,
            low INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY(partition, high, low, place, name));

        """

    /// The path; nil for a database in memory.
    private let path: String?
    /// The connection.
    private let connection: SQLiteConnection
    /// The prepared statements, by their text.
    private var statements: [String: SQLiteStatement] = [:]

    /// Opens a database, and makes it where there is none.
    ///
    /// - Parameters:
    ///   - path: the path; nil for a database in memory, which ends with this object.
    ///   - patience: how long to wait for another process that writes.
    /// - Throws: `refused` also for a file that holds something else.
    init(path: String?, patience: Duration) throws(ClusterFailure) {
        self.path = path
        // It has what actions carry: nobody but this user reads a file that is made here. One that exists is not opened, because to
        // close it again would drop the locks of this process's other connections.
        if let path {
            let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
            if descriptor >= 0 { close(descriptor) }
        }
        do throws(SQLiteError) {
            connection = try SQLiteConnection(
                path: path ?? ":memory:", .sharing,
                busyTimeout: Int32(clamping: Int(patience / .milliseconds(1))))
            // Each commit syncs the log, so that what was written is on the disk when a call returns.
            try connection.execute(
                "PRAGMA trusted_schema = OFF; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        } catch {
            throw Self.failure(error, of: path)
        }
        try prepare()
    }

    /// Makes the tables in an empty database, and refuses other ones.
    private func prepare() throws(ClusterFailure) {
        let form = "PRAGMA user_version"
        // Another process may make them at the same time.
        try writing { () throws(ClusterFailure) in
            let found = try integer(form)
            if found == 0, try integer("SELECT count(*) FROM sqlite_schema") == 0 {
                try execute(Self.schema + Self.past + "\(form) = \(Self.form)")
            } else if found == Self.form {
                try execute(Self.past)
            }
        }
        let found = try integer(form)
        guard found != Self.form else { return }
        throw .refused(
            found > Self.form && found < 1_000
                ? "\(place) is written in form \(found) by a newer version of Gatehouse, and this one knows forms up to \(Self.form); run the newer version here too"
                : "\(place) is a database of something else; name another file")
    }

    /// How sentences name the database.
    var place: String { Self.place(of: path) }

    /// How sentences name the database at a path, or that in memory.
    static func place(of path: String?) -> String { path ?? "the memory of this host" }

    /// The name and the number of partitions of the cluster; nil before somebody has joined.
    func shape() throws(ClusterFailure) -> (name: String, partitions: Int)? {
        try first("SELECT name, partitions FROM cluster") { ($0.text(0), Int($0.integer(1))) }
    }

    // MARK: - Statements

    /// Runs a statement with values, whose rows are not read.
    func run(_ sql: String, _ values: any SQLiteBindable...) throws(ClusterFailure) {
        try each(sql, values) { _ in true }
    }

    /// Runs a statement with values, and the closure with each row until it says false.
    func forEach(
        _ sql: String, _ values: any SQLiteBindable..., body: (borrowing Row) -> Bool
    ) throws(ClusterFailure) {
        try each(sql, values, body)
    }

    /// Runs a statement with values, and returns what the closure makes of the first row; nil without one.
    func first<Result>(
        _ sql: String, _ values: any SQLiteBindable..., body: (borrowing Row) -> Result
    ) throws(ClusterFailure) -> Result? {
        var result: Result?
        try each(sql, values) { row in
            result = body(row)
            return false
        }
        return result
    }

    /// Returns the number in the first column of the first row; 0 without one.
    func integer(_ sql: String, _ values: any SQLiteBindable...) throws(ClusterFailure) -> Int {
        var number = 0
        try each(sql, values) { row in
            number = Int(row.integer(0))
            return false
        }
        return number
    }

    /// Runs a statement with values in an array, and the closure with each row until it says false.
    private func each(
        _ sql: String, _ values: [any SQLiteBindable], _ body: (borrowing Row) -> Bool
    ) throws(ClusterFailure) {
        try attempt { store throws(SQLiteError) in
            try store.statement(sql).forEach(binding: values) { row throws(SQLiteError) in body(row) }
        }
    }

    /// Runs statements that take no values.
    func execute(_ sql: String) throws(ClusterFailure) {
        try attempt { store throws(SQLiteError) in try store.connection.execute(sql) }
    }

    /// Returns a prepared statement, which the store keeps.
    private func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let known = statements[sql] { return known }
        let made = try connection.prepare(sql)
        statements[sql] = made
        return made
    }

    // MARK: - Transactions

    /// Reads in one transaction, so that all rows are of one moment.
    func reading<Result>(_ body: () throws(ClusterFailure) -> Result) throws(ClusterFailure) -> Result {
        try transaction("BEGIN", body)
    }

    /// Writes in one transaction: all of it is on the disk afterwards, or nothing when the closure throws.
    func writing<Result>(_ body: () throws(ClusterFailure) -> Result) throws(ClusterFailure) -> Result {
        try transaction("BEGIN IMMEDIATE", body)
    }

    /// Begins a transaction that writes, of which all calls are part until `COMMIT` or ``rollBack()``.
    func begin() throws(ClusterFailure) { try run("BEGIN IMMEDIATE") }

    /// Makes an empty table for this connection like one of the database, in an open transaction, which it does not outlive.
    func copyTable(_ name: String, as copy: String) throws(ClusterFailure) {
        let sql = try first("SELECT sql FROM sqlite_schema WHERE name = ?", name) { $0.text(0) } ?? ""
        try execute("CREATE TEMP TABLE \(copy)" + sql.dropFirst("CREATE TABLE \(name)".utf8.count))
    }

    /// Runs a closure in a transaction, or in the one that is open.
    private func transaction<Result>(
        _ begin: String, _ body: () throws(ClusterFailure) -> Result
    ) throws(ClusterFailure) -> Result {
        if connection.isInTransaction { return try body() }
        do throws(ClusterFailure) {
            try run(begin)
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Gives up the open transaction, if there is one.
    func rollBack() {
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
    }

    // MARK: - Errors

    /// Runs calls of the database; throws what it says in the words of the cluster.
    private func attempt(_ body: (LocalStore) throws(SQLiteError) -> Void) throws(ClusterFailure) {
        do throws(SQLiteError) {
            try body(self)
        } catch {
            throw Self.failure(error, of: path)
        }
    }

    /// Interprets an error of SQLite.
    private static func failure(_ error: SQLiteError, of path: String?) -> ClusterFailure {
        let place = place(of: path)
        let system =
            error.systemCode == 0 ? "" : " (\(unsafe String(cString: strerror(error.systemCode))))"
        if error.isFull { return .full("there is no room to write \(place)") }
        if error.isDamage {
            return .refused("\(place) is damaged, or no database: \(error.message); restore a copy of it")
        }
        if error.isClosed {
            return .refused(
                "\(place) cannot be opened: \(error.message)\(system); name a file in a folder that exists")
        }
        if error.isReadOnly {
            return .refused("\(place) cannot be written: \(error.message); give its user the right to")
        }
        return .lost("\(place): \(error.message)\(system)")
    }

    /// The time in milliseconds since 1970.
    static var now: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}

extension LocalStore.Row {
    /// A title in a column, its owner, and the next one, its epoch.
    func title(_ column: Int32) -> ClusterRoll.Title {
        let owner = text(column)
        return .init(owner: owner.isEmpty ? nil : owner, epoch: Int(integer(column + 1)))
    }

    /// An offset in a column and the next two.
    func offset(_ column: Int32) -> ClusterOffset {
        ClusterOffset(
            UInt64(clamping: integer(column)), UInt64(clamping: integer(column + 1)),
            place: UInt16(clamping: integer(column + 2)))
    }
}
