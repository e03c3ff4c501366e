// SPDX-License-Identifier: Apache-2.0

/// Columns of text, each as wide as its contents up to a limit.
struct TextTable {
    /// One column of the table, with its heading.
    struct Column {
        /// The heading of the column.
        let title: String
        /// The maximum width, in characters.
        let most: Int
        /// Whether the column holds numbers, which are right-aligned.
        let isNumber: Bool

        /// A column of texts.
        static func text(_ title: String, most: Int) -> Column {
            Column(title: title, most: most, isNumber: false)
        }

        /// A column of numbers.
        static func number(_ title: String, most: Int) -> Column {
            Column(title: title, most: most, isNumber: true)
        }
    }

    /// The columns from left to right.
    let columns: [Column]

    /// The heading and the rows, with two blanks between columns and none at the end.
    func lines(_ rows: [[String]]) -> [String] {
        let widths = columns.indices.map { column in
            min(
                columns[column].most,
                max(columns[column].title.count, rows.map { $0[column].count }.max() ?? 0))
        }
        return ([columns.map(\.title)] + rows).map { row in
            let cells = columns.indices.map { column in
                let cell = Self.cut(row[column], widths[column])
                return columns[column].isNumber
                    ? String(repeating: " ", count: widths[column] - cell.count) + cell
                    : cell.padded(to: widths[column])
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Truncates a text to a width in characters.
    static func cut(_ text: String, _ width: Int) -> String {
        text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
    }
}

extension String {
    /// The text with blanks after it up to a width in characters.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
