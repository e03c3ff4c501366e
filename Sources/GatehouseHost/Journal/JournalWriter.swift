// SPDX-License-Identifier: Apache-2.0

private import Dispatch
private import Glibc
private import Synchronization

/// Writes a journal: the only one that does. Callable from any thread.
///
/// One thread writes what is submitted, in the order of the calls, in one transaction for all that waits when it is free. After
/// a failure nothing is written any more and nothing is tried again: what is submitted then fails with the same reason.
/// Dropped without `close`, it writes what waits and ends the epoch in no order.
final class JournalWriter: Sendable {
    /// What can be chosen.
    struct Options: Sendable {
        /// When what was accepted is on the disk.
        var mode = JournalMode.strict
        /// What the epoch remembers about the host.
        var host = "gatehouse"
        /// The time in seconds since 1970.
        var clock: @Sendable () -> Double = JournalWriter.now
        /// The name of SQLite's way to the system; nil for the usual one.
        var system: String?
        /// Told once, on one of the journal's threads, when nothing is written any more.
        var onFailure: @Sendable (JournalFailure) -> Void = { _ in }
    }

    /// The path of the file.
    let path: String
    /// The number of this opening.
    let epoch: Int
    /// Where the journal ended when it was opened.
    let start: JournalPosition
    /// What waits for the thread.
    private let queue: JournalQueue
    /// Keeps other hosts away.
    private let lock: JournalLock
    /// Writes the log back.
    private let keeper: JournalKeeper
    /// Signalled when the thread has ended.
    private let isEnded = DispatchSemaphore(value: 0)
    /// Told of the first failure.
    private let onFailure: @Sendable (JournalFailure) -> Void

    /// Opens the journal in a folder, which is made if its own folder is there, and begins an epoch.
    ///
    /// - Throws: why it cannot be written, or who else does.
    init(folder: String, _ options: Options = Options()) throws(JournalFailure) {
        let path = folder + "/" + JournalSchema.fileName
        self.path = path
        if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw JournalFailure(path, .opening, .system(call: "mkdir \(folder)", code: errno))
        }
        lock = try JournalLock(folder: folder)
        let isStrict = options.mode == .strict
        let connection = try JournalSchema.openForWriting(
            path, isStrict: isStrict, system: options.system)
        start = try JournalReader(connection, path: path).position()
        let committer = try JournalCommitter(
            connection, path: path, host: options.host, clock: options.clock)
        epoch = committer.epoch
        onFailure = options.onFailure
        queue = JournalQueue(isStrict: isStrict)
        keeper = try JournalKeeper(path: path, isStrict: isStrict, system: options.system)
        let (queue, keeper, onFailure, isEnded) = (queue, keeper, onFailure, isEnded)
        keeper.onFailure = { failure in if queue.fail(failure) { onFailure(failure) } }
        guard keeper.start(),
            BackgroundThread.start({
                Self.run(committer, queue, keeper, onFailure)
                isEnded.signal()
            })
        else {
            keeper.stop()
            throw JournalFailure(path, .opening, .system(call: "pthread_create", code: EAGAIN))
        }
    }

    deinit { queue.close() }

    /// Hands over a batch to be written; the calls' order is the order in the journal.
    ///
    /// Sleeps while more than 262,144 inputs and actions wait.
    ///
    /// - Parameter onCommit: called on the writer's thread, with nil when the batch is as safe as the mode promises; must not wait for
    ///   the journal.
    func submit(
        _ batch: consuming JournalBatch, _ onCommit: (@Sendable (JournalFailure?) -> Void)? = nil
    ) {
        let count = batch.inputs.count + batch.entries.count
        if !queue.put(.batch(batch, onCommit), count: count) {
            onCommit?(queue.failure ?? JournalFailure(path, .writing, .closed))
        }
    }

    /// Hands over a batch and sleeps until it is written.
    func commit(_ batch: consuming JournalBatch) throws(JournalFailure) {
        let result = Mutex<JournalFailure?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let count = batch.inputs.count + batch.entries.count
        let note: @Sendable (JournalFailure?) -> Void = { failure in
            result.withLock { $0 = failure }
            isDone.signal()
        }
        guard queue.put(.batch(batch, note), count: count, isUrgent: true) else {
            throw queue.failure ?? JournalFailure(path, .writing, .closed)
        }
        isDone.wait()
        if let failure = result.withLock({ $0 }) { throw failure }
    }

    /// Why nothing is written any more; nil while all is well.
    var failure: JournalFailure? { queue.failure }

    /// Writes what waits, writes the log back, ends the epoch, and lets the next host open the journal. Call it once, last.
    func close() {
        queue.close()
        isEnded.wait()
    }

    /// The system's time in seconds since 1970.
    static let now: @Sendable () -> Double = {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// What the writer's thread does.
    private static func run(
        _ committer: JournalCommitter, _ queue: JournalQueue, _ keeper: JournalKeeper,
        _ onFailure: (JournalFailure) -> Void
    ) {
        while let works = queue.take() {
            do throws(JournalFailure) {
                if let failure = queue.failure { throw failure }
                try keeper.withoutCheckpoint { () throws(JournalFailure) in try committer.write(works) }
                tell(works, nil)
                keeper.note(logPages: committer.connection.logPages)
            } catch {
                if queue.fail(error) { onFailure(error) }
                tell(works, queue.failure)
            }
        }
        keeper.stop()
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

    /// Tells those who want to know what became of their batches.
    private static func tell(_ works: [JournalQueue.Work], _ failure: JournalFailure?) {
        for case .batch(_, let onCommit?) in works { onCommit(failure) }
    }
}
