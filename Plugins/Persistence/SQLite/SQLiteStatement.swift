// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
private import Glibc

/// A prepared statement, ready for its next run whenever no run is going on; keeps its connection open.
///
/// Not thread-safe: one caller at a time for all statements of a connection.
@safe final class SQLiteStatement {
    /// Kept open, and asked for errors.
    private let connection: SQLiteConnection
    /// The statement that SQLite prepared; it belongs to this object, which finalizes it.
    private let handle: OpaquePointer

    /// Takes over a statement of the connection.
    init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
        self.connection = connection
        unsafe self.handle = handle
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// One row while it is read.
    @safe struct Row: ~Copyable {
        /// The statement whose row it is.
        fileprivate let handle: OpaquePointer

        /// The text in a column, counted from 0; empty for null.
        func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

        /// The bytes in a column, counted from 0; empty for null.
        func bytes(_ column: Int32) -> [UInt8] {
            let start = unsafe sqlite3_column_blob(handle, column)
            let count = unsafe sqlite3_column_bytes(handle, column)
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count)))
        }

        /// The whole number in a column, counted from 0; 0 for what is none.
        func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }
    }

    /// Runs it with texts in place of its parameters; rows are not read.
    func run(_ texts: [String] = []) throws(SQLiteError) {
        try forEach(texts.map { Array($0.utf8) }) { _ in }
    }

    /// Runs it with texts in UTF-8 in place of its parameters, and reads the rows.
    func forEach(_ texts: [[UInt8]] = [], _ body: (borrowing Row) -> Void) throws(SQLiteError) {
        defer {
            // Reset repeats the error of the step before, which has been thrown already.
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
