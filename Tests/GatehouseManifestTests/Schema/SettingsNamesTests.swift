// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue
import Testing

/// What settings name in place of everything.
@Suite(.timeLimit(.minutes(10))) struct SettingsNamesTests {
    private let schema: Value = [
        "properties": [
            "rules": ["additionalProperties": ["$ref": "#/$defs/rule"]],
            "include": ["items": ["x-action": "hears"], "default": ["shop/*"]],
        ],
        "$defs": [
            "rule": [
                "properties": [
                    "when": ["x-action": "hears", "items": ["x-action": "hears"]],
                    "emit": ["x-action": "emits"], "type": ["x-action": "emitsAny"],
                ]
            ]
        ],
    ]

    /// What is heard and emitted.
    private func names(_ settings: Value) -> [[String]] {
        let names = SettingsNames(settings, by: schema)
        return [names.heard.map(\.description), names.emitted.map(\.description)]
    }

    @Test func `types are found wherever the schema marks them, each once, and in defaults`() {
        #expect(names([:]) == [["shop/*"], []])
        #expect(
            names([
                "include": ["a"],
                "rules": ["x": ["when": ["b", "a"], "emit": "c"], "y": ["when": "d/*", "emit": "c"]],
            ]) == [["a", "b", "d/*"], ["c"]])
    }

    @Test func `a pattern stands for what it covers, and an empty list for everything`() {
        #expect(names(["include": ["a/b", "a/*", "a/c"]]) == [["a/*"], []])
        #expect(names(["include": [], "rules": ["x": ["when": "a"]]]) == [["*"], []])
    }

    @Test func `what is only known when an action comes may be anything`() {
        #expect(
            names(["include": ["a"], "rules": ["x": ["emit": "b", "type": ".kind"]]]) == [["a"], ["*"]])
    }
}
