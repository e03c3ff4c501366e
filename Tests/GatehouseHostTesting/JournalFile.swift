// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// The file of a journal that no host has open, for tests that damage it.
public struct JournalFile {
    /// Where it is.
    public let path: String

    /// The journal of a folder.
    public init(in folder: String) { path = folder + "/journal.sqlite" }

    /// The write-ahead log: what was written and not yet moved to its place.
    public var log: String { path + "-wal" }

    /// Executes SQL statements; afterwards everything is in the one file.
    public func change(_ statements: String) throws {
        var connection: OpaquePointer?
        defer { unsafe sqlite3_close(connection) }
        guard unsafe sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
            unsafe sqlite3_exec(
                connection, statements + "; PRAGMA wal_checkpoint(TRUNCATE)", nil, nil, nil) == SQLITE_OK
        else {
            throw SystemFailure("\(statements): \(unsafe String(cString: sqlite3_errmsg(connection)))")
        }
    }

    /// What the first column of a query has in its first row, while a host may write; nil without a row, and while that is not there.
    public func number(_ query: String) -> Int64? {
        var (connection, statement): (OpaquePointer?, OpaquePointer?)
        defer {
            unsafe sqlite3_finalize(statement)
            unsafe sqlite3_close(connection)
        }
        guard unsafe sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
            unsafe sqlite3_prepare_v2(connection, query, -1, &statement, nil) == SQLITE_OK,
            unsafe sqlite3_step(statement) == SQLITE_ROW
        else { return nil }
        return unsafe sqlite3_column_int64(statement, 0)
    }

    /// Truncates a file to a number of bytes, like a power failure.
    public static func cut(_ path: String, to count: (Int) -> Int) throws {
        try FileSystem.setSize(count(try FileSystem.read(path).count), of: path)
    }

    /// Inverts all bits of the byte at an offset.
    public func damage(at place: Int) throws {
        var bytes = try FileSystem.read(path)
        bytes[place] ^= 0xff
        try FileSystem.write(bytes, to: path)
    }
}
