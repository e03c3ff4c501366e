// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSQLite

/// Removes what nobody needs any more: batches that are too old, or too many, and names of inputs that the window has passed.
///
/// Batches go from the oldest on, a few at a time, and never what the older of two good snapshots needs. The file does not
/// shrink; what is free in it is used again. Belongs to the writer's thread.
struct JournalRetention {
    /// How many bytes the file may use.
    private let bytes: Int64
    /// How long batches stay that are not needed, in seconds.
    private let age: Double
    /// How long names of inputs are known, in seconds.
    private let window: Double
    /// The oldest batch that the older of two good snapshots needs; nil while there are not two.
    private var floor: Int64?
    /// What somebody else still wants; nil for nothing.
    private var hold: Hold?
    /// How many transactions there have been since the last look.
    private var count = 0
    /// Whether there was more to do than was done at once.
    private var hasMore = true
    /// The oldest batches, looked at for their age.
    private let oldest: SQLiteStatement
    /// Removes batches below a number, and names with their times.
    private let remove, forget: SQLiteStatement

    /// So many transactions lie between two looks.
    private static let interval = 64
    /// So many batches or names go at once.
    private static let step: Int64 = 256

    /// Batches that somebody outside wants to stay.
    struct Hold {
        /// The first of them.
        let batch: Int64
        /// Called once before the first of them goes, with the last action that goes with it; nil where they must stay.
        let onRemoval: (@Sendable (UInt64) -> Void)?
        /// Whether it was called.
        var isAnnounced = false
    }

    /// Looks for the snapshots that are there.
    init(
        _ connection: SQLiteConnection, path: String, _ options: JournalWriter.Options
    ) throws(JournalFailure) {
        bytes = Int64(options.keptBytes)
        age = options.keptSeconds
        window = options.window
        (oldest, remove, forget) = try JournalFailure.told(of: path, .opening) { () throws(SQLiteError) in
            (
                try connection.prepare(
                    "SELECT id, time FROM batch WHERE id < ? ORDER BY id LIMIT \(Self.step)"),
                try connection.prepare("DELETE FROM batch WHERE id < ?"),
                try connection.prepare(
                    "DELETE FROM seen WHERE input IN (SELECT input FROM seen ORDER BY input LIMIT \(Self.step)) AND time <= ?"
                )
            )
        }
        try JournalFailure.told(of: path, .opening) { () throws(SQLiteError) in
            try look(at: SnapshotTable(connection))
        }
    }

    /// Takes note of which snapshots there are.
    mutating func look(at snapshots: SnapshotTable) throws(SQLiteError) {
        let rows = try snapshots.rows()
        floor = rows.count < 2 ? nil : rows[1].floor
        hasMore = true
    }

    /// Holds batches in the place of those that were held before.
    mutating func hold(_ hold: Hold?) {
        self.hold = hold
        hasMore = true
    }

    /// Removes a few of those that are not needed, within a transaction.
    ///
    /// - Parameter limit: the first batch that must stay whatever snapshots there are.
    mutating func trim(
        _ connection: SQLiteConnection, at time: Double, below limit: Int64
    ) throws(SQLiteError) {
        count += 1
        guard hasMore || count >= Self.interval else { return }
        count = 0
        hasMore = false
        try forget.run(time - window)
        guard let floor else { return }
        let limit = min(floor, limit)
        let isFull =
            try connection.integer(
                "SELECT (page_count - freelist_count) * page_size > \(bytes) FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
            ) == 1
        var end: Int64?
        var looked: Int64 = 0
        try oldest.forEach(limit) { row throws(SQLiteError) in
            guard isFull || row.number(1) < time - age else { return false }
            looked += 1
            end = row.integer(0) + 1
            return true
        }
        guard let end = try released(end, connection) else { return }
        try remove.run(end)
        // Generations go with their last action; the one in force at the oldest that stays does not, nor does that of a snapshot,
        // after whose action the next one may have begun.
        let first = try connection.integer(
            "SELECT min(coalesce((SELECT min(first) FROM batch), 0), coalesce((SELECT min(sequence) FROM snapshot WHERE isGood = 1), 0))"
        )
        if let first, first > 0 { try GenerationTable(connection).trim(below: UInt64(first)) }
        hasMore = looked == Self.step
    }

    /// Where the batches end that may go now; what is held goes a look after it was announced, or never.
    private mutating func released(
        _ end: Int64?, _ connection: SQLiteConnection
    ) throws(SQLiteError) -> Int64? {
        guard let end, let hold, end > hold.batch, !hold.isAnnounced else { return end }
        if let onRemoval = hold.onRemoval {
            let last = try connection.integer(
                "SELECT first + count - 1 FROM batch WHERE id < \(end) ORDER BY id DESC LIMIT 1")
            self.hold?.isAnnounced = true
            onRemoval(UInt64(bitPattern: last ?? 0))
        }
        return hold.batch
    }
}
