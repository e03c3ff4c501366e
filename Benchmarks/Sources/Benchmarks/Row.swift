// SPDX-License-Identifier: Apache-2.0

/// One figure of the table.
struct Row: Encodable {
    /// The figure against another one of the same run.
    struct Ratio: Encodable {
        /// How many times the other figure it is.
        let times: Double
        /// What the other figure is.
        let of: String
    }

    /// What the rows of one part of the table are about.
    let group: String
    /// The name of what was measured, as the table shows it.
    let name: String
    let value: Double
    let unit: String
    /// The most telling one first.
    let ratios: [Ratio]

    init(_ group: String, _ name: String, _ value: Double, _ unit: String, ratios: [Ratio] = []) {
        self.group = group
        self.name = name
        self.value = value
        self.unit = unit
        self.ratios = ratios
    }
}
