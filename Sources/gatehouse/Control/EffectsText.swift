// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Formats the effects that are under way for people, in 80 columns.
enum EffectsText {
    /// A line for each effect, in order of beginning.
    static func text(_ answer: Value) -> String {
        let effects = answer.list("effects")
        let pauses = answer.count("pauses")
        let rest =
            pauses == 0
            ? ""
            : "\(Counted.text(pauses, "pause")) \(pauses == 1 ? "goes" : "go") on; gatehouse ctl now ID ends those of an instance\n"
        guard !effects.isEmpty else { return "no effect of an action is under way\n" + rest }
        let rows = effects.map { effect in
            [
                effect.text("instance"), effect["action"].map { $0.json() } ?? "-",
                effect["type"]?.stringValue ?? "-", "\(effect.count("attempt"))",
                words(effect.text("recovery")),
            ]
        }
        let lines = TextTable(columns: [
            .text("INSTANCE", most: 18), .number("ACTION", most: 10), .text("TYPE", most: 24),
            .number("ATTEMPT", most: 7), .text("IF IT IS INTERRUPTED", most: 20),
        ]).lines(rows)
        return lines.map { $0 + "\n" }.joined() + rest
    }

    /// What happens to an effect that does not end.
    private static func words(_ recovery: String) -> String {
        switch recovery {
        case "again": "it begins again"
        case "tell": "it is reported"
        default: "nothing"
        }
    }
}
