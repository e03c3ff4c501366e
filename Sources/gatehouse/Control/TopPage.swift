// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK
internal import GatehouseSupport

/// One page of `ctl top`: the activity of a host, from its status and the one before.
struct TopPage {
    /// The status to show.
    let status: Value
    /// The status before; nil for the first page, which counts from the start of the host.
    let before: Value?

    /// The page, cut to a size.
    func lines(rows: Int = 24, columns: Int = 80) -> [String] {
        let instances = status.list("instances")
        var lines = [
            StatusText.title(status),
            "\(rate(of: status["actions"], before: before?["actions"])) actions/s, \(StatusText.counted(status.count("actions"), "action")), \(status.count("waiting").grouped) waiting, \(StatusText.counted(status.count("effects"), "effect"))",
            status["lastReload"]?["result"]?.stringValue.map { "last reload: " + $0 } ?? "",
        ]
        if let cluster = status["cluster"] {
            if let engine = ClusterText.engineLine(cluster) { lines.insert(engine, at: 2) }
            lines.insert(ClusterText.line(cluster), at: 2)
        }
        let earlier = Dictionary(
            (before?.list("instances") ?? []).map { ($0.text("id"), $0) }, uniquingKeysWith: { $1 })
        let cells = instances.map { instance in
            let last = earlier[instance.text("id")]
            return [
                instance.text("id"), instance.text("gate"),
                rate(of: instance["heard"], before: last?["heard"]),
                rate(of: instance["emitted"], before: last?["emitted"]),
                Self.time(of: instance["time"], before: last?["time"]),
            ] + ["effects", "dropped", "failures"].map { StatusText.short(instance.count($0)) }
        }
        let table = TextTable(columns: [
            .text("INSTANCE", most: max(8, columns - 63)), .text("GATE", most: 6),
            .number("HEARD/s", most: 7), .number("SENT/s", most: 7), .number("TIME", most: 8),
            .number("EFFECTS", most: 7), .number("DROPPED", most: 7), .number("FAILED", most: 6),
        ])
        lines += table.lines(cells) + StatusText.failing(instances)
        // The last line is for hints.
        let room = max(1, rows - 1)
        if lines.count > room {
            let left = lines.count - room + 1
            lines = lines.prefix(room - 1) + ["… and \(left) more; enlarge the window"]
        }
        return lines.map { TextTable.cut(Quotation.bare($0), columns) }
    }

    /// The number per second.
    private func rate(of now: Value?, before: Value?) -> String {
        let done = (now?.doubleValue ?? 0) - (before?.doubleValue ?? 0)
        let time = status.number("uptime") - (self.before?.number("uptime") ?? 0)
        guard time > 0 else { return "0" }
        return StatusText.short(Int((done / time).rounded()))
    }

    /// The mean time of a timed action in an instance; a dash when none was timed.
    private static func time(of stages: Value?, before: Value?) -> String {
        var nanoseconds = 0.0
        var isTimed = false
        for stage in ["handle", "reduce", "io"] {
            var samples = stages?[stage]?["samples"]?.doubleValue ?? 0
            var sum = stages?[stage]?["nanoseconds"]?.doubleValue ?? 0
            if let last = before?[stage]?["samples"]?.doubleValue, last < samples {
                samples -= last
                sum -= before?[stage]?["nanoseconds"]?.doubleValue ?? 0
            }
            guard samples > 0 else { continue }
            isTimed = true
            nanoseconds += sum / samples
        }
        guard isTimed else { return "-" }
        return StatusText.span(nanoseconds)
    }
}
