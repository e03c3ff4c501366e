// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSQLite
package import GatehouseSupport
private import Glibc

/// Puts a backup in the place of a journal, together with the promise that belongs to it, and keeps what was there.
///
/// From the first change to the last one the promise names what no journal has, so no host starts on half of it.
package struct JournalRestore: Equatable, Sendable {
    /// The path of the journal.
    package let path: String
    /// The path that the journal from before has now; nil where there was none.
    package let kept: String?
    /// The sequences of the actions in it; nil where there are none.
    package let actions: ClosedRange<UInt64>?

    /// Why nothing was restored.
    package enum Failure: Error, Equatable, Sendable {
        /// The journal's folder cannot be used.
        case journal(JournalFailure)
        /// There is no backup.
        case missing(path: String)
        /// The file is the journal itself, or one that a host has left with its log.
        case live(path: String)
        /// The backup is not what a host has written; with what is wrong.
        case damaged(path: String, problems: [String])
        /// The system refused a call.
        case system(path: String, call: String, reason: String)
    }

    /// Verifies a backup, and puts it in the place of the journal in a folder.
    ///
    /// - Parameters:
    ///   - time: the moment that the name of what was there tells, in seconds since 1970.
    ///   - disk: carries out the calls that change what lasts in the folder.
    package init(
        of file: String, into folder: String, at time: Double = UnixTime.now, on disk: DiskCalls = .system
    ) throws(Failure) {
        path = folder + "/" + JournalSchema.fileName
        guard let identity = SystemFile.identity(file) else { throw .missing(path: file) }
        guard identity != SystemFile.identity(path), (SystemFile.status(file + "-wal")?.st_size ?? 0) == 0
        else {
            throw .live(path: file)
        }
        let (actions, problems) = JournalBackup.verify(file)
        guard problems.isEmpty else { throw .damaged(path: file, problems: problems) }
        self.actions = actions
        do { try SystemFile.makeFolder(folder) } catch {
            throw .system(path: folder, call: "mkdir", reason: "\(error)")
        }
        kept = try Self.replace(path, in: folder, by: file, at: time, on: disk)
    }

    /// Changes the files of a folder while no host has them; gives the path of the journal from before.
    private static func replace(
        _ path: String, in folder: String, by file: String, at time: Double, on disk: DiskCalls
    ) throws(Failure) -> String? {
        let unfinished = path + ".restoring"
        do throws(JournalFailure) {
            let lock = try JournalLock(folder: folder)
            defer {
                _ = disk.remove(unfinished)
                lock.release()
            }
            let before = try JournalPromise.read(folder: folder).content
            try copy(file, to: unfinished, on: disk)
            let backup = try content(of: file, after: given(in: folder, path, promised: before))
            let suffix = ".before-restore-" + moment(time)
            let promise = folder + "/" + JournalPromise.fileName
            if before?.isOfRestore == false { try copy(promise, to: promise + suffix, on: disk) }
            _ = try JournalPromise(
                folder: folder,
                JournalPromise.Content(
                    name: backup.name, extent: .unreachable, used: backup.used,
                    undoneEpoch: backup.undoneEpoch),
                on: disk)
            var kept: String?
            if SystemFile.status(path) != nil {
                kept = path + suffix
                try rename(path, to: path + suffix, of: path, on: disk)
            }
            if SystemFile.status(path + "-wal") != nil {
                let owner = kept ?? lastKept(of: path, in: folder) ?? path + suffix
                try rename(path + "-wal", to: owner + "-wal", of: path, on: disk)
            }
            _ = disk.remove(path + "-shm")
            try rename(unfinished, to: path, of: path, on: disk)
            guard disk.syncFolder(folder) == 0 else {
                throw JournalFailure(path, .writing, .system(call: "fsync \(folder)", code: errno))
            }
            _ = try JournalPromise(folder: folder, backup, on: disk)
            return kept
        } catch {
            throw .journal(error)
        }
    }

    /// The journal that was put aside last, where the log that belongs to it was not, because that restore was interrupted.
    private static func lastKept(of path: String, in folder: String) -> String? {
        let names = SystemFile.names(inFolder: folder).map { folder + "/" + $0 }
        let last = names.filter { $0.hasPrefix(path + ".before-restore-") && $0.hasSuffix("Z") }.max()
        return last.flatMap { names.contains($0 + "-wal") ? nil : $0 }
    }

    /// The greatest numbers that an input and an opening were given in the journal that goes; 0 where there was none.
    ///
    /// What a host in relaxed mode, or one that was killed, has done last is not promised.
    private static func given(
        in folder: String, _ path: String, promised: JournalPromise.Content?
    ) -> (input: UInt64, epoch: Int64) {
        var (input, epoch) = (promised?.used ?? 0, promised?.lastEpoch ?? 0)
        // A restore that was interrupted has looked.
        guard promised?.isOfRestore != true else { return (input, epoch) }
        guard promised != nil || SystemFile.status(path) != nil else { return (0, 0) }
        var isEnded = false
        // One that is damaged is why there is a restore; the promise of it may have gone back with the power.
        if let reader = try? JournalReader(folder: folder), let extent = try? reader.extent() {
            (input, epoch) = (max(input, extent.input), max(epoch, extent.epoch))
            // An older one than was promised may have been put there by hand.
            let isWhole = promised.map { extent.covers($0.extent) } ?? false
            isEnded = isWhole && (try? reader.hasUnendedEpoch()) == false
        } else {
            epoch += 1
        }
        if !isEnded { input = min(input + JournalAdmission.unkept, JournalNumbers.limit) }
        return (input, min(epoch, Int64(JournalNumbers.limit)))
    }

    /// What is promised of a backup: no input, and nothing that follows from none, is numbered as one that is taken back.
    private static func content(
        of file: String, after given: (input: UInt64, epoch: Int64)
    ) throws(JournalFailure) -> JournalPromise.Content {
        let connection = try JournalFailure.told(of: file, .reading) { () throws(SQLiteError) in
            try SQLiteConnection(path: file, .readingUnchanging)
        }
        let reader = try JournalReader(connection, path: file)
        let extent = try reader.extent()
        return JournalPromise.Content(
            name: try reader.name() ?? "", extent: extent, used: max(given.input, extent.input),
            undoneEpoch: given.epoch)
    }

    /// Copies a file to another that only its owner may read; it is on the disk afterwards.
    private static func copy(
        _ file: String, to target: String, on disk: DiskCalls
    ) throws(JournalFailure) {
        let from = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard from >= 0 else { throw JournalFailure(file, .reading, .system(call: "open", code: errno)) }
        defer { close(from) }
        _ = disk.remove(target)
        let to = disk.create(target, 0o600)
        guard to >= 0 else { throw JournalFailure(target, .writing, .system(call: "open", code: errno)) }
        defer { close(to) }
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        var place = 0
        while true {
            let count = unsafe read(from, &chunk, chunk.count)
            guard count >= 0 else { throw JournalFailure(file, .reading, .system(call: "read", code: errno)) }
            if count == 0 { break }
            guard disk.writeAll(Array(chunk[..<count]), to: to, target, at: place) else {
                throw JournalFailure(target, .writing, .system(call: "write", code: errno))
            }
            place += count
        }
        guard disk.sync(to, target) == 0 else {
            throw JournalFailure(target, .writing, .system(call: "fsync", code: errno))
        }
    }

    /// Gives a file another name.
    private static func rename(
        _ file: String, to target: String, of journal: String, on disk: DiskCalls
    ) throws(JournalFailure) {
        guard disk.rename(file, target) == 0 else {
            throw JournalFailure(journal, .writing, .system(call: "rename \(file)", code: errno))
        }
    }

    /// A moment as a part of a file's name, such as `20260131T120000.250Z`.
    private static func moment(_ time: Double) -> String {
        UnixTime.text(time).filter { $0 != "-" && $0 != ":" }
    }
}

extension JournalRestore.Failure: CustomStringConvertible {
    /// Why nothing was restored and what to do, in one sentence, and below it what is damaged.
    package var description: String {
        switch self {
        case .journal(let failure): "\(failure)"
        case .missing(let path): "\(path): there is no backup; name a file made by gatehouse backup"
        case .live(let path):
            "\(path): this is the journal of a host, not a backup; make a backup of its folder with gatehouse backup, and restore that"
        case .damaged(let path, let problems):
            "\(path): the backup is damaged, so nothing was changed; restore another one:"
                + problems.map { "\n  - " + $0 }.joined()
        case .system(let path, let call, let reason):
            "\(path): the backup cannot be restored: \(call): \(reason); name a folder that this user may write to"
        }
    }
}
