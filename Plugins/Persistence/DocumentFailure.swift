// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
import GatehouseSQLite
private import Glibc

/// Why documents cannot be stored, deleted or read.
struct DocumentFailure: Error, Equatable {
    /// The cause, for programs.
    enum Reason: String, Codable, Sendable {
        /// The configuration gives the instance no folder.
        case noDataFolder
        /// Another program held the file for longer than the busy timeout.
        case locked
        /// The file is no database, or a damaged one.
        case notADatabase
        /// The file is a database of another program.
        case foreignDatabase
        /// The file was written by a later version of the plugin.
        case newerSchema
        /// There is no room on the disk.
        case diskFull
        /// The folder or the file may not be written to.
        case readOnly
        /// The file or its folder cannot be created or opened.
        case cannotOpen
        /// Anything else that SQLite reports.
        case databaseError
    }

    /// The cause, for programs.
    let reason: Reason
    /// One sentence with the remedy.
    let message: String
}

extension DocumentFailure {
    /// Creates a failure from an error of SQLite about a file.
    init(_ error: SQLiteError, path: String, busyTimeout: Int) {
        let (reason, words): (Reason, String) =
            switch error.primaryCode {
            case SQLITE_BUSY, SQLITE_LOCKED:
                (
                    .locked,
                    """
                    somebody else held the file for \(busyTimeout) ms; \
                    try again, end the other program, or raise "busyTimeout"
                    """
                )
            case SQLITE_NOTADB, SQLITE_CORRUPT:
                (
                    .notADatabase,
                    """
                    expected an SQLite database, found \
                    \(error.primaryCode == SQLITE_NOTADB ? "something else" : "a damaged one"); \
                    move it away, restore a copy, or set "file" to another name
                    """
                )
            // SQLite reports only a full disk as full, not an exhausted quota or a file that may not grow.
            case SQLITE_FULL,
                SQLITE_IOERR where [EDQUOT, EFBIG].contains(error.systemCode):
                (.diskFull, "there is no room for more; free some and try again")
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
                (
                    .readOnly,
                    "the file may not be written to; let this user write to it and its folder"
                )
            case SQLITE_CANTOPEN:
                (
                    .cannotOpen,
                    """
                    the file cannot be made or opened; \
                    look whether its folder exists and this user may write to it
                    """
                )
            default:
                (
                    .databaseError,
                    "SQLite says \(error.message) (code \(error.code)); nothing was changed, try again"
                )
            }
        self.init(reason: reason, message: "\(path): \(words)")
    }

    /// Whether to open the file again before its next use.
    var leavesFileInDoubt: Bool { reason != .locked && reason != .diskFull }

    /// Whether one change of several may be the cause; an inaccessible file fails all alike.
    var mayConcernOneChange: Bool { reason == .diskFull || reason == .databaseError }
}

extension DocumentFailure: CustomStringConvertible {
    /// The message, a sentence for people.
    var description: String { message }
}
