// SPDX-License-Identifier: Apache-2.0

private import CSQLite

/// A value that a statement takes.
package protocol SQLiteBindable {
    /// Binds the value, of which SQLite keeps a copy, to a place counted from 1; returns SQLite's code.
    @unsafe func bind(at place: Int32, of statement: OpaquePointer) -> Int32
}

extension Int64: SQLiteBindable {
    package func bind(at place: Int32, of statement: OpaquePointer) -> Int32 {
        unsafe sqlite3_bind_int64(statement, place, self)
    }
}

extension Int: SQLiteBindable {
    package func bind(at place: Int32, of statement: OpaquePointer) -> Int32 {
        unsafe Int64(self).bind(at: place, of: statement)
    }
}

/// Bound as the signed number with the same bits.
extension UInt64: SQLiteBindable {
    package func bind(at place: Int32, of statement: OpaquePointer) -> Int32 {
        unsafe Int64(bitPattern: self).bind(at: place, of: statement)
    }
}

extension Double: SQLiteBindable {
    package func bind(at place: Int32, of statement: OpaquePointer) -> Int32 {
        unsafe sqlite3_bind_double(statement, place, self)
    }
}

extension String: SQLiteBindable {
    package func bind(at place: Int32, of statement: OpaquePointer) -> Int32 {
        unsafe Array(utf8).bind(at: place, of: statement)
    }
}

/// Bound as a text, also bytes that no text holds.
extension [UInt8]: SQLiteBindable {
    package func bind(at place: Int32, of statement: OpaquePointer) -> Int32 {
        unsafe withUnsafeBytes { bytes in
            unsafe gatehouse_sqlite_bind_text(
                statement, place, bytes.assumingMemoryBound(to: CChar.self).baseAddress,
                Int32(clamping: bytes.count))
        }
    }
}
