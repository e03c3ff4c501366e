// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
private import Glibc

/// A prepared statement, ready for its next run after each one; keeps its connection open.
///
/// Not thread-safe: one caller at a time for all statements of a connection.
@safe final class SQLiteStatement {
    /// Kept open, and the source of errors.
    private let connection: SQLiteConnection
    /// SQLite's statement; this object owns and finalizes it.
    private let handle: OpaquePointer

    /// Takes over a statement of the connection.
    init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
        self.connection = connection
        unsafe self.handle = handle
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// One row during its reading.
    @safe struct Row: ~Copyable {
        /// The statement of the row.
        fileprivate let handle: OpaquePointer

        /// Returns the text in a column, counted from 0; empty for null.
        func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

        /// Returns the bytes in a column, counted from 0; empty for null.
        func bytes(_ column: Int32) -> [UInt8] {
            let start = unsafe sqlite3_column_blob(handle, column)
            let count = unsafe sqlite3_column_bytes(handle, column)
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count)))
        }

        /// Returns the whole number in a column, counted from 0; 0 for anything else.
        func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }
    }

    /// Runs it with texts as its parameters; ignores rows.
    func run(_ texts: [String] = []) throws(SQLiteError) {
        try forEach(texts.map { Array($0.utf8) }) { _ in }
    }

    /// Runs it with texts in UTF-8 as its parameters, and reads the rows.
    func forEach(_ texts: [[UInt8]] = [], _ body: (borrowing Row) -> Void) throws(SQLiteError) {
        defer {
            // Reset repeats the error of the previous step, which has been thrown already.
            _ = unsafe sqlite3_reset(handle)
            _ = unsafe sqlite3_clear_bindings(handle)
        }
        errno = 0
        for (index, text) in texts.enumerated() {
            let code = unsafe text.withUnsafeBytes { bytes in
                unsafe gatehouse_sqlite_bind_text(
                    handle, Int32(index + 1), bytes.assumingMemoryBound(to: CChar.self).baseAddress,
                    Int32(clamping: bytes.count))
            }
            if code != SQLITE_OK { throw connection.error(code) }
        }
        while true {
            switch unsafe sqlite3_step(handle) {
            case SQLITE_ROW: body(unsafe Row(handle: handle))
            case SQLITE_DONE: return
            case let code: throw connection.error(code)
            }
        }
    }
}
