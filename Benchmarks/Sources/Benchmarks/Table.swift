// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// All figures of one run, as text or as JSON.
struct Table: Encodable {
    /// Processors that this process may use.
    let processors: Int
    private(set) var rows: [Row] = []

    init(processors: Int) { self.processors = processors }

    mutating func add(_ more: [Row]) { rows += more }

    /// The first line of the table for people.
    var heading: String {
        "\(processors) processors; compare figures of one run, on a machine that does nothing else"
    }

    /// Rows for people, below the names of their groups.
    static func text(_ rows: [Row]) -> String {
        var lines: [String] = []
        var group = ""
        for row in rows {
            if row.group != group {
                group = row.group
                lines += ["", group]
            }
            let ratios = row.ratios.map { "\(short($0.times)) × \($0.of)" }.joined(separator: ", ")
            var line =
                "  " + padded(row.name, 44) + padded(short(row.value), 10, right: true) + " " + row.unit
            if !ratios.isEmpty { line = padded(line, 68) + ratios }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }

    /// The table for programs: an object with the members `processors` and `rows`.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// Three significant digits, or whole numbers where there are more before the point.
    private static func short(_ number: Double) -> String {
        guard number.isFinite else { return "?" }
        let digits = number < 10 ? 2 : number < 100 ? 1 : 0
        let scale = [1, 10, 100][digits]
        let whole = Int((number * Double(scale)).rounded())
        guard digits > 0 else { return String(whole) }
        let fraction = String(abs(whole) % scale)
        return "\(whole / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    private static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - text.count))
        return right ? spaces + text : text + spaces
    }
}
