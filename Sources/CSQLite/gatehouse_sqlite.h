// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_SQLITE_H
#define GATEHOUSE_SQLITE_H

#include <sqlite3.h>

/// Binds a copy of `length` bytes of UTF-8 text, which need no NUL behind them; NULL stands for the empty text.
///
/// Returns what `sqlite3_bind_text` returns. Exists because Swift cannot see SQLITE_TRANSIENT.
static inline int gatehouse_sqlite_bind_text(
    sqlite3_stmt *statement, int place, const char *text, int length) {
    return sqlite3_bind_text(statement, place, text ? text : "", text ? length : 0, SQLITE_TRANSIENT);
}

/// Binds `length` bytes without copying them: they must stay as they are until the statement is reset. NULL stands for none.
///
/// Returns what `sqlite3_bind_blob64` returns. Exists because Swift cannot see SQLITE_STATIC.
static inline int gatehouse_sqlite_lend_blob(
    sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, place, bytes ? bytes : "", length, SQLITE_STATIC);
}

/// Leaves the log beside the file as it is when the last connection is closed, instead of writing it back.
///
/// Returns what `sqlite3_db_config` returns. Exists because Swift cannot call functions with variable arguments.
static inline int gatehouse_sqlite_keep_log(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// Lets nothing that stands in a file act by itself: no trigger, no view, no function in its schema, no change of the schema but by the
/// statements for it.
///
/// Returns what `sqlite3_db_config` returns where it is not SQLITE_OK.
static inline int gatehouse_sqlite_defend(sqlite3 *connection) {
    int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (code == SQLITE_OK) { code = sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0); }
    if (code == SQLITE_OK) { code = sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0); }
    if (code == SQLITE_OK) { code = sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0); }
    return code;
}

/// Calls the system's `fdatasync` for the log beside the file, through the VFS of the connection.
///
/// Returns what its `xSync` returns, and `SQLITE_OK` where the connection has not opened the log. Exists because Swift cannot see what
/// SQLITE_FCNTL_JOURNAL_POINTER gives.
static inline int gatehouse_sqlite_sync_log(sqlite3 *connection) {
    sqlite3_file *file = 0;
    const int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (code != SQLITE_OK || !file || !file->pMethods) { return code; }
    return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

#endif
