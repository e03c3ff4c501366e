// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSQLite

/// The batches of a journal, to be read; one connection's, so for one thread at a time.
final class BatchTable {
    /// A row, or what cannot be read of it.
    enum Row {
        /// A row, with its content as it is in the file.
        case stored(BatchHeader, [UInt8])
        /// SQLite cannot read the row with the number, or what is around it; with its words.
        case unreadable(Int64, String)
    }

    /// The path of the file, for failures.
    let path: String
    /// Gives the row from a number on, without its content.
    private let headers: SQLiteStatement
    /// Gives the rows from a number on.
    private let contents: SQLiteStatement
    /// The smallest and the greatest number.
    private let ends: SQLiteStatement
    /// The actions that were written down within some time.
    private let written: SQLiteStatement

    /// How many rows are read at a time, so that no reader keeps the log from being emptied.
    private static let rowLimit = 256
    /// How many bytes are read at a time; the row in which they end is read whole.
    private static let byteLimit = 1 << 20

    /// The table of a connection.
    init(_ connection: SQLiteConnection, path: String) throws(JournalFailure) {
        self.path = path
        (headers, contents, ends, written) = try JournalFailure.told(of: path, .reading) {
            () throws(SQLiteError) in
            let columns = "id, first, count, input, effect, open, time"
            return (
                try connection.prepare(
                    "SELECT \(columns) FROM batch WHERE id BETWEEN ? AND \(JournalNumbers.limit) ORDER BY id LIMIT 1"
                ),
                try connection.prepare(
                    "SELECT \(columns), content FROM batch WHERE id BETWEEN ? AND \(JournalNumbers.limit) ORDER BY id"
                ),
                try connection.prepare("SELECT (SELECT min(id) FROM batch), (SELECT max(id) FROM batch)"),
                try connection.prepare(
                    "SELECT min(first), max(first + count - 1), cast(total(count) AS INTEGER) FROM batch WHERE time >= ? AND time <= ? AND count > 0"
                )
            )
        }
    }

    /// The numbers of the oldest and the newest batch; nil when there is none.
    func bounds() throws(JournalFailure) -> ClosedRange<Int64>? {
        try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in
            try ends.first { row in
                row.isNull(0) ? nil : row.integer(0)...max(row.integer(0), row.integer(1))
            } ?? nil
        }
    }

    /// The header of the first batch from a number on; nil when there is none.
    func header(from id: Int64) throws(JournalFailure) -> BatchHeader? {
        try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in
            try headers.first(id) { Self.header($0) }
        }
    }

    /// Some rows from a number on, in one short look at the file; none after the last one.
    func rows(from id: Int64) throws(JournalFailure) -> [Row] {
        var rows: [Row] = []
        var bytes = 0
        var expected = id
        do throws(SQLiteError) {
            try contents.forEach(id) { row throws(SQLiteError) in
                let header = Self.header(row)
                let content = row.bytes(7)
                rows.append(.stored(header, content))
                bytes += content.count
                expected = header.id + 1
                return rows.count < Self.rowLimit && bytes < Self.byteLimit
            }
        } catch  where error.isDamage {
            if rows.isEmpty, let last = try bounds()?.upperBound, expected > last { return [] }
            rows.append(.unreadable(expected, error.message))
        } catch {
            throw JournalFailure(path, .reading, .database(error))
        }
        return rows
    }

    /// The number of the batch with an entry; that of the last batch for one to come, and of the first for one long gone.
    func batch(with sequence: UInt64) throws(JournalFailure) -> Int64? {
        guard let bounds = try bounds() else { return nil }
        var low = bounds.lowerBound
        var high = bounds.upperBound
        // The first batch that ends after it.
        while low < high {
            let middle = low + (high - low) / 2
            guard let header = try header(from: middle) else {
                high = middle
                continue
            }
            if header.next > sequence { high = middle } else { low = max(header.id, middle) + 1 }
        }
        return min(low, bounds.upperBound)
    }

    /// The actions that were written down within some time: the first and the last of them, and whether all in between were too, which
    /// they need not be where somebody has set the clock. Nil where there are none.
    ///
    /// Looks at each row, without its content. Where one cannot be read, any action may be meant.
    func sequences(
        writtenIn times: ClosedRange<Double>
    ) throws(JournalFailure) -> (bounds: ClosedRange<UInt64>, isWhole: Bool)? {
        do throws(SQLiteError) {
            return try written.first(times.lowerBound, times.upperBound) { row in
                let (first, last) = (
                    JournalNumbers.clamped(row.integer(0)), JournalNumbers.clamped(row.integer(1))
                )
                guard !row.isNull(0), first <= last else { return nil }
                return (first...last, JournalNumbers.clamped(row.integer(2)) == last - first + 1)
            } ?? nil
        } catch  where error.isDamage {
            return (0...(.max), false)
        } catch {
            throw JournalFailure(path, .reading, .database(error))
        }
    }

    /// What a row says of a batch, in numbers that a host could have given.
    private static func header(_ row: borrowing SQLiteStatement.Row) -> BatchHeader {
        BatchHeader(
            id: row.integer(0), first: JournalNumbers.clamped(row.integer(1)),
            count: Int(clamping: JournalNumbers.clamped(row.integer(2))),
            input: JournalNumbers.clamped(row.integer(3)), effect: JournalNumbers.clamped(row.integer(4)),
            open: Int64(JournalNumbers.clamped(row.integer(5))), time: JournalNumbers.clamped(row.number(6)))
    }
}
