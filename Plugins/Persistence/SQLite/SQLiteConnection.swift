// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
private import Glibc

/// An open database file; closed after this and all its statements are gone.
///
/// Not thread-safe: one caller at a time.
@safe final class SQLiteConnection {
    /// SQLite's connection; this object owns and closes it.
    private let handle: OpaquePointer

    /// Opens a file, or creates it; its folder must exist. The C function is `sqlite3_open_v2`.
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
        // The handle exists even after an error, and is closed by `deinit`.
        if code != SQLITE_OK { throw error(code) }
        unsafe sqlite3_busy_timeout(opened, busyTimeout)
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    /// Runs statements without parameters and ignores their rows. The C function is `sqlite3_exec`.
    func execute(_ sql: String) throws(SQLiteError) {
        errno = 0
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    /// Prepares one statement for many runs. The C function is `sqlite3_prepare_v3`.
    func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared = unsafe prepared else { throw error(code) }
        return unsafe SQLiteStatement(prepared, of: self)
    }

    /// Returns the whole number in the first column of the first row; 0 when there is none.
    func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        var result: Int64 = 0
        try prepare(sql).forEach { result = $0.integer(0) }
        return result
    }

    /// Returns the error of the call that just returned a code.
    func error(_ code: Int32) -> SQLiteError {
        // A failing commit does not set `sqlite3_system_errno`.
        let systemCode = errno
        return SQLiteError(
            code: code, message: unsafe String(cString: sqlite3_errmsg(handle)), systemCode: systemCode)
    }

    /// Whether a transaction is open: some errors end it by themselves. The C function is `sqlite3_get_autocommit`.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }
}
