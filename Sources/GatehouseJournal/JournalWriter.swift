// SPDX-License-Identifier: Apache-2.0

private import Dispatch
package import GatehousePlan
internal import GatehouseSQLite
package import GatehouseSupport
private import Glibc
private import Synchronization

/// Writes a journal: the only one that does. Callable from any thread.
///
/// One thread writes what is submitted, in the order of the calls, in one transaction for all that waits when it is free. After
/// a failure nothing is written any more and nothing is tried again: what is submitted then fails with the same reason.
/// Dropped without `close`, it writes what waits and ends the epoch in no order.
package final class JournalWriter: Sendable {
    /// What can be chosen.
    package struct Options: Sendable {
        /// When what was accepted is on the disk.
        package var mode = JournalMode.strict
        /// What the epoch remembers about the host.
        package var host = "gatehouse"
        /// How long the name that its writer gives an input is known, in seconds; 0 for not at all.
        package var window: Double = 600
        /// How many bytes the file may use before what is not needed goes.
        package var keptBytes = 1 << 30
        /// How long actions stay that are not needed, in seconds.
        package var keptSeconds: Double = 7 * 86_400
        /// The time in seconds since 1970.
        package var clock: @Sendable () -> Double = JournalWriter.now
        /// Whether to continue where something is gone that was promised.
        package var acceptsLoss = false
        /// The name of SQLite's way to the system; nil for the usual one.
        package var system: String?
        /// Writes the promise beside the journal.
        package var disk = DiskCalls.system
        /// Names a journal that is made.
        package var newName: @Sendable () -> String = {
            String(UInt32.random(in: 0...UInt32.max), radix: 16)
        }
        /// The number of the first action of a journal that has none.
        package var firstAction: UInt64 = 1
        /// So many pages of the log are written back at once.
        package var usualPages = JournalMaintainer.usualPages
        /// The time by which the writer waits for more in relaxed mode.
        package var instant: @Sendable () -> ContinuousClock.Instant = { .now }
        /// Told once, on one of the journal's threads, when nothing is written any more.
        package var onFailure: @Sendable (JournalFailure) -> Void = { _ in }
        /// Told what an operator should know and the journal survives, on one of its threads.
        package var onDiagnostic: @Sendable (Diagnostic) -> Void = { _ in }

        /// What is chosen where nobody chooses.
        package init(
            mode: JournalMode = .strict, onFailure: @escaping @Sendable (JournalFailure) -> Void = { _ in }
        ) {
            self.mode = mode
            self.onFailure = onFailure
        }

        /// What a configuration says.
        package init(_ configuration: JournalConfiguration) {
            mode = configuration.mode
            window = Double(configuration.deduplicate)
            keptBytes = configuration.keep.megabytes << 20
            keptSeconds = Double(configuration.keep.days) * 86_400
        }
    }

    /// The path of the file.
    package let path: String
    /// The number of this opening.
    package let epoch: Int
    /// What inputs and effects of this journal can be named by; stays the same as long as its file is there.
    package let name: String
    /// Where the journal ended when it was opened.
    package let start: JournalPosition
    /// What was chosen.
    private let options: Options
    /// The memory of what is written, for whoever fills batches.
    package let buffers: JournalBuffers
    /// What waits for the thread.
    private let queue: JournalQueue
    /// Has parts of a snapshot's way done beside the writer.
    private let beside: JournalTurns.Beside
    /// Signalled when the thread has ended.
    private let isEnded = DispatchSemaphore(value: 0)

    /// Opens the journal in a folder, which is made if its own folder is there, and begins an epoch.
    ///
    /// - Throws: why it cannot be written, or who else does.
    package convenience init(folder: String, _ options: Options = Options()) throws(JournalFailure) {
        let turns = try JournalTurns(folder: folder, options)
        self.init(turns, options) { BackgroundThread.start($0) }
        let refusal = JournalFailure(path, .opening, .system(call: "pthread_create", code: EAGAIN))
        guard turns.maintainer.start() else { throw refusal }
        let isStarted = BackgroundThread.start { [isEnded] in
            while let works = turns.queue.take() { turns.write(consume works) }
            turns.maintainer.stop()
            turns.finish()
            isEnded.signal()
        }
        guard isStarted else {
            turns.maintainer.stop()
            throw refusal
        }
    }

    /// Writes an open journal without threads: what is submitted is written when somebody takes its turns, who also ends it, by
    /// `JournalTurns.close`; `commit` and `close` would sleep for ever.
    package convenience init(_ turns: JournalTurns, _ options: Options) {
        self.init(turns, options) { turns.keep($0) }
    }

    /// Hands over to the turns of an open journal.
    private init(_ turns: JournalTurns, _ options: Options, beside: @escaping JournalTurns.Beside) {
        path = turns.committer.path
        epoch = turns.committer.epoch
        name = turns.committer.name
        start = turns.start
        buffers = turns.buffers
        queue = turns.queue
        self.options = options
        self.beside = beside
    }

    deinit { queue.close() }

    /// Hands over a batch to be written; the calls' order is the order in the journal.
    ///
    /// Sleeps while more than 65,536 inputs and actions wait.
    ///
    /// - Parameter onCommit: called on the writer's thread, with nil when the batch is as safe as the mode promises; must not wait for
    ///   the journal.
    package func submit(
        _ batch: consuming JournalBatch, _ onCommit: (@Sendable (JournalFailure?) -> Void)? = nil
    ) {
        let count = batch.inputs.count + batch.entries.count
        if !queue.put(.batch(batch, onCommit), count: count) {
            onCommit?(queue.failure ?? JournalFailure(path, .writing, .closed))
        }
    }

    /// Hands over a batch and sleeps until it is written.
    package func commit(_ batch: consuming JournalBatch) throws(JournalFailure) {
        let note = WaitingNote<JournalFailure?>()
        let count = batch.inputs.count + batch.entries.count
        guard queue.put(.batch(batch, { note.tell($0) }), count: count, isUrgent: true) else {
            throw queue.failure ?? JournalFailure(path, .writing, .closed)
        }
        if let failure = note.wait() { throw failure }
    }

    /// Writes a snapshot, which belongs after the batches that were submitted before; returns at once.
    ///
    /// What becomes of it is not waited for, except by `close`. A snapshot that comes to nothing is told by `onDiagnostic`.
    package func write(_ snapshot: JournalSnapshot) {
        guard queue.hold() else { return }
        let writing = SnapshotWriting(
            snapshot, queue, path: path, system: options.system, beside: beside,
            onDiagnostic: options.onDiagnostic)
        let queue = queue
        let begun = Mutex<SnapshotWriting.Mark?>(nil)
        _ = queue.put(
            .other(
                { committer throws(JournalFailure) in
                    let mark = try committer.mark()
                    begun.withLock { $0 = mark }
                },
                { failure in
                    if failure == nil, let mark = begun.withLock({ $0 }) {
                        writing.begin(mark)
                    } else {
                        queue.release()
                    }
                }), count: 0, isHeld: true)
    }

    /// Writes down a generation that reduces what is submitted from here on.
    ///
    /// - Parameter record: makes the record of a generation that begins in an epoch at a time, and says what an operator should know;
    ///   called once, on the writer's thread.
    package func begin(
        _ record:
            @escaping @Sendable (_ epoch: Int, _ time: Double, _ onDiagnostic: (Diagnostic) -> Void) ->
            GenerationRecord
    ) {
        let onDiagnostic = options.onDiagnostic
        _ = queue.put(
            .other(
                { committer throws(JournalFailure) in
                    try committer.insert(record(committer.epoch, committer.clock(), onDiagnostic))
                }, nil), count: 0)
    }

    /// Calls a closure on the writer's thread after what was submitted before; returns at once.
    ///
    /// What is submitted later stands in other rows, with the time that the clock then tells: of use to who sets that clock.
    package func between(_ body: @escaping @Sendable () -> Void) {
        _ = queue.put(.other({ _ in body() }, nil), count: 0)
    }

    /// Keeps the actions from a sequence on, which the journal would remove one day; returns at once.
    ///
    /// A later call takes the place of this one, and no journal remembers it.
    ///
    /// - Parameters:
    ///   - sequence: the first action that is wanted; nil for none.
    ///   - onRemoval: called once on the writer's thread before the first of them goes, with the last action that goes with it; nil
    ///     where they must stay, however large the journal becomes.
    package func hold(from sequence: UInt64?, onRemoval: (@Sendable (UInt64) -> Void)? = nil) {
        _ = queue.put(
            .other(
                { committer throws(JournalFailure) in try committer.hold(from: sequence, onRemoval) }, nil),
            count: 0)
    }

    /// What writers have called their inputs lately. Ask once, before the first input.
    package func ids() throws(JournalFailure) -> JournalIDs {
        let reader = try JournalReader(
            JournalSchema.openForReading(path, system: options.system), path: path)
        let (known, words) = try reader.names(after: options.clock() - options.window)
        if let words {
            let failure = JournalFailure(path, .reading, .damagedNames(words))
            guard options.acceptsLoss else { throw failure }
            options.onDiagnostic(
                Diagnostic(
                    .warning, "\(path): \(words); actions with such names may be accepted a second time"))
        }
        return JournalIDs(known, window: options.window, clock: options.clock)
    }

    /// How many bytes the file and its log have.
    package var bytes: Int {
        [path, path + "-wal"].reduce(0) { $0 + Int(SystemFile.status($1)?.st_size ?? 0) }
    }

    /// Why nothing is written any more; nil while all is well.
    package var failure: JournalFailure? { queue.failure }

    /// Writes what waits, writes the log back, ends the epoch, and lets the next host open the journal. Call it once, last.
    package func close() {
        queue.close()
        isEnded.wait()
    }

    /// The system's time in seconds since 1970.
    package static let now: @Sendable () -> Double = {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension JournalWriter: DeadLetterStore {
    package func bury(_ letter: DeadLetter) {
        put { committer throws(SQLiteError) in try DeadLetterTable(committer.connection).insert(letter) }
    }

    package func remove(deadLetters ids: [Int64]) {
        put { committer throws(SQLiteError) in try DeadLetterTable(committer.connection).remove(ids) }
    }

    /// Has something else written after what waits.
    private func put(_ body: @escaping @Sendable (JournalCommitter) throws(SQLiteError) -> Void) {
        _ = queue.put(
            .other(
                { committer throws(JournalFailure) in
                    try committer.told { () throws(SQLiteError) in try body(committer) }
                }, nil), count: 0)
    }
}
