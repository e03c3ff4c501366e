// SPDX-License-Identifier: Apache-2.0

private import CSQLite

/// What SQLite says when it cannot do something.
package struct SQLiteError: Error, Equatable, Sendable {
    /// The extended result code.
    package let code: Int32
    /// The sentence that SQLite has for the error.
    package let message: String
    /// The system's number for its call that failed last meanwhile; 0 when none did.
    package var systemCode: Int32 = 0

    /// The kind of error, whatever its details.
    package var primaryCode: Int32 { code & 0xff }

    /// Whether it is about what the file holds, and not about the system.
    package var isDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// Whether there is no room for what is written.
    package var isFull: Bool { primaryCode == SQLITE_FULL }

    /// Whether the file cannot be opened at all.
    package var isClosed: Bool { primaryCode == SQLITE_CANTOPEN }

    /// Whether the file may be read and not be written.
    package var isReadOnly: Bool { primaryCode == SQLITE_READONLY }

    /// Whether it is about tables that are not those of a journal.
    package var isForeignSchema: Bool { primaryCode == SQLITE_ERROR }
}
