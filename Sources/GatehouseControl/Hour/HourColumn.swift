// SPDX-License-Identifier: Apache-2.0

/// A number of each of the newest samples; all of its memory is taken at the start.
struct HourColumn<Cell: Sendable>: Sendable {
    /// How many samples are kept: an hour of them.
    static var rows: Int { 360 }

    /// The numbers; that of a sample is at its number modulo the number of rows.
    private var cells: [Cell]

    /// Creates a column whose samples have nothing yet.
    ///
    /// - Parameter absent: what stands for nothing.
    init(absent: Cell) { cells = Array(repeating: absent, count: Self.rows) }

    /// The number of a sample that is kept; writing it replaces the one of an hour before.
    subscript(sample: Int) -> Cell {
        get { cells[sample % Self.rows] }
        set { cells[sample % Self.rows] = newValue }
    }

    /// The memory of the column in bytes.
    var bytes: Int { cells.capacity * MemoryLayout<Cell>.stride }
}
