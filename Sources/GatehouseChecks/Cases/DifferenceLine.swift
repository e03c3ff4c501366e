// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// One line of a difference between expected and found.
package enum DifferenceLine: Equatable, Sendable, CustomStringConvertible {
    /// The line was expected and found.
    case both(String)
    /// The line was expected and not found.
    case expected(String)
    /// The line was found and not expected.
    case found(String)

    /// Aligns expected with found lines, matching as many as possible.
    ///
    /// - Complexity: the product of the two counts.
    static func align<Expected, Found>(
        _ expected: [Expected], _ found: [Found], _ admits: (Expected, Found) -> Bool
    ) -> [DifferenceLine] {
        // The most matches among the remaining lines, from each pair of places on.
        var most = [[Int]](
            repeating: [Int](repeating: 0, count: found.count + 1), count: expected.count + 1)
        for row in expected.indices.reversed() {
            for column in found.indices.reversed() {
                let both = admits(expected[row], found[column]) ? most[row + 1][column + 1] + 1 : 0
                most[row][column] = max(both, most[row + 1][column], most[row][column + 1])
            }
        }
        var lines: [DifferenceLine] = []
        var (row, column) = (0, 0)
        while row < expected.count || column < found.count {
            if row < expected.count, column < found.count, admits(expected[row], found[column]),
                most[row][column] == most[row + 1][column + 1] + 1
            {
                lines.append(.both("\(found[column])"))
                (row, column) = (row + 1, column + 1)
            } else if column == found.count
                || row < expected.count && most[row + 1][column] >= most[row][column + 1]
            {
                lines.append(.expected("\(expected[row])"))
                row += 1
            } else {
                lines.append(.found("\(found[column])"))
                column += 1
            }
        }
        return lines
    }

    /// The line with its mark in front: `-` for missing, `+` for unexpected.
    package var description: String {
        switch self {
        case .both(let text): "  " + text
        case .expected(let text): "- " + text
        case .found(let text): "+ " + text
        }
    }
}
