// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSQLite

/// Partitions in an SQLite database: rows for the entries of each, for its slices, and for its title.
final class LocalEngine: ClusterEngine {
    /// The most bytes that one call of `read` copies, unless one entry of a partition has more.
    private static let mostBytes = 4 << 20

    /// The database.
    let store: LocalStore
    /// The connected cluster.
    let cluster: LocalCluster
    /// The id as a reader; nil before it is needed.
    private var id: Int?

    /// Creates the engine of a cluster over a database.
    init(_ store: LocalStore, of cluster: LocalCluster) {
        self.store = store
        self.cluster = cluster
    }

    /// Ends a call unless the database has the cluster in this shape.
    func checkShape() throws(ClusterFailure) {
        let found = try store.shape()
        guard let found, found == (cluster.name, cluster.partitions) else { throw cluster.stranger(found) }
    }

    /// Returns the title of a partition.
    func title(_ partition: Int) throws(ClusterFailure) -> ClusterRoll.Title {
        try store.first("SELECT owner, epoch FROM partitions WHERE number = ?", partition) { $0.title(0) }
            ?? .init()
    }

    // MARK: - Actions

    func append(_ batch: ClusterBatch) throws(ClusterFailure) {
        guard !batch.isEmpty else { return }
        let packing = ActionPacking(batch, partitions: cluster.partitions)
        try cluster.writing(store) { () throws(ClusterFailure) in
            try checkShape()
            try store.append(packing)
        }
        cluster.wake(readersOf: packing.streams.map(\.partition))
    }

    func read(
        _ offsets: [(partition: Int, offset: ClusterOffset)], atMost count: Int, waiting: Duration,
        _ body: (Int, borrowing ClusterEntry) -> Void
    ) throws(ClusterFailure) {
        guard !offsets.isEmpty else { return }
        var entries: [LocalEntry] = []
        func look() throws(ClusterFailure) -> Bool {
            entries = try cluster.reading(store) { () throws(ClusterFailure) in
                try store.entries(after: offsets, atMost: count, Self.mostBytes / offsets.count)
            }
            return !entries.isEmpty
        }
        if waiting > .zero {
            try cluster.sleep(
                as: reader(), over: Set(offsets.map(\.partition)), atMost: waiting, look)
        } else {
            _ = try look()
        }
        // Nothing is held while actions are processed.
        var (partition, left) = (-1, 0)
        for entry in entries {
            if entry.partition != partition { (partition, left) = (entry.partition, count) }
            entry.show(atMost: &left, body)
        }
    }

    func reader() -> Int {
        if let id { return id }
        let made = cluster.makeReader()
        id = made
        return made
    }

    func wake(_ reader: Int) throws(ClusterFailure) -> Bool { cluster.wake(reader) }

    // MARK: - Partitions

    func checkpoint(_ checkpoints: [ClusterCheckpoint]) throws(ClusterFailure) -> [ClusterRoll.Title?] {
        guard !checkpoints.isEmpty else { return [] }
        let outputs = checkpoints.map { $0.packedOutputs(among: cluster.partitions) }
        let answer = try cluster.writing(store) { () throws(ClusterFailure) in
            var titles: [ClusterRoll.Title?] = []
            var objection: ClusterFailure?
            for (checkpoint, outputs) in zip(checkpoints, outputs) {
                let row = try store.first(
                    "SELECT owner, epoch, checkpoint, high, low, place FROM partitions WHERE number = ?",
                    checkpoint.partition
                ) {
                    (title: $0.title(0), number: Int($0.integer(2)), kept: $0.offset(3))
                }
                guard let row, row.title == .init(owner: checkpoint.member, epoch: checkpoint.epoch) else {
                    titles.append(row?.title ?? .init())
                    continue
                }
                titles.append(nil)
                // Nothing of it is written yet, and the others are.
                if let reason = try write(checkpoint, outputs, after: row.number, at: row.kept) {
                    objection = objection ?? reason
                }
            }
            return (titles: titles, objection: objection)
        }
        cluster.wake(readersOf: outputs.flatMap { $0.streams.map(\.partition) })
        if let objection = answer.objection { throw objection }
        return answer.titles
    }

    /// Writes a checkpoint of an owner; returns why not.
    ///
    /// - Parameters:
    ///   - number: the number of the partition's last checkpoint.
    ///   - kept: the offset of that.
    private func write(
        _ checkpoint: ClusterCheckpoint, _ outputs: ActionPacking, after number: Int, at kept: ClusterOffset
    ) throws(ClusterFailure) -> ClusterFailure? {
        let partition = checkpoint.partition
        if checkpoint.number > 0 {
            if checkpoint.number == number { return nil }
            if checkpoint.number < number { return .behind(kept) }
        }
        if kept < checkpoint.base {
            return .goneBack(
                "\(store.place) had confirmed a checkpoint of partition \(partition) at \(checkpoint.base), and has one at \(kept) now: it was exchanged for another copy; restore the newest one, and start again"
            )
        }
        let offset = checkpoint.offset
        if kept != offset {
            if offset < kept { return .behind(kept) }
            // Actions that were appended by hand were never counted.
            try store.run(
                """
                UPDATE partitions SET processed = processed + ?2, added = max(added, processed + ?2) WHERE number = ?1
                """, partition, checkpoint.processed)
            let end = try store.keep(kept, of: partition, for: Int(cluster.history / .milliseconds(1)))
            try store.run(
                "DELETE FROM entries WHERE partition = ? AND (high, low) < (?, ?)", partition,
                Int(clamping: end.high), Int(clamping: end.low))
        }
        try store.run(
            """
            UPDATE partitions SET high = ?2, low = ?3, place = ?4, time = ?5, checkpoint = ?6, grants = 0, tried = '', tries = 0
            WHERE number = ?1
            """, partition, Int(clamping: offset.high), Int(clamping: offset.low), Int(offset.place),
            LocalStore.now, checkpoint.number)
        try store.write(checkpoint.slices, to: partition)
        for name in checkpoint.gone {
            try store.run("DELETE FROM slices WHERE partition = ? AND name = ?", partition, name)
        }
        for letter in checkpoint.dead {
            try store.run(
                "INSERT INTO dead(partition, offset, origin, action, reason, member, time) VALUES(?, ?, ?, ?, ?, ?, ?)",
                letter.partition, "\(letter.offset)", letter.origin?.description ?? "", letter.action,
                letter.reason, letter.member, letter.time)
        }
        try store.append(outputs)
        return nil
    }

    func acquire(_ partition: Int, for member: String, after epoch: Int) throws(ClusterFailure)
        -> ClusterAcquisition
    {
        try cluster.writing(store) { () throws(ClusterFailure) in
            try checkLife(of: member, cluster.life(of: member) ?? "")
            let now = LocalStore.now
            func isLive(_ member: String) throws(ClusterFailure) -> Bool {
                try store.integer("SELECT lease FROM members WHERE name = ?", member) > now
            }
            let title = try title(partition)
            guard title.epoch == epoch, try isLive(member) else { return .refused(title) }
            if let owner = title.owner, owner != member, try isLive(owner) { return .refused(title) }
            try store.run(
                "INSERT INTO partitions(number) VALUES(?) ON CONFLICT DO NOTHING", partition)
            try store.run(
                "UPDATE partitions SET owner = ?2, epoch = ?3, grants = grants + 1, checkpoint = 0 WHERE number = ?1",
                partition, member, epoch + 1)
            let (offset, grants) =
                try store.first("SELECT high, low, place, grants FROM partitions WHERE number = ?", partition)
            {
                ($0.offset(0), Int($0.integer(3)))
            } ?? (.start, 1)
            return .granted(
                epoch: epoch + 1, offset: offset, slices: try store.slices(of: partition), attempts: grants)
        }
    }

    func release(_ partition: Int, of member: String, epoch: Int) throws(ClusterFailure) {
        try cluster.writing(store) { () throws(ClusterFailure) in
            try store.run(
                "UPDATE partitions SET owner = '', grants = 0 WHERE number = ? AND owner = ? AND epoch = ?",
                partition, member, epoch)
        }
    }

    func attempt(_ partition: Int, at offset: ClusterOffset, of member: String, epoch: Int)
        throws(ClusterFailure) -> Int?
    {
        try cluster.writing(store) { () throws(ClusterFailure) in
            guard try title(partition) == .init(owner: member, epoch: epoch) else { return nil }
            try store.run(
                "UPDATE partitions SET tries = CASE WHEN tried = ?2 THEN tries + 1 ELSE 1 END, tried = ?2 WHERE number = ?1",
                partition, "\(offset)")
            return try store.integer("SELECT tries FROM partitions WHERE number = ?", partition)
        }
    }
}
