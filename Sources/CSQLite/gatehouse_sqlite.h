// SPDX-License-Identifier: Apache-2.0

#ifndef GATEHOUSE_SQLITE_H
#define GATEHOUSE_SQLITE_H

#include <sqlite3.h>

/// Binds a copy of `length` bytes of UTF-8 text, which need no NUL after them; NULL means the empty text.
///
/// Returns the result of `sqlite3_bind_text`. Exists because Swift cannot see SQLITE_TRANSIENT.
static inline int gatehouse_sqlite_bind_text(
    sqlite3_stmt *statement, int place, const char *text, int length) {
    return sqlite3_bind_text(statement, place, text ? text : "", text ? length : 0, SQLITE_TRANSIENT);
}

/// Binds `length` bytes without copying them: they must stay unchanged until the statement is reset. NULL means none.
///
/// Returns the result of `sqlite3_bind_blob64`. Exists because Swift cannot see SQLITE_STATIC.
static inline int gatehouse_sqlite_lend_blob(
    sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, place, bytes ? bytes : "", length, SQLITE_STATIC);
}

/// Makes closing the last connection keep the log beside the file, instead of writing it back.
///
/// Returns the result of `sqlite3_db_config`. Exists because Swift cannot call functions with variable arguments.
static inline int gatehouse_sqlite_keep_log(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// Prevents the contents of a file from acting by themselves: disables triggers, views, functions in the schema, and changes of the
/// schema except by the statements for it.
///
/// Returns the result of `sqlite3_db_config` if it is not SQLITE_OK.
static inline int gatehouse_sqlite_defend(sqlite3 *connection) {
    int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (code == SQLITE_OK) { code = sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0); }
    if (code == SQLITE_OK) { code = sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0); }
    if (code == SQLITE_OK) { code = sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0); }
    return code;
}

/// Calls the system's `fdatasync` for the log beside the file, through the VFS of the connection.
///
/// Returns the result of its `xSync`, and `SQLITE_OK` if the connection has not opened the log. Exists because Swift cannot see the
/// result of SQLITE_FCNTL_JOURNAL_POINTER.
static inline int gatehouse_sqlite_sync_log(sqlite3 *connection) {
    sqlite3_file *file = 0;
    const int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (code != SQLITE_OK || !file || !file->pMethods) { return code; }
    return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

/// Writes the bytes of the log beside the file once more where they are, and syncs them: after a sync that failed, a system may call
/// bytes written that are not on the disk.
///
/// Nobody else may write meanwhile. Returns the first result code other than `SQLITE_OK`, and `SQLITE_OK` if the connection has not
/// opened the log.
static inline int gatehouse_sqlite_rewrite_log(sqlite3 *connection) {
    sqlite3_file *file = 0;
    sqlite3_int64 size = 0;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (code != SQLITE_OK || !file || !file->pMethods) { return code; }
    code = file->pMethods->xFileSize(file, &size);
    for (sqlite3_int64 place = 0; code == SQLITE_OK && place < size;) {
        char bytes[1 << 16];
        const int count = size - place < (sqlite3_int64)sizeof bytes ? (int)(size - place) : (int)sizeof bytes;
        code = file->pMethods->xRead(file, bytes, count, place);
        if (code == SQLITE_OK) { code = file->pMethods->xWrite(file, bytes, count, place); }
        place += count;
    }
    return code == SQLITE_OK ? gatehouse_sqlite_sync_log(connection) : code;
}

#endif
