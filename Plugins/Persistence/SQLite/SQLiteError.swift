// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// What SQLite says when it cannot do something.
struct SQLiteError: Error, Equatable {
    /// The extended result code.
    let code: Int32
    /// SQLite's own words.
    let message: String

    /// The kind of error, whatever its details.
    var primaryCode: Int32 { code & 0xff }
}
