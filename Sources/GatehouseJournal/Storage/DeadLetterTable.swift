// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSQLite

/// The dead letters of a journal; one connection's, so for one thread at a time.
struct DeadLetterTable {
    /// Where the table is.
    private let connection: SQLiteConnection

    /// The letters of a connection.
    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Writes a letter, which has its number.
    func insert(_ letter: DeadLetter) throws(SQLiteError) {
        guard let value = try? Value(encoding: letter) else { return }
        try connection.prepare("INSERT OR REPLACE INTO dead (id, content) VALUES (?, ?)").run(
            letter.id,
            lending: CheckedBlob.seal(CheckedBlob.bytes(of: value), with: Self.columns(of: letter.id)))
    }

    /// The number of a letter as the checksum of its content covers it.
    private static func columns(of id: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt64(bitPattern: id))
        return bytes
    }

    /// Removes letters.
    func remove(_ ids: [Int64]) throws(SQLiteError) {
        let statement = try connection.prepare("DELETE FROM dead WHERE id = ?")
        for id in ids { try statement.run(id) }
    }

    /// All letters in order of their numbers, without those that are damaged, and the numbers of these.
    func letters() throws(SQLiteError) -> (letters: [DeadLetter], damaged: [Int64]) {
        var letters: [DeadLetter] = []
        var damaged: [Int64] = []
        try connection.prepare("SELECT id, content FROM dead ORDER BY id").forEach {
            row throws(SQLiteError) in
            do {
                let value = try CheckedBlob.value(of: row.bytes(1), with: Self.columns(of: row.integer(0)))
                var letter = try value.decode(DeadLetter.self)
                letter.id = row.integer(0)
                letters.append(letter)
            } catch {
                damaged.append(row.integer(0))
            }
            return true
        }
        return (letters, damaged)
    }
}
