// SPDX-License-Identifier: Apache-2.0

/// Columns of text, each as wide as it must be and no wider than it may be.
struct TextTable {
    /// One column of the table, with its heading.
    struct Column {
        /// The heading of the column.
        let title: String
        /// The greatest width, in characters.
        let most: Int
        /// Whether it holds numbers, which end below each other.
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

    /// From left to right.
    let columns: [Column]

    /// The title and the rows, two blanks between two columns and none at the end.
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
                    : Self.padded(cell, widths[column])
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// A text filled with blanks to a width in characters.
    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// A text of at most so many characters.
    static func cut(_ text: String, _ width: Int) -> String {
        text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
    }
}
