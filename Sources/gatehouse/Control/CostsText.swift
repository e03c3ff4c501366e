// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Formats how the time of the last minutes is shared by instances, stages and rules, in 80 columns.
enum CostsText {
    /// The stages in the order in which an action passes them.
    private static let stages = ["handle", "reduce", "io"]

    /// The instances, the costliest first, each with its share and those of its stages, over its rules.
    static func text(_ costs: Value) -> String {
        let instances = costs.list("instances").map { instance in
            (
                id: instance.text("id"), times: stages.map { instance.count($0) },
                rules: instance["rules"]?.objectValue ?? [:]
            )
        }
        let whole = instances.reduce(0) { $0 + $1.times.reduce(0, +) }
        let seconds = StatusText.time(costs.number("seconds"))
        guard whole > 0 else { return "no action was timed in the last \(seconds)\n" }
        let share = { (time: Int) in Double(time) / Double(whole) }
        let bar = { (part: Double, block: String) in
            String(repeating: block, count: Int((part * 24).rounded()))
        }
        let rows = instances.sorted { $0.times.reduce(0, +) > $1.times.reduce(0, +) }.flatMap { instance in
            let all = share(instance.times.reduce(0, +))
            let rules = instance.rules.map { ($0.key, $0.value.intValue ?? 0) }.sorted { $0.1 > $1.1 }
            return [
                [instance.id, percent(all)] + instance.times.map { percent(share($0)) } + [bar(all, "█")]
            ]
                + rules.map { name, time in
                    ["  \(name)", percent(share(time))] + stages.map { _ in "" } + [bar(share(time), "░")]
                }
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
