// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSQLite
private import Glibc

/// Changes a cluster in a file, with or without its host.
///
/// A resize is one transaction: until it ends, no member can join, and an interrupted one has changed nothing.
final class LocalMaintainer: ClusterMaintainer {
    /// The path of the file.
    private let path: String
    /// The cluster's name.
    private let name: String
    /// How long to wait for a process that writes.
    private let patience: Duration
    /// The database; nil where there is none.
    private let store: LocalStore?
    /// The new number of partitions during a resize; nil without one.
    private var resizing: Int?

    /// Opens the file, unless there is none.
    init(path: String, name: String, patience: Duration) throws(ClusterFailure) {
        self.path = path
        self.name = name
        self.patience = patience
        store = unsafe access(path, F_OK) == 0 ? try LocalStore(path: path, patience: patience) : nil
    }

    /// Returns the engine of the cluster in some number of partitions, over this connection.
    private func engine(_ store: LocalStore, _ partitions: Int) -> LocalEngine {
        LocalEngine(
            store, of: LocalCluster(path: path, name: name, partitions: partitions, patience: patience))
    }

    /// Returns the database; throws where there is none.
    private func opened() throws(ClusterFailure) -> LocalStore {
        guard let store else { throw .missing(name, at: path) }
        return store
    }

    func shape() throws(ClusterFailure) -> ClusterShape? {
        guard let store, let found = try store.shape() else { return nil }
        guard found.name == name else {
            throw LocalCluster(path: path, name: name, partitions: 1).stranger(found)
        }
        return ClusterShape(partitions: found.partitions, text: "\(found.partitions)")
    }

    func engine(of shape: ClusterShape) throws(ClusterFailure) -> any ClusterEngine {
        engine(try opened(), shape.partitions)
    }

    // MARK: - Checkpoints

    func checkpoint(of partition: Int) throws(ClusterFailure) -> (
        offset: ClusterOffset, slices: [String: [UInt8]]
    ) {
        let store = try opened()
        return try store.reading { () throws(ClusterFailure) in
            let offset = try store.first(
                "SELECT high, low, place FROM partitions WHERE number = ?", partition
            ) { $0.offset(0) }
            return (offset ?? .start, try store.slices(of: partition))
        }
    }

    func earlierCheckpoints(of partition: Int) throws(ClusterFailure) -> [ClusterOffset] {
        try opened().earlierCheckpoints(of: partition)
    }

    func earlierCheckpoint(of partition: Int, at offset: ClusterOffset) throws(ClusterFailure)
        -> [String: [UInt8]]?
    {
        try opened().earlierCheckpoint(of: partition, at: offset)
    }

    // MARK: - Dead letters

    func redispatch(_ letter: ClusterDeadLetter, to partition: Int, in shape: ClusterShape)
        throws(ClusterFailure) -> Bool
    {
        let store = try opened()
        let engine = engine(store, shape.partitions)
        return try store.writing { () throws(ClusterFailure) in
            try engine.checkShape()
            guard try drop(letter, from: store) else { return false }
            try store.append(
                [(bytes: letter.action, origin: [], count: 1, isPacked: false)], to: partition)
            return true
        }
    }

    func remove(_ letter: ClusterDeadLetter) throws(ClusterFailure) -> Bool {
        let store = try opened()
        return try store.writing { () throws(ClusterFailure) in try drop(letter, from: store) }
    }

    /// Deletes a dead letter; false when there is none.
    private func drop(_ letter: ClusterDeadLetter, from store: LocalStore) throws(ClusterFailure) -> Bool {
        let offset = "\(letter.offset)"
        let count = try store.integer(
            "SELECT count(*) FROM dead WHERE partition = ? AND offset = ?", letter.partition, offset)
        try store.run("DELETE FROM dead WHERE partition = ? AND offset = ?", letter.partition, offset)
        return count > 0
    }

    // MARK: - A halted cluster

    func missing() throws(ClusterFailure) -> [(member: String, what: String)] { [] }

    func resume(_ shape: ClusterShape) throws(ClusterFailure) {}

    // MARK: - Another number of partitions

    func beginResize(of shape: ClusterShape, to partitions: Int) throws(ClusterFailure) -> [String] {
        let store = try opened()
        abandonResize()
        do throws(ClusterFailure) {
            try store.begin()
            try engine(store, shape.partitions).checkShape()
            var live: [String] = []
            try store.forEach("SELECT name FROM members WHERE lease > ? ORDER BY name", LocalStore.now) {
                live.append($0.text(0))
                return true
            }
            if !live.isEmpty {
                store.rollBack()
                return live
            }
            for table in ["partitions", "entries", "slices"] {
                try store.copyTable(table, as: "new_" + table)
            }
        } catch {
            store.rollBack()
            throw error
        }
        resizing = partitions
        return []
    }

    func write(_ slices: [String: [UInt8]], to partition: Int) throws(ClusterFailure) {
        guard resizing != nil else { return }
        try opened().write(slices, to: partition, into: "new_")
    }

    func append(_ batch: ClusterBatch) throws(ClusterFailure) {
        guard let resizing, !batch.isEmpty else { return }
        try opened().append(ActionPacking(batch, partitions: resizing), into: "new_")
    }

    func finishResize(above epoch: Int) throws(ClusterFailure) {
        guard let resizing else { return }
        let store = try opened()
        // Whoever had a partition has it no more, whatever it is numbered now.
        let epoch = max(epoch, try store.integer("SELECT max(epoch) FROM partitions") + 1)
        for table in ["partitions", "entries", "slices"] {
            try store.execute("DELETE FROM \(table); INSERT INTO \(table) SELECT * FROM new_\(table)")
        }
        try store.execute("DELETE FROM earlier; DELETE FROM earlier_slices")
        for partition in 0..<resizing {
            try store.run(
                "INSERT INTO partitions(number, epoch) VALUES(?1, ?2) ON CONFLICT DO UPDATE SET epoch = ?2",
                partition, epoch)
        }
        try store.run("UPDATE cluster SET partitions = ?", resizing)
        try store.execute(
            "DROP TABLE new_partitions; DROP TABLE new_entries; DROP TABLE new_slices; COMMIT")
        self.resizing = nil
    }

    func abandonResize() {
        store?.rollBack()
        resizing = nil
    }
}
