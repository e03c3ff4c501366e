// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Formats for people which instances emit what others hear, in 80 columns.
enum GraphText {
    /// The types with their instances, and who hears or emits everything.
    static func text(_ graph: Value) -> String {
        let rows = graph.list("types").map { type in
            let gates = names(type, "moves").map { "gate of \($0)" }
            return [
                type.text("type"), words(names(type, "from"), "outside"),
                words(names(type, "to") + gates, "nobody"),
            ]
        }
        let table = TextTable(columns: [
            .text("TYPE", most: 32), .text("FROM", most: 22), .text("TO", most: 22),
        ])
        let lines = (rows.isEmpty ? [] : table.lines(rows)) + everything(graph)
        guard !lines.isEmpty else { return "no instance hears or emits anything\n" }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The ids of instances in a member.
    private static func names(_ type: Value, _ member: String) -> [String] {
        type.list(member).compactMap(\.stringValue)
    }

    /// The ids in a row, or what stands for none.
    private static func words(_ ids: [String], _ none: String) -> String {
        ids.isEmpty ? none : ids.joined(separator: ", ")
    }

    /// A line about each instance that hears or may emit everything.
    private static func everything(_ graph: Value) -> [String] {
        graph.list("instances").compactMap { instance in
            let (hears, emits) = (names(instance, "hears"), names(instance, "emits"))
            switch (hears.contains("*"), emits.contains("*")) {
            case (true, true): return "\(instance.text("id")) hears everything, and may emit anything"
            case (true, false): return "\(instance.text("id")) hears everything"
            case (false, true): return "\(instance.text("id")) may emit anything"
            case (false, false): return nil
            }
        }
    }
}
