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
        var members: Members = [
            "time": .double(letter.time), "kind": .string(letter.kind.rawValue),
            "reason": .string(letter.reason), "type": .string(letter.type), "file": .string(letter.file),
            "line": .unsigned(UInt64(letter.line)),
            "action": .string(String(decoding: letter.action, as: UTF8.self)),
        ]
        if let emitter = letter.emitter { members["emitter"] = .string(emitter) }
        if let instance = letter.instance { members["instance"] = .string(instance) }
        if let sequence = letter.sequence { members["sequence"] = .unsigned(sequence) }
        let statement = try connection.prepare("INSERT OR REPLACE INTO dead (id, content) VALUES (?, ?)")
        statement.bind(letter.id, at: 1)
        try statement.run(
            lending: CheckedBlob.seal(
                CheckedBlob.bytes(of: .object(members)), with: Self.columns(of: letter.id)), at: 2)
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
        for id in ids {
            statement.bind(id, at: 1)
            try statement.run()
        }
    }

    /// All letters in order of their numbers, without those that are damaged, and the numbers of these.
    func letters() throws(SQLiteError) -> (letters: [DeadLetter], damaged: [Int64]) {
        var letters: [DeadLetter] = []
        var damaged: [Int64] = []
        try connection.prepare("SELECT id, content FROM dead ORDER BY id").forEach {
            row throws(SQLiteError) in
            if let value = try? CheckedBlob.value(of: row.bytes(1), with: Self.columns(of: row.integer(0))),
                let letter = DeadLetter(row.integer(0), value)
            {
                letters.append(letter)
            } else {
                damaged.append(row.integer(0))
            }
            return true
        }
        return (letters, damaged)
    }
}

extension DeadLetter {
    /// A letter that was written down; nil for what is none.
    fileprivate init?(_ id: Int64, _ value: Value) {
        guard let time = value["time"]?.doubleValue, case .string(let name) = value["kind"],
            let kind = Kind(rawValue: name), case .string(let reason) = value["reason"],
            case .string(let type) = value["type"], case .string(let file) = value["file"],
            let line = value["line"]?.wholeNumber, case .string(let action) = value["action"]
        else { return nil }
        self.init(
            id: id, time: time, kind: kind, reason: reason, type: type, file: file, line: UInt(line),
            emitter: value["emitter"]?.stringValue, instance: value["instance"]?.stringValue,
            sequence: value["sequence"]?.wholeNumber, action: Array(action.utf8))
    }
}
