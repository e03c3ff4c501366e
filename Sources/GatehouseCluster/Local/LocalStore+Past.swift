// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSQLite

// The earlier checkpoints of partitions, from which the state after each action of the history can be rebuilt.
extension LocalStore {
    /// Keeps the checkpoint of a partition that the next one replaces where that is due, and removes those that are too old; call it in a
    /// transaction.
    ///
    /// Two of them are half of the history apart at least.
    ///
    /// - Parameters:
    ///   - kept: the offset of the checkpoint.
    ///   - history: for how many milliseconds the past is kept; 0 for none.
    /// - Returns: the first entry that must stay.
    func keep(_ kept: ClusterOffset, of partition: Int, for history: Int) throws(ClusterFailure)
        -> ClusterOffset
    {
        var earlier = try earlierCheckpoints(of: partition)
        guard history > 0 else {
            for offset in earlier { try forget(offset, of: partition) }
            return kept
        }
        let now = Self.now
        if earlier.last.map({ Int($0.high) + history / 2 <= Int(kept.high) }) ?? true {
            try run(
                "INSERT INTO earlier(partition, high, low, place) VALUES(?, ?, ?, ?)", partition,
                Int(clamping: kept.high), Int(clamping: kept.low), Int(kept.place))
            try run(
                """
                INSERT INTO earlier_slices SELECT partition, ?2, ?3, ?4, name, bytes FROM slices WHERE partition = ?1
                """, partition, Int(clamping: kept.high), Int(clamping: kept.low), Int(kept.place))
            earlier.append(kept)
        }
        while earlier.count > 1, Int(earlier[1].high) <= now - history {
            try forget(earlier.removeFirst(), of: partition)
        }
        return min(kept, earlier[0], ClusterOffset(UInt64(clamping: now - history), 0))
    }

    /// Removes an earlier checkpoint.
    private func forget(_ offset: ClusterOffset, of partition: Int) throws(ClusterFailure) {
        for table in ["earlier", "earlier_slices"] {
            try run(
                "DELETE FROM \(table) WHERE partition = ? AND (high, low, place) = (?, ?, ?)", partition,
                Int(clamping: offset.high), Int(clamping: offset.low), Int(offset.place))
        }
    }

    /// Returns the offsets of the earlier checkpoints of a partition, oldest first.
    func earlierCheckpoints(of partition: Int) throws(ClusterFailure) -> [ClusterOffset] {
        var offsets: [ClusterOffset] = []
        try forEach(
            "SELECT high, low, place FROM earlier WHERE partition = ? ORDER BY high, low, place", partition
        ) {
            offsets.append($0.offset(0))
            return true
        }
        return offsets
    }

    /// Returns the slices of an earlier checkpoint; nil when it is not kept.
    func earlierCheckpoint(of partition: Int, at offset: ClusterOffset) throws(ClusterFailure) -> [String:
        [UInt8]]?
    {
        try reading { () throws(ClusterFailure) in
            guard try earlierCheckpoints(of: partition).contains(offset) else { return nil }
            var slices: [String: [UInt8]] = [:]
            try forEach(
                """
                SELECT name, bytes FROM earlier_slices WHERE partition = ? AND (high, low, place) = (?, ?, ?)
                """, partition, Int(clamping: offset.high), Int(clamping: offset.low), Int(offset.place)
            ) {
                slices[$0.text(0)] = $0.bytes(1)
                return true
            }
            return slices
        }
    }
}
