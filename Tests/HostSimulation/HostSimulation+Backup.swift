// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehouseSupport
import Glibc

/// What a backup of a simulated host has, and what is known of that moment.
struct SimulatedBackup {
    /// What the journal must have once it is restored.
    let past: ExpectedPast
    /// What had become of the actions of clerk and scribe.
    let books: [ClerkBook]
    /// What writers were told by then.
    let sent: [Int], safe: Set<Int>, forgotten: Set<Int>
}

// Backups of the journal, and their return between two lives.
extension HostSimulation {
    /// Makes a backup of what was committed, in the place of the one before.
    mutating func backUp(_ host: SimulatedHost) {
        // An old one takes more back.
        if backup != nil, chance(80) { return }
        _ = unsafe unlink(backupPath)
        do throws(JournalBackup.Failure) {
            _ = try JournalBackup(of: terms.folder, to: backupPath)
        } catch {
            return fault("the backup is refused: \(error)")
        }
        var past = tape.with { $0.past }
        past.sync()
        backup = SimulatedBackup(
            past: past, books: host.clerks.map(\.book), sent: sent, safe: safe, forgotten: forgotten)
        coverage.count("backups")
    }

    /// Puts the backup in the place of the journal, which may be cut off; then it is done again, or what was there goes on.
    mutating func restore(_ backup: SimulatedBackup) {
        let before = disk.failures
        expectEvent(isLast: false, within: 30)
        let failure = restore()
        disk.expect(nil)
        if let failure, disk.failures == before, disk.end == nil {
            return fault("the backup is not restored: \(failure)")
        }
        coverage.count(failure == nil ? "backups restored" : "backups not restored")
        // What is restored outlives the power.
        if failure == nil, chance(50) { disk.end(by: .powerFails) }
        come(back: disk.end)
        if failure == nil { return adopt(backup) }
        if isInterrupted {
            coverage.count("restores cut off in the midst of it")
            expectRefusal()
        } else if !isRestored, chance(50) {
            return
        }
        if let failure = restore() { return fault("the backup is not restored after that: \(failure)") }
        adopt(backup)
    }

    /// Restores the backup; gives what was told where that did not succeed.
    private func restore() -> JournalRestore.Failure? {
        do throws(JournalRestore.Failure) {
            _ = try JournalRestore(of: backupPath, into: terms.folder, at: 0, on: disk.calls)
            if defect == .forgottenOpenings { forgetOpenings() }
            return nil
        } catch {
            return error
        }
    }

    /// Goes on from what the backup has.
    private mutating func adopt(_ backup: SimulatedBackup) {
        tape.with { $0.past = backup.past }
        books = backup.books
        (sent, safe, forgotten) = (backup.sent, backup.safe, backup.forgotten)
    }

    /// Whether what is there is the backup, to the last byte.
    private var isRestored: Bool {
        let path = terms.folder + "/journal.sqlite"
        let log = SystemFile.status(path + "-wal")?.st_size ?? 0
        let most = 1 << 30
        guard log == 0, !isInterrupted, let bytes = try? SystemFile.bytes(of: path, limit: most) else {
            return false
        }
        return bytes == (try? SystemFile.bytes(of: backupPath, limit: most))
    }

    /// Whether the promise says that a restore is under way.
    private var isInterrupted: Bool {
        (try? JournalPromise.read(folder: terms.folder))?.content?.isOfRestore == true
    }

    /// Sees to it that no host starts on what is there.
    private mutating func expectRefusal() {
        do throws(JournalFailure) {
            let turns = try JournalTurns(folder: terms.folder, terms.options)
            turns.close()
            fault("a host starts on a journal that is half restored")
        } catch {
            if !"\(error)".hasSuffix("a restore was interrupted; run gatehouse restore again") {
                fault("a journal that is half restored is refused with other words: \(error)")
            }
        }
    }

    /// Removes from the promise how often the journal was opened that was there before.
    private func forgetOpenings() {
        let path = terms.folder + "/" + JournalPromise.fileName
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        for place in [88, 600] {
            _ = disk.calls.write(file, path, [UInt8](repeating: 0, count: 12), place)
        }
    }
}
