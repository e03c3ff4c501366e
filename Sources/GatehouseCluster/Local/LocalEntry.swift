// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSQLite

/// An entry of a partition: one action, or several that were appended together.
struct LocalEntry: Sendable {
    /// The partition.
    let partition: Int
    /// Its place among the entries of the partition.
    let offset: ClusterOffset
    /// The offset after which it is read, which may be in its middle.
    let asked: ClusterOffset
    /// Whether it has several actions.
    let isPacked: Bool
    /// The origin of one action, or the writer of several.
    let origin: [UInt8]
    /// The bytes, see ``ActionPacking``.
    let bytes: [UInt8]

    /// Passes on its actions after the offset.
    ///
    /// - Parameter count: the most that are passed on; less by those that were.
    func show(atMost count: inout Int, _ body: (Int, borrowing ClusterEntry) -> Void) {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe origin.withUnsafeBytes { origin in
                guard isPacked else {
                    guard count > 0 else { return }
                    count -= 1
                    return unsafe body(
                        partition,
                        ClusterEntry(offset: offset, origin: ClusterOrigin(bytes: origin), action: bytes))
                }
                var packed = unsafe PackedActions(bytes, by: origin)
                var offset = offset
                while count > 0, let next = unsafe packed.next() {
                    offset.place = unsafe next.place
                    if offset <= asked { continue }
                    count -= 1
                    unsafe body(
                        partition, ClusterEntry(offset: offset, origin: next.origin, action: next.action))
                }
            }
        }
    }
}

// How entries and slices are stored.
extension LocalStore {
    /// Appends entries to their partitions, after all others; call it in a transaction.
    ///
    /// - Parameter prefix: what the names of the tables begin with.
    func append(_ packing: ActionPacking, into prefix: String = "") throws(ClusterFailure) {
        for stream in packing.streams {
            try append(packing.entries(of: stream), to: stream.partition, into: prefix)
        }
    }

    /// Appends entries to a partition.
    func append(_ entries: [ActionPacking.Entry], to partition: Int, into prefix: String = "")
        throws(ClusterFailure)
    {
        let now = Self.now
        var (high, low) =
            try first("SELECT last_high, last_low FROM \(prefix)partitions WHERE number = ?", partition) {
                (Int($0.integer(0)), Int($0.integer(1)))
            } ?? (0, 0)
        for entry in entries {
            // Time stands still where the clock was set back.
            (high, low) = now > high ? (now, 0) : (high, low + 1)
            try run(
                "INSERT INTO \(prefix)entries(partition, high, low, packed, origin, bytes) VALUES(?, ?, ?, ?, ?, ?)",
                partition, high, low, entry.isPacked ? 1 : 0, entry.origin, entry.bytes)
        }
        try run(
            """
            INSERT INTO \(prefix)partitions(number, last_high, last_low, added) VALUES(?1, ?2, ?3, ?4)
            ON CONFLICT DO UPDATE SET last_high = ?2, last_low = ?3, added = added + ?4
            """, partition, high, low, entries.reduce(0) { $0 + $1.count })
    }

    /// Returns the entries after an offset each, partition by partition.
    ///
    /// - Parameters:
    ///   - count: the most of a partition.
    ///   - bytes: after how many bytes of a partition no more entries are returned.
    func entries(
        after offsets: [(partition: Int, offset: ClusterOffset)], atMost count: Int, _ bytes: Int
    ) throws(ClusterFailure) -> [LocalEntry] {
        var entries: [LocalEntry] = []
        for (partition, asked) in offsets {
            var size = 0
            // In the middle of an entry this one is read again.
            try forEach(
                asked.place == ClusterOffset.whole ? Self.entriesAfter : Self.entriesFrom, partition,
                Int(clamping: asked.high), Int(clamping: asked.low), count
            ) { row in
                guard size < bytes else { return false }
                let offset = ClusterOffset(
                    UInt64(clamping: row.integer(0)), UInt64(clamping: row.integer(1)))
                let entry = LocalEntry(
                    partition: partition, offset: offset, asked: asked, isPacked: row.integer(2) != 0,
                    origin: row.bytes(3), bytes: row.bytes(4))
                size += entry.bytes.count
                entries.append(entry)
                return true
            }
        }
        return entries
    }

    /// Reads entries of a partition after a place.
    private static let entriesAfter = """
        SELECT high, low, packed, origin, bytes FROM entries
        WHERE partition = ? AND (high, low) > (?, ?) ORDER BY high, low LIMIT ?
        """
    /// Reads entries of a partition from a place on.
    private static let entriesFrom = """
        SELECT high, low, packed, origin, bytes FROM entries
        WHERE partition = ? AND (high, low) >= (?, ?) ORDER BY high, low LIMIT ?
        """

    /// Returns the slices of a partition, by name.
    func slices(of partition: Int) throws(ClusterFailure) -> [String: [UInt8]] {
        var slices: [String: [UInt8]] = [:]
        try forEach("SELECT name, bytes FROM slices WHERE partition = ?", partition) { row in
            slices[row.text(0)] = row.bytes(1)
            return true
        }
        return slices
    }

    /// Writes slices of a partition in the place of those of their names.
    func write(_ slices: [String: [UInt8]], to partition: Int, into prefix: String = "")
        throws(ClusterFailure)
    {
        for (name, bytes) in slices {
            try run(
                "INSERT INTO \(prefix)slices(partition, name, bytes) VALUES(?1, ?2, ?3) ON CONFLICT DO UPDATE SET bytes = ?3",
                partition, name, bytes)
        }
    }
}
