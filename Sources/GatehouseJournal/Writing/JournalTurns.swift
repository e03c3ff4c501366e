// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSQLite
internal import GatehouseSupport
private import Synchronization

/// An open journal, and what its threads do with it, one turn at a time.
///
/// `JournalWriter` has one thread take the turns that write, another one those of the maintainer, and a further one each part of a
/// snapshot's way. Who has no threads takes all of them on its own, in any order.
package final class JournalTurns: Sendable {
    /// Has a closure run beside the writer; false, without running it, where that cannot be.
    typealias Beside = @Sendable (@escaping @Sendable () -> Void) -> Bool

    /// Writes to the file.
    let committer: JournalCommitter
    /// Where the journal ended when it was opened.
    let start: JournalPosition
    /// What waits to be written.
    let queue: JournalQueue
    /// Syncs the log, and writes it back.
    let maintainer: JournalMaintainer
    /// The memory of what is written.
    let buffers = JournalBuffers()
    /// Notes what is promised.
    private let safety: JournalSafety
    /// Keeps other hosts away.
    private let lock: JournalLock
    /// Told once, when nothing is written any more.
    private let onFailure: @Sendable (JournalFailure) -> Void
    /// What is to run beside the writer, for who has no threads.
    private let kept = Mutex<[@Sendable () -> Void]>([])

    /// Opens the journal in a folder, which is made if its own folder is there, and begins an epoch.
    ///
    /// - Throws: why it cannot be written, or who else does.
    package init(folder: String, _ options: JournalWriter.Options) throws(JournalFailure) {
        let path = folder + "/" + JournalSchema.fileName
        do throws(SystemFailure) {
            try SystemFile.makeFolder(folder)
        } catch {
            throw JournalFailure(path, .opening, .system(call: "mkdir \(folder)", code: error.code))
        }
        lock = try JournalLock(folder: folder)
        let isStrict = options.mode == .strict
        let opened = try JournalOpening(folder: folder, options)
        (committer, start, safety) = (opened.committer, opened.start, opened.safety)
        let (queue, onFailure) = (
            JournalQueue(isStrict: isStrict, clock: options.instant), options.onFailure
        )
        (self.queue, self.onFailure) = (queue, onFailure)
        maintainer = try JournalMaintainer(
            path: path, isStrict: isStrict, safety, system: options.system, usualPages: options.usualPages)
        for diagnostic in opened.diagnostics { options.onDiagnostic(diagnostic) }
        maintainer.onFailure = { failure in if queue.fail(failure) { onFailure(failure) } }
    }

    /// Writes what was taken from the queue in one transaction, and tells what became of it.
    func write(_ taken: consuming [JournalQueue.Work]) {
        var works = taken
        do throws(JournalFailure) {
            if let failure = queue.failure { throw failure }
            try maintainer.withoutCheckpoint { () throws(JournalFailure) in try committer.write(works) }
            try safety.committed(committer.extent)
            for work in works { work.onCommit?(nil) }
            maintainer.note(logPages: committer.connection.logPages, committer.extent)
        } catch {
            if queue.fail(error) { onFailure(error) }
            let failure = queue.failure
            for work in works { work.onCommit?(failure) }
        }
        while let work = works.popLast() {
            if case .batch(let batch, _) = consume work { buffers.give(batch) }
        }
    }

    /// Ends the epoch, and lets the next host open the journal; after the last turn of all others.
    func finish() {
        defer { lock.release() }
        guard queue.failure == nil else { return }
        do throws(JournalFailure) {
            try committer.endEpoch()
            try committer.told { () throws(SQLiteError) in
                _ = try committer.connection.checkpoint(isTruncating: true)
            }
        } catch {
            if queue.fail(error) { onFailure(error) }
        }
    }
}

// For who has no threads.
extension JournalTurns {
    /// Keeps a closure until its turn comes.
    func keep(_ body: @escaping @Sendable () -> Void) -> Bool {
        kept.withLock { $0.append(body) }
        return true
    }

    /// Writes what is due; false where nothing is.
    package func write() -> Bool {
        guard case .write(let works) = queue.nextStep() else { return false }
        write(works)
        return true
    }

    /// Does the next part of a snapshot's way that belongs beside the writer; false where there is none.
    package func perform() -> Bool {
        guard let body = kept.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
        body()
        return true
    }

    /// Syncs the log or writes it back; false where that has no end before more is written.
    package func maintain() -> Bool {
        if case .again = maintainer.takeTurn() { return true }
        return false
    }

    /// Why nothing is written any more; nil while all is well.
    package var failure: JournalFailure? { queue.failure }

    /// Takes all turns that are left, and ends the epoch.
    package func close() {
        queue.close()
        while true {
            switch queue.nextStep() {
            case .write(let works):
                write(works)
                continue
            case .sleep where perform(): continue
            case .sleep, .end: break
            }
            break
        }
        maintainer.expectEnd()
        while case .again = maintainer.takeTurn() {}
        finish()
    }
}
