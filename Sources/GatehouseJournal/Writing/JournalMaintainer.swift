// SPDX-License-Identifier: Apache-2.0

private import Dispatch
internal import GatehouseSQLite
internal import GatehouseSupport
private import Synchronization

/// Writes a journal's log back to its file on a thread of its own, and in relaxed mode sees to it that the log is on the disk in time.
///
/// Callable from any thread.
///
/// `@unchecked Sendable`: the connection is used by the keeper's thread alone, from `start` to `stop`; `onFailure` is set before `start`.
package final class JournalMaintainer: @unchecked Sendable {
    /// What the lock guards.
    private struct State {
        /// How many pages the log holds.
        var logPages: Int32 = 0
        /// Whether something was written that need not be on the disk yet.
        var isUnsynced = false
        /// How far the journal goes with that.
        var extent = JournalExtent()
        /// Whether the thread is to end.
        var isStopping = false
        /// Whether the thread sleeps.
        var isAsleep = false
    }

    /// So many pages of 4 KB are written back at once, where nobody says otherwise.
    package static let usualPages: Int32 = 1_024
    /// So many pages make the writer wait until they are written back.
    static let manyPages: Int32 = 8_192
    /// So many pages make the log's file be cut off then.
    static let tooManyPages: Int32 = 32_768

    /// The path of the file.
    private let path: String
    /// The keeper's own connection.
    private let connection: SQLiteConnection
    /// Whether each transaction is on the disk when it has ended.
    private let isStrict: Bool
    /// Promises what is on the disk.
    private let safety: JournalSafety
    /// So many pages are written back at once.
    private let usualPages: Int32
    /// What is to be done.
    private let state = Mutex(State())
    /// The thread sleeps on it.
    private let work = DispatchSemaphore(value: 0)
    /// Signalled when the thread has ended.
    private let isEnded = DispatchSemaphore(value: 0)
    /// Held by who writes, and by who wants nobody to.
    private let turn = Mutex(())
    /// Told when the file or its log cannot be written to.
    var onFailure: (JournalFailure) -> Void = { _ in }

    /// Opens a connection of its own.
    init(
        path: String, isStrict: Bool, _ safety: JournalSafety, system: String?,
        usualPages: Int32 = JournalMaintainer.usualPages
    ) throws(JournalFailure) {
        self.path = path
        self.safety = safety
        self.usualPages = usualPages
        self.isStrict = isStrict
        connection = try JournalSchema.openForWriting(path, isStrict: true, system: system)
        try JournalFailure.told(of: path, .opening) { () throws(SQLiteError) in
            // Opens the log, which the thread syncs.
            _ = try connection.integer("SELECT count(*) FROM epoch")
        }
    }

    /// Starts the thread; false when the system refuses one.
    func start() -> Bool { BackgroundThread.start { [self] in run() } }

    /// Lets the thread end, and waits for it.
    func stop() {
        expectEnd()
        isEnded.wait()
    }

    /// Lets the turn after the next sync be the last one.
    func expectEnd() {
        let isAsleep = state.withLock { state in
            state.isStopping = true
            return state.isAsleep
        }
        if isAsleep { work.signal() }
    }

    /// Calls a closure while the log is not written back for good.
    func withoutCheckpoint(_ body: () throws(JournalFailure) -> Void) throws(JournalFailure) {
        try turn.withLock { _ throws(JournalFailure) in try body() }
    }

    /// Takes note of a transaction that has ended.
    func note(logPages: Int32, _ extent: JournalExtent) {
        let wakes = state.withLock { state in
            state.logPages = logPages
            state.extent = extent
            if !isStrict { state.isUnsynced = true }
            guard state.isAsleep, logPages >= usualPages || state.isUnsynced else { return false }
            state.isAsleep = false
            return true
        }
        if wakes { work.signal() }
    }

    /// What comes after a turn.
    enum Turn {
        /// Another one.
        case again
        /// Another one, when something was noted.
        case later
        /// None.
        case end
    }

    /// What the thread does.
    private func run() {
        defer { isEnded.signal() }
        while true {
            switch takeTurn() {
            case .again: continue
            case .later: work.wait()
            case .end: return
            }
        }
    }

    /// Syncs what was written and need not be on the disk yet, and writes the log back where it is long. After a failure, which it
    /// tells, there is nothing more to do.
    func takeTurn() -> Turn {
        let (pages, isUnsynced, extent, isStopping) = state.withLock { state in
            let isIdle = state.logPages < usualPages && !state.isUnsynced
            state.isAsleep = isIdle && !state.isStopping
            defer { state.isUnsynced = false }
            return (state.logPages, state.isUnsynced, state.extent, state.isStopping)
        }
        do throws(JournalFailure) {
            if isUnsynced {
                try told { () throws(SQLiteError) in try connection.syncLog() }
                try safety.synced(extent)
            }
            if isStopping { return .end }
            guard pages >= usualPages else { return isUnsynced ? .again : .later }
            try told { () throws(SQLiteError) in try writeBack(pages) }
            return .again
        } catch {
            onFailure(error)
            return .end
        }
    }

    /// Calls SQLite, and tells its errors as those of writing.
    private func told(_ body: () throws(SQLiteError) -> Void) throws(JournalFailure) {
        do throws(SQLiteError) {
            try body()
        } catch {
            throw JournalFailure(path, .writing, .database(error))
        }
    }

    /// Writes back what the log holds; when that is much, until there is nothing left.
    private func writeBack(_ pages: Int32) throws(SQLiteError) {
        defer { state.withLock { $0.logPages = 0 } }
        try connection.checkpoint(isTruncating: false)
        guard pages >= Self.manyPages else { return }
        try turn.withLock { _ throws(SQLiteError) in
            _ = try connection.checkpoint(isTruncating: pages >= Self.tooManyPages)
        }
    }
}
