// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Formats how the time of the last minutes is shared by instances and stages, in 80 columns.
enum CostsText {
    /// The stages in the order in which an action passes them.
    private static let stages = ["handle", "reduce", "io"]

    /// The instances, the costliest first, each with its share and those of its stages.
    static func text(_ costs: Value) -> String {
        let instances = costs.list("instances").map { instance in
            (id: instance.text("id"), times: stages.map { instance[$0]?.intValue ?? 0 })
        }
        let whole = instances.reduce(0) { $0 + $1.times.reduce(0, +) }
        let seconds = StatusText.time(costs["seconds"]?.doubleValue ?? 0)
        guard whole > 0 else { return "no action was timed in the last \(seconds)\n" }
        let rows = instances.sorted { $0.times.reduce(0, +) > $1.times.reduce(0, +) }.map { instance in
            let all = Double(instance.times.reduce(0, +)) / Double(whole)
            let bar = String(repeating: "█", count: Int((all * 24).rounded()))
            return [instance.id, percent(all)] + instance.times.map { percent(Double($0) / Double(whole)) }
                + [bar]
        }
        let table = TextTable(
            columns: [.text("INSTANCE", most: 18), .number("TIME", most: 6)]
                + stages.map { .number($0.uppercased(), most: 6) } + [.text("", most: 24)])
        let lines = ["the last \(seconds), as shares of the time of all actions", ""] + table.lines(rows)
        return lines.map { $0 + "\n" }.joined()
    }

    /// A share in hundredths; a dash for none.
    private static func percent(_ part: Double) -> String {
        part == 0 ? "-" : "\((part * 1_000).rounded() / 10)%"
    }
}
