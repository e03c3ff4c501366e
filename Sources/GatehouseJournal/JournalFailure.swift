// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
package import GatehouseLibrary
package import GatehouseSQLite
internal import GatehouseSupport

/// Why a journal cannot be used, or not any more.
package struct JournalFailure: Error, Equatable, Sendable {
    /// What was tried.
    package enum Step: String, Sendable {
        /// Getting at the file, or making it.
        case opening = "opened"
        /// Looking at what it holds.
        case reading = "read"
        /// Adding to it, or writing its log back.
        case writing = "written"
    }

    /// What is wrong.
    package enum Reason: Equatable, Sendable {
        /// The system refused a call; its number for the reason.
        case system(call: String, code: Int32)
        /// Another host has it open; the number of its process where that is known.
        case taken(process: Int?)
        /// The file is something else.
        case foreign
        /// Its tables are not those that a host makes, or hold rows that no host writes; with what is wrong.
        case strange([String])
        /// It belongs to somebody else, or others may write to it.
        case distrusted(LibraryFileError)
        /// It was written by a newer version, in this form.
        case newer(form: Int64)
        /// There is no journal, and it is only to be read.
        case missing
        /// SQLite cannot go on.
        case database(SQLiteError)
        /// A part that is needed cannot be read.
        case damaged(JournalDamage)
        /// The record of a generation cannot be read.
        case generation(GenerationDamage)
        /// The database ends before what was promised.
        case shortfall(promised: JournalExtent, found: JournalExtent)
        /// The file itself cannot tell how far it goes; with the reason, and what was promised.
        case broken(String, promised: JournalExtent)
        /// What writers call their inputs cannot be read; which of them, and why.
        case damagedNames(String)
        /// There is no promise beside it.
        case unpromised
        /// The promise beside it is not what a host has written.
        case damagedPromise
        /// The promise beside it is another journal's; the names of both.
        case otherPromise(promised: String, found: String)
        /// A restore has not come to its end.
        case interruptedRestore
        /// One of its files was removed or moved while it was open.
        case gone(path: String)
        /// The host handed over an action out of turn, which is a mistake of the host.
        case outOfTurn(expected: UInt64, found: UInt64)
        /// The journal was closed before.
        case closed
    }

    /// The path of the file.
    package let path: String
    /// What was tried.
    package let step: Step
    /// What is wrong.
    package let reason: Reason

    /// A failure from its parts.
    package init(_ path: String, _ step: Step, _ reason: Reason) {
        self.path = path
        self.step = step
        self.reason = reason
    }

    /// Calls SQLite, and tells its errors as those of a journal.
    static func told<Result>(
        of path: String, _ step: Step, _ body: () throws(SQLiteError) -> Result
    ) throws(JournalFailure) -> Result {
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw JournalFailure(
                path, step, error.primaryCode == SQLITE_NOTADB ? .foreign : .database(error))
        }
    }
}

extension JournalFailure: CustomStringConvertible {
    /// What was tried, why it failed and what to do, in one sentence.
    package var description: String { "\(path): the journal cannot be \(step.rawValue): \(cause); \(advice)" }

    /// Why it failed.
    package var cause: String {
        switch reason {
        case .system(let call, let code): "\(call): \(SystemReason.text(of: code))"
        case .taken(let process):
            "another host is using it" + (process.map { ", process \($0)" } ?? "")
        case .foreign: "this file is not a journal"
        case .strange(let parts): parts.joined(separator: ", ")
        case .distrusted(let error): "\(error)"
        case .newer(let form):
            "it has form \(form), and this version knows forms up to \(JournalSchema.form)"
        case .missing: "there is none"
        case .database(let error):
            error.message
                + (error.systemCode == 0 || error.isDamage
                    ? "" : " (\(SystemReason.text(of: error.systemCode)))")
        case .damaged(let damage): "\(damage)"
        case .generation(let damage): "\(damage)"
        case .shortfall(let promised, let found):
            "expected \(found.difference(from: promised).expected), found \(found.difference(from: promised).found)"
        case .broken(let reason, let promised):
            "expected \(promised.actions), but the file cannot be used: \(reason)"
        case .damagedNames(let words): words
        case .unpromised:
            "\(JournalPromise.fileName) is missing beside it, so it is unknown whether it is complete"
        case .damagedPromise:
            "\(JournalPromise.fileName) beside it is damaged, so it is unknown whether it is complete"
        case .otherPromise(let promised, let found):
            "\(JournalPromise.fileName) beside it belongs to the journal \(promised), and this is the journal \(found)"
        case .interruptedRestore: "a restore was interrupted"
        case .gone(let path): "\(path) was removed or moved away while the journal was open"
        case .outOfTurn(let expected, let found):
            "expected action \(expected), found action \(found)"
        case .closed: "it was closed"
        }
    }

    /// What a person can do.
    private var advice: String {
        switch reason {
        case .system: return "name an existing folder that this user may write to"
        case .taken: return "end that one, or give each host a folder of its own"
        case .foreign: return "name another folder"
        case .newer: return "use the version that wrote it, or a newer one"
        case .missing: return "name the folder of a journal that a host wrote"
        case .distrusted: return "make sure that nobody else has changed it"
        case .damaged, .generation, .strange: return Self.restoring
        case .shortfall, .broken, .damagedNames:
            return "\(Self.restore), or continue without the lost part with --accept-loss"
        case .unpromised, .damagedPromise:
            return "put the file back, \(Self.restore), or continue with what is there with --accept-loss"
        case .otherPromise:
            return
                "bring the matching two files together, \(Self.restore), or continue with what is there with --accept-loss"
        case .interruptedRestore: return "run gatehouse restore again"
        case .gone: return "put the folder back as it was, or \(Self.restore), then start the host again"
        case .outOfTurn: return "report this mistake of the host, and start it again"
        case .closed: return "start the host again"
        case .database(let error):
            switch error.primaryCode {
            case SQLITE_FULL: return "make room on the disk, then start the host again"
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN:
                return "let this user read and write the file and its folder"
            case SQLITE_IOERR:
                return
                    "check the disk (the system's log may say more), then start the host again"
            case SQLITE_BUSY, SQLITE_LOCKED: return "find the program that holds the file, and end it"
            case SQLITE_CORRUPT, SQLITE_NOTADB: return Self.restoring
            // What SQLite has no name of its own for: above all a file whose tables are not those of a journal.
            case SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_SCHEMA: return Self.restoring
            case SQLITE_NOMEM: return "make more memory available, then start the host again"
            case SQLITE_TOOBIG: return "shorten the line, or lower the limit of a line's bytes"
            default:
                return
                    "start the host again; if it happens again, keep a copy of the folder, report this, and restore a backup"
            }
        }
    }

    /// What to do about a journal of which something is gone.
    private static let restore = "restore a backup with gatehouse restore"

    /// What to do about a file that is damaged.
    private static let restoring = "restore a backup of the folder, or move it away to start from scratch"
}
