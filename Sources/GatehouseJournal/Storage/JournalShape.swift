// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import GatehouseSQLite
internal import GatehouseSupport

/// What must be in a journal's file beside rows: the tables and indexes that a host makes, and nothing else.
///
/// A trigger that somebody else has added would make actions vanish, a view would answer in a table's place, and numbers at the ends of
/// what SQLite can count leave none for the next row.
struct JournalShape {
    /// The kinds, names and statements of all that is in the schema, by kind and name.
    private let parts: [String: String]

    /// What a connection has open. Statistics that SQLite has made for itself are of no matter.
    init(of connection: SQLiteConnection) throws(SQLiteError) {
        var parts: [String: String] = [:]
        try connection.prepare(
            "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT GLOB 'sqlite_stat*'"
        ).forEach { row throws(SQLiteError) in
            let subject = row.text(2) == row.text(1) ? "" : " of \(row.text(2))"
            parts["the \(row.text(0)) \(row.text(1))\(subject)"] = row.text(3)
            return true
        }
        self.parts = parts
    }

    /// What a journal has that another one would have too, made anew, and the other way round; each as a part of a sentence.
    func differences(from sound: JournalShape) -> [String] {
        let names = Set(parts.keys).union(sound.parts.keys).sorted()
        return names.compactMap { name in
            switch (parts[name], sound.parts[name]) {
            case (let found?, let made?):
                // An altered table has its words in other lines.
                found == made || words(found) == words(made)
                    ? nil : "\(Quotation.bare(name)) differs from what a host creates"
            case (.some, nil): "it has \(Quotation.bare(name)), which no host creates"
            case (nil, .some): "\(name) is missing"
            case (nil, nil): nil
            }
        }
    }

    /// The words of a statement.
    private func words(_ statement: String) -> [Substring] { statement.split(whereSeparator: \.isWhitespace) }

    /// Rows with numbers that no host gives; each as a part of a sentence.
    static func strangeRows(_ connection: SQLiteConnection, form: Int64) -> [String] {
        let columns = [
            ("batch", "id"), ("snapshot", "id"), ("slice", "id"), ("seen", "input"), ("dead", "id"),
            ("epoch", "number"), ("generation", "id"),
        ]
        return columns.filter { form >= 2 || $0.0 != "generation" }.flatMap { table, column in
            ["min", "max"].compactMap { end in
                // What cannot be read at all is told by who needs it.
                guard let number = try? connection.integer("SELECT \(end)(\(column)) FROM \(table)"),
                    number < 0 || number > Int64(JournalNumbers.limit)
                else { return nil }
                return "the table \(table) has a row with the number \(number), which no host assigns"
            }
        }
    }
}
