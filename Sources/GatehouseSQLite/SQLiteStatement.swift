// SPDX-License-Identifier: Apache-2.0

private import CSQLite
private import Glibc

/// A prepared statement, ready for its next run whenever no run is going on; keeps its connection open.
///
/// Values are bound to places, counted from 1, and forgotten after each run; a run throws when one was refused. Not thread-safe: one
/// caller at a time for all statements of a connection.
@safe package final class SQLiteStatement {
    /// Kept open, and asked for errors.
    private let connection: SQLiteConnection
    /// The statement that SQLite prepared; it belongs to this object, which finalizes it.
    private let handle: OpaquePointer
    /// Why the first value that was refused since the last run was; the next run throws it.
    private var refusal: SQLiteError?

    /// Takes over a statement of the connection.
    init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
        self.connection = connection
        unsafe self.handle = handle
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// One row while it is read; columns are counted from 0.
    @safe package struct Row: ~Copyable {
        /// The statement whose row it is.
        fileprivate let handle: OpaquePointer

        /// The text in a column; empty for null.
        package func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

        /// The bytes in a column; empty for null.
        package func bytes(_ column: Int32) -> [UInt8] {
            let start = unsafe sqlite3_column_blob(handle, column)
            let count = unsafe sqlite3_column_bytes(handle, column)
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count)))
        }

        /// The whole number in a column; 0 for what is none.
        package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

        /// A number in a column; 0 for what is none.
        package func number(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

        /// Whether a column holds nothing.
        package func isNull(_ column: Int32) -> Bool {
            unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
        }
    }

    /// Binds a whole number.
    package func bind(_ value: Int64, at place: Int32) {
        note(unsafe sqlite3_bind_int64(handle, place, value))
    }

    /// Binds a number.
    package func bind(_ value: Double, at place: Int32) {
        note(unsafe sqlite3_bind_double(handle, place, value))
    }

    /// Binds a copy of a text; nothing for nil.
    package func bind(_ text: String?, at place: Int32) {
        guard var text else { return note(unsafe sqlite3_bind_null(handle, place)) }
        text.withUTF8 { unsafe bind(UnsafeRawBufferPointer($0), at: place) }
    }

    /// Binds a copy of a text in UTF-8, also of bytes that no text holds.
    package func bind(_ text: UnsafeRawBufferPointer, at place: Int32) {
        note(
            unsafe gatehouse_sqlite_bind_text(
                handle, place, text.assumingMemoryBound(to: CChar.self).baseAddress,
                Int32(clamping: text.count)))
    }

    /// Binds copies of texts in UTF-8 to the places from the first on.
    package func bind(_ texts: [[UInt8]]) {
        for (index, text) in texts.enumerated() {
            unsafe text.withUnsafeBytes { unsafe bind($0, at: Int32(index + 1)) }
        }
    }

    /// Runs it; rows are not read.
    package func run() throws(SQLiteError) { try forEach { _ throws(SQLiteError) in true } }

    /// Runs it with bytes at a place, which are not copied; rows are not read.
    package func run(lending bytes: [UInt8], at place: Int32) throws(SQLiteError) {
        let result = unsafe bytes.withUnsafeBytes { bytes -> Result<Void, SQLiteError> in
            let code = unsafe gatehouse_sqlite_lend_blob(
                handle, place, bytes.baseAddress, UInt64(bytes.count))
            note(code)
            return Result { () throws(SQLiteError) in try run() }
        }
        try result.get()
    }

    /// Runs it and reads the rows, until the closure says false.
    package func forEach(_ body: (borrowing Row) throws(SQLiteError) -> Bool) throws(SQLiteError) {
        defer {
            // Reset repeats the error of the step before, which has been thrown already.
            _ = unsafe sqlite3_reset(handle)
            _ = unsafe sqlite3_clear_bindings(handle)
            refusal = nil
        }
        if let refusal { throw refusal }
        errno = 0
        while true {
            switch unsafe sqlite3_step(handle) {
            case SQLITE_ROW: guard try body(unsafe Row(handle: handle)) else { return }
            case SQLITE_DONE: return
            case let code: throw connection.error(code)
            }
        }
    }

    /// Remembers what the code of a binding stands for, unless all is well.
    private func note(_ code: Int32) {
        if code != SQLITE_OK, refusal == nil { refusal = connection.error(code) }
    }
}
