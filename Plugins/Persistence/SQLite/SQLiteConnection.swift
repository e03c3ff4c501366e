// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
private import Glibc

/// An open database file; closed when this and all its statements are gone.
///
/// Not thread-safe: one caller at a time.
@safe final class SQLiteConnection {
    /// The connection that SQLite made; it belongs to this object, which closes it.
    private let handle: OpaquePointer

    /// Opens a file, which is made when it does not exist; its folder must. The C function is `sqlite3_open_v2`.
    ///
    /// - Parameter busyTimeout: milliseconds to wait for others that hold the file.
    init(path: String, busyTimeout: Int32) throws(SQLiteError) {
        var opened: OpaquePointer?
        // One caller at a time is promised, so SQLite need not lock for it.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened = unsafe opened else {
            throw SQLiteError(code: code, message: unsafe String(cString: sqlite3_errstr(code)))
        }
        unsafe handle = opened
        // On an error the handle exists all the same, and is closed when this goes.
        if code != SQLITE_OK { throw error(code) }
        unsafe sqlite3_busy_timeout(opened, busyTimeout)
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    /// Runs statements that need nothing bound and whose rows nobody reads. The C function is `sqlite3_exec`.
    func execute(_ sql: String) throws(SQLiteError) {
        errno = 0
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    /// Prepares one statement to be run many times. The C function is `sqlite3_prepare_v3`.
    func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared = unsafe prepared else { throw error(code) }
        return unsafe SQLiteStatement(prepared, of: self)
    }

    /// The whole number in the first column of the first row; 0 when there is none.
    func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        var result: Int64 = 0
        try prepare(sql).forEach { result = $0.integer(0) }
        return result
    }

    /// The error of the call that just returned a code.
    func error(_ code: Int32) -> SQLiteError {
        // What `sqlite3_system_errno` gives is not set by a commit that fails.
        let systemCode = errno
        return SQLiteError(
            code: code, message: unsafe String(cString: sqlite3_errmsg(handle)), systemCode: systemCode)
    }

    /// Whether a transaction is open: some errors end it by themselves. The C function is `sqlite3_get_autocommit`.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }
}
