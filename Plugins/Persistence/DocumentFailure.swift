// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
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

    /// Returns the failure for a missing data folder.
    static func noDataFolder(instance: String) -> DocumentFailure {
        DocumentFailure(
            reason: .noDataFolder,
            message: """
                the instance \(instance) has no folder for its file; grant it "data" in "lift"/"dependencies"
                """)
    }

    /// Returns the failure for a database of another program.
    static func foreignDatabase(_ path: String) -> DocumentFailure {
        DocumentFailure(
            reason: .foreignDatabase,
            message: """
                \(path): expected a database of documents, found one of another program; \
                set "file" to another name
                """)
    }

    /// Returns the failure for a schema of a later version.
    static func newerSchema(_ path: String, found: Int64, known: Int64) -> DocumentFailure {
        DocumentFailure(
            reason: .newerSchema,
            message: """
                \(path): expected schema version \(known) or less, found \(found); \
                update the persistence plugin, or set "file" to another name
                """)
    }

    /// Returns the failure for a folder that cannot be created.
    static func cannotMakeFolder(_ path: String, isReadOnly: Bool, words: String) -> DocumentFailure {
        DocumentFailure(
            reason: isReadOnly ? .readOnly : .cannotOpen,
            message: """
                \(path): the folder cannot be made: \(words); make it, or let this user write above it
                """)
    }

    /// Returns the failure for a symbolic link in place of the plugin's own file or folder.
    static func link(_ path: String, insteadOf kind: String) -> DocumentFailure {
        DocumentFailure(
            reason: .cannotOpen,
            message: "\(path): expected \(kind), found a symbolic link; put \(kind) in its place")
    }

    /// Creates a failure from an error of SQLite about a file.
    init(_ error: SQLiteError, path: String, busyTimeout: Int) {
        switch error.primaryCode {
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(
                reason: .locked,
                message: """
                    \(path): somebody else held the file for \(busyTimeout) ms; \
                    try again, end the other program, or raise "busyTimeout"
                    """)
        case SQLITE_NOTADB, SQLITE_CORRUPT:
            self.init(
                reason: .notADatabase,
                message: """
                    \(path): expected an SQLite database, found \
                    \(error.primaryCode == SQLITE_NOTADB ? "something else" : "a damaged one"); \
                    move it away, restore a copy, or set "file" to another name
                    """)
        // SQLite reports only a full disk as full, not an exhausted quota or a file that may not grow.
        case SQLITE_FULL,
            SQLITE_IOERR where [EDQUOT, EFBIG].contains(error.systemCode):
            self.init(
                reason: .diskFull, message: "\(path): there is no room for more; free some and try again")
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            self.init(
                reason: .readOnly,
                message: "\(path): the file may not be written to; let this user write to it and its folder")
        case SQLITE_CANTOPEN:
            self.init(
                reason: .cannotOpen,
                message: """
                    \(path): the file cannot be made or opened; \
                    look whether its folder exists and this user may write to it
                    """)
        default:
            self.init(
                reason: .databaseError,
                message: """
                    \(path): SQLite says \(error.message) (code \(error.code)); nothing was changed, try again
                    """)
        }
    }

    /// Creates a failure from a reason and a message.
    init(reason: Reason, message: String) {
        self.reason = reason
        self.message = message
    }
}

extension DocumentFailure {
    /// Whether to open the file again before its next use.
    var leavesFileInDoubt: Bool {
        switch reason {
        case .locked, .diskFull: false
        default: true
        }
    }

    /// Whether one change of several may be the cause; an inaccessible file fails all alike.
    var mayConcernOneChange: Bool { reason == .diskFull || reason == .databaseError }
}

extension DocumentFailure: CustomStringConvertible {
    /// The message, a sentence for people.
    var description: String { message }
}
