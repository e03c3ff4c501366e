// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue
import Testing

@Suite(.timeLimit(.minutes(10))) struct SettingsAnswersTests {
    /// Settings of rules, alone or in groups, whose `when` may name several types.
    private let schema: Value = [
        "properties": [
            "rules": [
                "items": ["properties": ["when": ["x-action": "hears"], "emit": ["x-action": "emits"]]]
            ],
            "groups": [
                "items": [
                    "properties": [
                        "when": ["items": ["x-action": "hears"]], "emit": ["x-action": "emits"],
                        "inner": [
                            "properties": ["when": ["x-action": "hears"], "emit": ["x-action": "emits"]]
                        ],
                    ]
                ]
            ],
        ]
    ]

    /// What settings say, a line for each answer.
    private func answers(_ settings: Value) -> [String] {
        SettingsAnswers(settings, by: schema).all.map {
            "\($0.pointer) \($0.heard.map(\.description)) \($0.emitted.map(\.description))"
        }
    }

    @Test func `each object that names both is an answer with its place`() {
        #expect(
            answers([
                "rules": [
                    ["when": "a/*", "emit": "b"], ["when": "c"], ["emit": "d"], ["when": "e", "emit": "f"],
                ],
                "groups": [
                    ["when": ["g", "h"], "emit": "i", "inner": ["when": "j", "emit": "k"]]
                ],
            ]) == [
                #"/rules/0 ["a/*"] ["b"]"#, #"/rules/3 ["e"] ["f"]"#, #"/groups/0 ["g", "h"] ["i"]"#,
                #"/groups/0/inner ["j"] ["k"]"#,
            ])
    }

    @Test func `what does not fit the schema says nothing`() {
        #expect(answers(["rules": ["when": "a"], "other": [["when": "a", "emit": "b"]]]) == [])
        #expect(answers(["rules": [["when": "a*b", "emit": "c"], ["when": 1, "emit": "c"]]]) == [])
        #expect(answers("a") == [])
        #expect(SettingsAnswers(["rules": [["when": "a", "emit": "b"]]], by: true).all.isEmpty)
    }
}
