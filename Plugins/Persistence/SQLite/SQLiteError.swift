// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// An error of SQLite.
struct SQLiteError: Error, Equatable {
    /// The extended result code.
    let code: Int32
    /// SQLite's sentence for the error.
    let message: String
    /// The number of the last system call that failed meanwhile; 0 for none.
    var systemCode: Int32 = 0

    /// The kind of error, without details.
    var primaryCode: Int32 { code & 0xff }
}
