// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSQLite

/// The snapshots of a journal; one connection's, so for one thread at a time.
struct SnapshotTable {
    /// A snapshot as it is written: a blob for the whole, and one for each instance.
    struct Encoded: Sendable {
        /// Everything but the states of instances.
        let rest: [UInt8]
        /// The states of instances, by id.
        let instances: [(id: String, content: [UInt8])]

        /// Encodes a state.
        ///
        /// - Parameter generation: the number of the record of the generation that has it; 0 where none is recorded.
        init(_ content: SavedState, effects: [JournalEffect], generation: Int64) {
            let value = content.value
            var instances: [(id: String, content: [UInt8])] = []
            if case .object(let members) = value["instances"] {
                for (id, value) in members { instances.append((id, CheckedBlob.bytes(of: value))) }
            }
            let saved = Self.replacingInstances(
                of: value, by: Members(instances.map { ($0.id, Value.null) }))
            self.instances = instances
            rest = CheckedBlob.bytes(of: [
                "saved": saved, "generation": .integer(generation),
                "effects": .array(effects.map(\.value)),
            ])
        }

        /// A saved state with other instances.
        static func replacingInstances(of saved: Value, by instances: Members) -> Value {
            guard case .object(var members) = saved else { return saved }
            members["instances"] = .object(instances)
            return .object(members)
        }
    }

    /// What a row says of a snapshot.
    struct Row {
        /// Its number.
        let id: Int64
        /// The sequence of the last action that is in it.
        let sequence: UInt64
        /// The number of the opening, and of the generation in it.
        let epoch, generation: Int
        /// The first batch of which it does not know the effects.
        let batch: Int64
        /// The oldest batch that recovery from it needs.
        let floor: Int64
        /// When it was taken.
        let time: Double
        /// Everything but the states of instances.
        let rest: [UInt8]

        /// The columns as the checksum of the content covers them.
        var columns: [UInt8] {
            var bytes: [UInt8] = []
            for number in [
                UInt64(bitPattern: id), sequence, UInt64(bitPattern: Int64(epoch)),
                UInt64(bitPattern: Int64(generation)), UInt64(bitPattern: batch), UInt64(bitPattern: floor),
                time.bitPattern,
            ] { bytes.append(littleEndian: number) }
            return bytes
        }
    }

    /// Where the tables are.
    private let connection: SQLiteConnection

    /// The snapshots of a connection.
    init(_ connection: SQLiteConnection) { self.connection = connection }

    // MARK: Writing

    /// Writes the state of one instance.
    func insert(_ instance: (id: String, content: [UInt8]), of snapshot: Int64) throws(SQLiteError) {
        let statement = try connection.prepare(
            "INSERT INTO slice (snapshot, instance, content) VALUES (?, ?, ?)")
        try statement.run(
            snapshot, instance.id,
            lending: CheckedBlob.seal(instance.content, with: Self.columns(of: instance.id, of: snapshot)))
    }

    /// Writes what a snapshot is beside the states of instances; it is not good before somebody has read it.
    func insert(_ row: Row) throws(SQLiteError) {
        let statement = try connection.prepare(
            "INSERT INTO snapshot (id, sequence, epoch, generation, batch, floor, time, isGood, content) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)"
        )
        try statement.run(
            row.id, row.sequence, row.epoch, row.generation, row.batch, row.floor, row.time,
            lending: CheckedBlob.seal(row.rest, with: row.columns))
    }

    /// Calls a snapshot good, and removes all but the two newest good ones.
    func keep(_ id: Int64) throws(SQLiteError) {
        try connection.execute("UPDATE snapshot SET isGood = 1 WHERE id = \(id)")
        let older = "SELECT id FROM snapshot WHERE isGood = 1 ORDER BY id DESC LIMIT 1 OFFSET 1"
        try connection.execute(
            "DELETE FROM slice WHERE snapshot < (\(older)); DELETE FROM snapshot WHERE id < (\(older))")
    }

    /// Removes a snapshot.
    func remove(_ id: Int64) throws(SQLiteError) {
        try connection.execute(
            "DELETE FROM slice WHERE snapshot = \(id); DELETE FROM snapshot WHERE id = \(id)")
    }

    /// Removes what a host had begun to write that came to its end, and states after actions that the journal does not have: their numbers
    /// come again.
    func removeUnfinished(after last: UInt64) throws(SQLiteError) {
        try connection.execute(
            "DELETE FROM snapshot WHERE isGood = 0 OR sequence > \(last); DELETE FROM slice WHERE snapshot NOT IN (SELECT id FROM snapshot)"
        )
    }

    /// The number of the next snapshot.
    func next() throws(SQLiteError) -> Int64 {
        (try connection.integer(
            "SELECT max(coalesce((SELECT max(id) FROM snapshot), 0), coalesce((SELECT max(snapshot) FROM slice), 0))"
        ) ?? 0) + 1
    }

    /// The columns of an instance's state as the checksum of the state covers them.
    private static func columns(of instance: String, of snapshot: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt64(bitPattern: snapshot))
        return bytes + instance.utf8
    }

    // MARK: Reading

    /// The rows of the good ones, the newest first; of all where it is said so.
    func rows(isGood: Bool = true) throws(SQLiteError) -> [Row] {
        var rows: [Row] = []
        try connection.prepare(
            "SELECT id, sequence, epoch, generation, batch, floor, time, content FROM snapshot \(isGood ? "WHERE isGood = 1 " : "")ORDER BY id DESC"
        ).forEach { row throws(SQLiteError) in
            rows.append(
                Row(
                    id: row.integer(0), sequence: JournalNumbers.clamped(row.integer(1)),
                    epoch: Int(JournalNumbers.clamped(row.integer(2))),
                    generation: Int(JournalNumbers.clamped(row.integer(3))),
                    batch: Int64(JournalNumbers.clamped(row.integer(4))),
                    floor: Int64(JournalNumbers.clamped(row.integer(5))),
                    time: JournalNumbers.clamped(row.number(6)), rest: row.bytes(7)))
            return true
        }
        return rows
    }

    /// The snapshot of a row, with the states of its instances, all of them verified.
    ///
    /// - Throws: `SnapshotDamage`, or `SQLiteError` where SQLite cannot go on for another reason.
    func snapshot(_ row: Row) throws -> StoredSnapshot {
        let instances: [String: [UInt8]]
        do throws(SQLiteError) {
            instances = try self.instances(of: row.id)
        } catch {
            guard error.isDamage else { throw error }
            throw SnapshotDamage(
                sequence: row.sequence, instances: [], reason: "SQLite says: \(error.message)")
        }
        let (saved, record) = try Self.content(of: row, instances)
        return StoredSnapshot(
            id: row.id, sequence: row.sequence, epoch: row.epoch, generation: row.generation, time: row.time,
            record: record, content: saved)
    }

    /// What was running at the newest good snapshot that can tell it, and the first batch of which that does not know the effects; nil where
    /// none can. The states of its instances, which may be large, or damaged, do not matter.
    func newestEffects() throws(SQLiteError) -> (effects: [JournalEffect], batch: Int64)? {
        for row in try rows() {
            guard let rest = try? CheckedBlob.value(of: row.rest, with: row.columns) else { continue }
            guard case .array(let effects) = rest["effects"] else { return ([], row.batch) }
            return (effects.compactMap(JournalEffect.init), row.batch)
        }
        return nil
    }

    /// The states of a snapshot's instances, by id.
    private func instances(of snapshot: Int64) throws(SQLiteError) -> [String: [UInt8]] {
        var instances: [String: [UInt8]] = [:]
        let statement = try connection.prepare("SELECT instance, content FROM slice WHERE snapshot = ?")
        try statement.forEach(snapshot) { row throws(SQLiteError) in
            instances[row.text(0)] = row.bytes(1)
            return true
        }
        return instances
    }

    /// Puts the parts of a snapshot together.
    private static func content(
        of row: Row, _ instances: [String: [UInt8]]
    ) throws(SnapshotDamage) -> (SavedState, record: Int64) {
        func damage(_ reason: String) -> SnapshotDamage {
            SnapshotDamage(sequence: row.sequence, instances: [], reason: reason)
        }
        let rest: Value
        do { rest = try CheckedBlob.value(of: row.rest, with: row.columns) } catch {
            throw damage("\(error)")
        }
        guard let saved = rest["saved"], case .object(let members) = saved["instances"] else {
            throw damage("it has no instances")
        }
        var complete = Members()
        var damaged: [String: String] = [:]
        for (id, _) in members {
            guard let bytes = instances[id] else {
                damaged[id] = "it is not there"
                continue
            }
            do { complete[id] = try CheckedBlob.value(of: bytes, with: columns(of: id, of: row.id)) } catch {
                damaged[id] = "\(error)"
            }
        }
        let names = damaged.keys.sorted()
        if let first = names.first, let reason = damaged[first] {
            throw SnapshotDamage(sequence: row.sequence, instances: names, reason: reason)
        }
        do {
            return (
                try SavedState(Encoded.replacingInstances(of: saved, by: complete)),
                rest["generation"]?.intValue.map(Int64.init) ?? 0
            )
        } catch {
            throw damage("\(error)")
        }
    }
}
