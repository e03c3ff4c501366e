// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite

@testable import GatehouseJournal

/// A journal that a test writes row by row, with gaps and damage wherever it wants.
struct JournalRows {
    /// The path of the file.
    let path: String
    /// What writes to it.
    let connection: SQLiteConnection
    /// The checksum of the row that was written last.
    private var checksum: UInt32 = 0

    /// A journal without rows in a folder that is there.
    init(in folder: String) throws {
        path = folder + "/journal.sqlite"
        connection = try JournalSchema.openForWriting(path, isStrict: true, system: nil)
    }

    /// The batches, to be read.
    var table: BatchTable { get throws { try BatchTable(connection, path: path) } }
    /// Reads the journal.
    var reader: JournalReader { get throws { try JournalReader(connection, path: path) } }

    /// Writes a batch that follows the one before.
    ///
    /// - Parameters:
    ///   - first: the sequence of its first action.
    ///   - inputs: the numbers of inputs that come in with it.
    ///   - passed: the inputs that are its first actions.
    ///   - actions: how many actions follow these.
    ///   - open: the oldest batch with an input that is not done; nil for itself.
    ///   - size: how many more bytes each action has.
    mutating func insert(
        _ id: Int64, from first: UInt64, inputs: [UInt64] = [], passed: [UInt64] = [], actions: Int = 0,
        done: [UInt64] = [], begun: [JournalEffect] = [], ended: [UInt64] = [], open: Int64? = nil,
        latestInput: UInt64 = 1_000, size: Int = 0, time: Double = 12.5
    ) throws {
        let source = ActionSource(file: "in", function: "", line: 7, info: nil)
        var batch = JournalBatch(generation: 2, firstSequence: first)
        batch.inputs = inputs.map {
            JournalInput(number: $0, source: source, line: Array(#"{"type":"input/\#($0)"}"#.utf8))
        }
        for input in passed {
            batch.entries.append(
                JournalEntry(action: nil, source: source.caused(by: ActionCause(.input, input)), time: 3))
        }
        for _ in 0..<actions {
            let action = AnyAction(
                ActionType("a/\(id)"), payload: .string(String(repeating: "x", count: size)))
            batch.entries.append(JournalEntry(action: action, source: source, time: nil))
        }
        (batch.done, batch.begun, batch.ended) = (done, begun, ended)
        let header = BatchHeader(
            id: id, first: first, count: batch.entries.count, input: latestInput,
            effect: begun.map(\.number).max() ?? 0, open: open ?? id, time: time)
        var encoder = BatchEncoder()
        encoder.begin(header, epoch: 3, generation: 2, after: checksum)
        encoder.append(batch, latestInput: latestInput) { _ in true }
        encoder.finish(header)
        checksum = encoder.checksum
        try connection.prepare("INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?, ?, ?)").run(
            header.id, header.first, header.count, header.input, header.effect, header.open, header.time,
            lending: encoder.bytes)
    }

    /// Removes a batch.
    func remove(_ id: Int64) throws { try connection.execute("DELETE FROM batch WHERE id = \(id)") }

    /// Changes the content of a batch.
    func change(_ id: Int64) throws {
        try connection.execute("UPDATE batch SET content = x'0011223344' WHERE id = \(id)")
    }

    /// Makes SQLite unable to read the page of a batch whose actions have more than 2,000 bytes; nobody may have the file open.
    static func damagePage(of id: Int64, in path: String) throws {
        var bytes = try FileSystem.read(path)
        let text = Array("a/\(id)\"".utf8)
        let found = bytes.indices.first { bytes[$0...].starts(with: text) }
        guard let found else { throw SystemFailure("no batch \(id)") }
        let page = found / 4_096 * 4_096
        bytes.replaceSubrange(page..<page + 8, with: Array(repeating: 0xff, count: 8))
        try FileSystem.write(bytes, to: path)
    }
}
