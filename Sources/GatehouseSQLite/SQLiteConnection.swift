// SPDX-License-Identifier: Apache-2.0

private import CSQLite
private import Glibc

/// An open database file; closed when this and all its statements are gone.
///
/// Not thread-safe: one caller at a time.
@safe package final class SQLiteConnection {
    /// What a connection may do.
    package enum Access {
        /// Reads and writes; the file is made when it does not exist, its folder must. The caller writes the log back, and nothing
        /// that the file holds acts by itself.
        case writing
        /// Reads and writes as any program does: SQLite writes the log back by itself.
        case sharing
        /// Reads only; the file must exist.
        case reading
        /// Reads only a file that nobody changes, and makes no file beside it.
        case readingUnchanging
    }

    /// The connection that SQLite made; it belongs to this object, which closes it.
    private let handle: OpaquePointer
    /// How many pages the log held after the last commit of this connection.
    package private(set) var logPages: Int32 = 0

    /// Opens a file. The C function is `sqlite3_open_v2`.
    ///
    /// - Parameters:
    ///   - busyTimeout: milliseconds to wait for others that hold the file.
    ///   - system: the name of SQLite's way to the system; nil for the usual one.
    package init(
        path: String, _ access: Access, busyTimeout: Int32 = 2_000, system: String? = nil
    ) throws(SQLiteError) {
        var opened: OpaquePointer?
        // One caller at a time is promised, so SQLite need not lock for it.
        let usual = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let flags =
            switch access {
            case .writing, .sharing: usual | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .reading: usual | SQLITE_OPEN_READONLY
            case .readingUnchanging: usual | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let name = access == .readingUnchanging ? Self.unchanging(path) : path
        errno = 0
        let code: Int32
        if let system {
            code = unsafe sqlite3_open_v2(name, &opened, flags, system)
        } else {
            code = unsafe sqlite3_open_v2(name, &opened, flags, nil)
        }
        guard let opened = unsafe opened else {
            throw SQLiteError(code: code, message: unsafe String(cString: sqlite3_errstr(code)))
        }
        unsafe handle = opened
        // On an error the handle exists all the same, and is closed when this goes.
        if code != SQLITE_OK { throw error(code) }
        unsafe sqlite3_busy_timeout(opened, busyTimeout)
        if access == .sharing { return }
        let defence = unsafe gatehouse_sqlite_defend(opened)
        if defence != SQLITE_OK { throw error(defence) }
        // Only who writes back the log on purpose may do it, so that nothing is tried again after a failure.
        unsafe gatehouse_sqlite_keep_log(opened)
        // In the place of the hook that writes the log back now and then, which the pragma for it would put there again. It is
        // called within calls of this object only, so it never outlives it.
        _ = unsafe sqlite3_wal_hook(
            opened,
            { context, _, _, pages in
                guard let context = unsafe context else { return SQLITE_OK }
                unsafe Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().logPages = pages
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    /// The address of a file that nobody changes, as SQLite reads it.
    private static func unchanging(_ path: String) -> String {
        var address = "file:"
        for byte in path.utf8 {
            let scalar = Unicode.Scalar(byte)
            if byte < 0x80, scalar.properties.isAlphabetic || "0123456789/._-".unicodeScalars.contains(scalar)
            {
                address.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                address += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return address + "?immutable=1"
    }

    /// Runs statements that need nothing bound and whose rows nobody reads. The C function is `sqlite3_exec`.
    package func execute(_ sql: String) throws(SQLiteError) {
        errno = 0
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    /// Prepares one statement to be run many times. The C function is `sqlite3_prepare_v3`.
    package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        var prepared: OpaquePointer?
        errno = 0
        let code = unsafe sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared = unsafe prepared else { throw error(code) }
        return unsafe SQLiteStatement(prepared, of: self)
    }

    /// The whole number in the first column of the first row; nil when there is none.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        try prepare(sql).first { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
    }

    /// What is wrong with the pages of a table, in SQLite's words, such as rows that no search finds; nil where nothing is.
    ///
    /// Reads all of the table.
    package func damage(of table: String) throws(SQLiteError) -> String? {
        do throws(SQLiteError) {
            let found = try prepare("PRAGMA quick_check(\(table))").first { $0.text(0) } ?? "ok"
            return found == "ok" ? nil : found.split(separator: "\n").joined(separator: ", ")
        } catch {
            guard error.isDamage else { throw error }
            return error.message
        }
    }

    /// The error of the call that just returned a code.
    func error(_ code: Int32) -> SQLiteError {
        // What `sqlite3_system_errno` gives is not set by a commit that fails.
        let systemCode = errno
        return SQLiteError(
            code: code, message: unsafe String(cString: sqlite3_errmsg(handle)), systemCode: systemCode)
    }

    /// Whether a transaction is open: some errors end it by themselves. The C function is `sqlite3_get_autocommit`.
    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Copies all pages to an empty file, as they are at this moment. The C functions are `sqlite3_backup_init` and those that go with
    /// it.
    package func copy(to other: SQLiteConnection) throws(SQLiteError) {
        errno = 0
        guard let copying = unsafe sqlite3_backup_init(other.handle, "main", handle, "main") else {
            throw other.error(unsafe sqlite3_errcode(other.handle))
        }
        let code = unsafe sqlite3_backup_step(copying, -1)
        _ = unsafe sqlite3_backup_finish(copying)
        if code != SQLITE_DONE { throw other.error(code) }
    }

    /// Makes sure that what the log holds is on the disk, without the file. Does nothing where there is no log yet.
    package func syncLog() throws(SQLiteError) {
        errno = 0
        try check(unsafe gatehouse_sqlite_sync_log(handle))
    }

    /// Makes sure that what the log holds is on the disk, also where a process before has tried that in vain: after a sync that
    /// failed, Linux takes what it could not write for written. Nobody may write meanwhile. Does nothing where there is no log yet.
    package func rewriteLog() throws(SQLiteError) {
        errno = 0
        try check(unsafe gatehouse_sqlite_rewrite_log(handle))
    }

    /// Throws the error of a call that SQLite itself knows nothing of.
    private func check(_ code: Int32) throws(SQLiteError) {
        if code == SQLITE_OK { return }
        throw SQLiteError(
            code: code, message: unsafe String(cString: sqlite3_errstr(code)), systemCode: errno)
    }

    /// Writes what the log holds back to the file. The C function is `sqlite3_wal_checkpoint_v2`.
    ///
    /// - Parameter isTruncating: whether to wait for readers and to empty the log then; otherwise as much is written as goes at once.
    /// - Returns: how many pages the log holds, and how many of them are in the file by now; not more than 0 where it was cut off.
    @discardableResult
    package func checkpoint(isTruncating: Bool) throws(SQLiteError) -> (pages: Int32, written: Int32) {
        var pages: Int32 = 0
        var written: Int32 = 0
        errno = 0
        let code = unsafe sqlite3_wal_checkpoint_v2(
            handle, nil, isTruncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, &pages,
            &written)
        // Readers that stay, or another one at work: there is a next time.
        if code & 0xff == SQLITE_BUSY { return (pages, written) }
        if code != SQLITE_OK { throw error(code) }
        return (pages, written)
    }
}
