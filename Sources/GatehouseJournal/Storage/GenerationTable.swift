// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSQLite

/// The generations of a journal; one connection's, so for one thread at a time.
struct GenerationTable {
    /// Where the table is.
    private let connection: SQLiteConnection

    /// The columns that the checksum of a record's content does not cover by itself; they are in the content too.
    private static let columns = "id, epoch, number, after, time, content"

    /// The generations of a connection.
    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Writes a record; gives its number.
    func insert(_ record: GenerationRecord) throws(SQLiteError) -> Int64 {
        let id = try last() + 1
        let statement = try connection.prepare(
            "INSERT INTO generation (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?)")
        var members: Members = [
            "id": Value(Int(id)), "epoch": Value(record.epoch), "number": Value(record.number),
            "after": .unsigned(record.after), "time": .double(record.time),
        ]
        for (key, value) in record.value.objectValue ?? Members() { members[key] = value }
        try statement.run(
            id, record.epoch, record.number, record.after, record.time,
            lending: CheckedBlob.bytes(of: .object(members)))
        return id
    }

    /// The number of the newest record; 0 where there is none.
    func last() throws(SQLiteError) -> Int64 {
        try connection.integer("SELECT coalesce(max(id), 0) FROM generation") ?? 0
    }

    /// Removes records that never reduced anything because the actions that they were to follow were lost with their host.
    func removeUnreached(after last: UInt64) throws(SQLiteError) {
        try connection.prepare("DELETE FROM generation WHERE after > ?").run(last)
    }

    /// Removes the records of generations that reduced nothing from an action on.
    ///
    /// - Parameter sequence: the oldest action that anybody may still want reduced.
    func trim(below sequence: UInt64) throws(SQLiteError) {
        try connection.prepare(
            "DELETE FROM generation WHERE id < (SELECT max(id) FROM generation WHERE after < ?)"
        ).run(sequence)
    }

    /// All records in order, and the damage of those that cannot be read.
    ///
    /// - Parameter last: the last action of the journal; records after it never came into force.
    func records(notAfter last: UInt64 = .max) throws(SQLiteError) -> (
        records: [GenerationRecord], damaged: [GenerationDamage]
    ) {
        var records: [GenerationRecord] = []
        var damaged: [GenerationDamage] = []
        // They count without gaps, and only the oldest and the newest ever go.
        var next: Int64?
        let statement = try connection.prepare("SELECT \(Self.columns) FROM generation ORDER BY id")
        try statement.forEach { row throws(SQLiteError) in
            if let next, row.integer(0) != next {
                damaged.append(GenerationDamage(id: next, reason: "it is not there"))
            }
            next = row.integer(0) + 1
            do {
                let record = try Self.record(row)
                if record.after <= last { records.append(record) }
            } catch let reason as CheckedBlob.Mistake {
                damaged.append(GenerationDamage(id: row.integer(0), reason: reason.description))
            } catch {
                damaged.append(GenerationDamage(id: row.integer(0), reason: "\(error)"))
            }
            return true
        }
        return (records, damaged)
    }

    /// The record in a row, compared with what the columns say.
    private static func record(_ row: borrowing SQLiteStatement.Row) throws -> GenerationRecord {
        let value = try CheckedBlob.value(of: row.bytes(5))
        let record = try GenerationRecord(
            id: row.integer(0), epoch: Int(JournalNumbers.clamped(row.integer(1))),
            number: Int(JournalNumbers.clamped(row.integer(2))),
            after: JournalNumbers.clamped(row.integer(3)),
            time: JournalNumbers.clamped(row.number(4)), value)
        guard value["id"]?.intValue == Int(record.id), value["epoch"]?.intValue == record.epoch,
            value["number"]?.intValue == record.number, value["after"]?.wholeNumber == record.after,
            value["time"]?.doubleValue == record.time
        else { throw CheckedBlob.Mistake(description: "its content is that of another generation") }
        return record
    }
}

/// A record of a generation that cannot be used, and why.
package struct GenerationDamage: Error, Equatable, Sendable {
    /// Its number in the journal.
    package let id: Int64
    /// What is wrong, as a part of a sentence.
    package let reason: String

    /// A record that cannot be read.
    package init(id: Int64, reason: String) {
        self.id = id
        self.reason = reason
    }
}

extension GenerationDamage: CustomStringConvertible {
    /// Which record cannot be read and why, without a full stop.
    package var description: String {
        "the record of generation \(id) of the journal cannot be read: \(reason)"
    }
}
