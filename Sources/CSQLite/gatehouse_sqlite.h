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

#endif
