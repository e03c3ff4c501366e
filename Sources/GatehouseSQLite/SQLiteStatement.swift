// SPDX-License-Identifier: Apache-2.0

private import CSQLite
private import Glibc

/// A prepared statement, ready for its next run whenever no run is going on; keeps its connection open.
///
/// A run throws when SQLite refuses one of its values. Not thread-safe: one caller at a time for all statements of a connection.
@safe package final class SQLiteStatement {
    /// Kept open, and asked for errors.
    private let connection: SQLiteConnection
    /// The statement that SQLite prepared; it belongs to this object, which finalizes it.
    private let handle: OpaquePointer
    /// Why the first refused value of the run that begins was refused.
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

    /// Runs it with values at the places from the first on; rows are not read.
    ///
    /// - Parameter bytes: bytes at the place after the values, which are not copied; nil for none.
    package func run(
        _ values: any SQLiteBindable..., lending bytes: [UInt8]? = nil
    ) throws(SQLiteError) {
        bind(values)
        guard let bytes else { return try read { _ throws(SQLiteError) in true } }
        let result = unsafe bytes.withUnsafeBytes { bytes -> Result<Void, SQLiteError> in
            note(
                unsafe gatehouse_sqlite_lend_blob(
                    handle, Int32(values.count + 1), bytes.baseAddress, UInt64(bytes.count)))
            return Result { () throws(SQLiteError) in try read { _ throws(SQLiteError) in true } }
        }
        try result.get()
    }

    /// Runs it with values at the places from the first on, and reads the rows until the closure says false.
    package func forEach(
        _ values: any SQLiteBindable..., body: (borrowing Row) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) {
        try forEach(binding: values, body: body)
    }

    /// Runs it like the function with values one by one.
    package func forEach(
        binding values: [any SQLiteBindable], body: (borrowing Row) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) {
        bind(values)
        try read(body)
    }

    /// Runs it with values at the places from the first on; gives what the closure makes of the first row, nil without one.
    package func first<Result>(
        _ values: any SQLiteBindable..., body: (borrowing Row) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result? {
        bind(values)
        var result: Result?
        try read { row throws(SQLiteError) in
            result = try body(row)
            return false
        }
        return result
    }

    /// Binds values to the places from the first on.
    private func bind(_ values: [any SQLiteBindable]) {
        for (index, value) in values.enumerated() {
            note(unsafe value.bind(at: Int32(index + 1), of: handle))
        }
    }

    /// Runs it and reads the rows, until the closure says false.
    private func read(_ body: (borrowing Row) throws(SQLiteError) -> Bool) throws(SQLiteError) {
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
