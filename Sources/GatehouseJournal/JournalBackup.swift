// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import GatehouseSQLite
internal import GatehouseSupport
private import Glibc

/// A copy of a journal, made beside the host that writes it, and read once before it gets its name.
package struct JournalBackup: Equatable, Sendable {
    /// The path of the copy.
    package let path: String
    /// The sequences of the actions in it; nil where there are none.
    package let actions: ClosedRange<UInt64>?
    /// Its size in bytes.
    package let bytes: Int

    /// Why there is no copy.
    package enum Failure: Error, Equatable, Sendable {
        /// The journal cannot be read.
        case journal(JournalFailure)
        /// Something has the name of the copy.
        case exists(path: String)
        /// The system refused a call.
        case system(path: String, call: String, reason: String)
        /// SQLite cannot write the copy; with its words.
        case unwritable(path: String, words: String)
        /// The copy is not what a host has written, and so the journal is not; with what is wrong.
        case damaged(path: String, problems: [String])
    }

    /// Copies the journal in a folder to a file that is not there, as it is at one moment.
    ///
    /// The host goes on meanwhile. What was copied is read from beginning to end; only then the file gets its name.
    package init(of folder: String, to path: String) throws(Failure) {
        guard SystemFile.status(path) == nil else { throw .exists(path: path) }
        let unfinished = "\(path).\(getpid()).part"
        _ = unsafe unlink(unfinished)
        defer { _ = unsafe unlink(unfinished) }
        let promised: JournalPromise.Found
        do { promised = try JournalPromise.read(folder: folder) } catch { throw .journal(error) }
        try Self.copy(folder, to: unfinished, called: path)
        let (actions, problems) = Self.verify(unfinished, promised)
        guard problems.isEmpty else { throw .damaged(path: path, problems: problems) }
        self.actions = actions
        bytes = try Self.name(unfinished, path)
        self.path = path
    }

    /// Copies all pages.
    private static func copy(_ folder: String, to unfinished: String, called path: String) throws(Failure) {
        let reader: JournalReader
        do { reader = try JournalReader(folder: folder) } catch { throw .journal(error) }
        do throws(SQLiteError) {
            // Where that is impossible, SQLite says why.
            try? SystemFile.createPrivately(unfinished)
            let copy = try SQLiteConnection(path: unfinished, .writing)
            try reader.connection.copy(to: copy)
        } catch {
            if error.isDamage { throw .journal(JournalFailure(reader.path, .reading, .database(error))) }
            let reason = error.systemCode == 0 ? "" : " (\(SystemReason.text(of: error.systemCode)))"
            throw .unwritable(path: path, words: error.message + reason)
        }
    }

    /// Reads all that was copied; gives the sequences of the actions, and what is wrong with it.
    ///
    /// - Parameter promised: what must be in it.
    static func verify(
        _ file: String, _ promised: JournalPromise.Found = .nothing
    ) -> (actions: ClosedRange<UInt64>?, problems: [String]) {
        var problems: [String] = []
        var actions: ClosedRange<UInt64>?
        do throws(JournalFailure) {
            let connection = try JournalFailure.told(of: file, .reading) { () throws(SQLiteError) in
                let connection = try SQLiteConnection(path: file, .readingUnchanging)
                try connection.prepare("PRAGMA integrity_check(10)").forEach { row throws(SQLiteError) in
                    let words = row.text(0)
                    if words != "ok" { problems.append("SQLite says: \(words)") }
                    return true
                }
                return connection
            }
            let reader = try JournalReader(connection, path: file)
            do throws(JournalFailure) {
                try reader.compare(with: promised)
            } catch {
                problems.append(error.cause)
            }
            problems += try reader.openInputs().damage.map { "\($0)" }
            let cursor = reader.records(skipsOrphans: true)
            while let item = try cursor.next() {
                switch item {
                case .damage(let damage): problems.append("\(damage)")
                case .record(let record):
                    actions = (actions?.lowerBound ?? record.sequence)...record.sequence
                }
            }
            problems += try reader.snapshots().damaged.map { "\($0)" }
            problems += try reader.deadLetters().damaged.map { "dead letter \($0) cannot be read" }
        } catch {
            problems.append("\(error)")
        }
        return (actions, problems)
    }

    /// Gives the copy its name when it is on the disk, unless something has got it meanwhile; gives the size.
    private static func name(_ unfinished: String, _ path: String) throws(Failure) -> Int {
        let descriptor = unsafe open(unfinished, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, "open") }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        guard fsync(descriptor) == 0 else { throw failure(path, "fsync") }
        if unsafe link(unfinished, path) != 0 {
            throw errno == EEXIST ? .exists(path: path) : failure(path, "link")
        }
        SystemFile.syncFolder(SystemFile.parts(of: path).folder)
        return Int(size)
    }

    /// The refusal of a call.
    private static func failure(_ path: String, _ call: String) -> Failure {
        .system(path: path, call: call, reason: SystemReason.last)
    }
}

extension JournalBackup.Failure: CustomStringConvertible {
    /// Why there is no copy and what to do, in one sentence, and below it what is damaged.
    package var description: String {
        switch self {
        case .journal(let failure): "\(failure)"
        case .exists(let path): "\(path): a file exists already; name another one, or remove it"
        case .system(let path, let call, let reason):
            "\(path): the backup cannot be written: \(call): \(reason); look at the disk and the folder"
        case .unwritable(let path, let words):
            "\(path): the backup cannot be written: \(words); name a file in a folder with room that this user may write to"
        case .damaged(let path, let problems):
            "\(path): the journal is damaged, so there is no backup; restore an older one, or keep a copy of the folder:"
                + problems.map { "\n  - " + $0 }.joined()
        }
    }
}
