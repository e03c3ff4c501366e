// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Testing

/// Which settings a schema describes and which a plugin has.
@Suite(.timeLimit(.minutes(10))) struct SettingsDifferenceTests {
    /// A plugin that has nothing but settings.
    private struct Sample<Settings: PluginSettings>: Plugin {
        enum Action: PluginAction { case a }

        static func middleware() -> Reader { .doNothing() }
    }

    private struct Plain: PluginSettings {
        var count = 1
        var word: String?
        var list: [Int]?
    }

    private struct Renamed: PluginSettings {
        var count = 1

        enum CodingKeys: String, CodingKey { case count = "number" }
    }

    private struct Single: PluginSettings {
        var text = ""

        init() {}
        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    private struct Open: PluginSettings {
        var entries: [String: Int] = ["a": 1]

        init() {}
        init(from decoder: any Decoder) throws { entries = try [String: Int](from: decoder) }
        func encode(to encoder: any Encoder) throws { try entries.encode(to: encoder) }
    }

    /// What the two do not have in common, as `unknown / undescribed`.
    private func difference(_ schema: Value, _ type: (some PluginSettings).Type) -> String {
        func exports<Settings: PluginSettings>(_ type: Settings.Type) -> PluginExports {
            PluginEntry.exports(of: Sample<Settings>.self)
        }
        let difference = exports(type).settingsDifference(from: Schema(schema))
        return difference.unknown.joined(separator: " ") + "/" + difference.undescribed.joined(separator: " ")
    }

    /// A schema of these keys.
    private func schema(_ keys: String..., more: Members = [:]) -> Value {
        .object(Members([("properties", .object(Members(keys.map { ($0, [:]) })))] + Array(more)))
    }

    @Test func `keys of a struct, absent ones included`() {
        #expect(difference(schema("count", "word", "list"), Plain.self) == "/")
        #expect(difference(schema("count", "wrod"), Plain.self) == "wrod/word list")
        #expect(difference(schema("count"), NoSettings.self) == "count/")
    }

    @Test func `keys are those of the JSON, not of the properties`() {
        #expect(difference(schema("number"), Renamed.self) == "/")
        #expect(difference(schema("count"), Renamed.self) == "count/number")
    }

    @Test func `a schema that names no keys, or describes others besides, says less`() {
        #expect(difference(["type": "object"], Plain.self) == "/")
        #expect(
            difference(schema("count", more: ["additionalProperties": ["type": "string"]]), Plain.self) == "/"
        )
        #expect(
            difference(schema("count", more: ["additionalProperties": false]), Plain.self) == "/word list")
    }

    @Test func `keys may stand in parts of a schema`() {
        let parts: Value = [
            "$ref": "#/$defs/a", "allOf": [["properties": ["word": [:]]]],
            "$defs": [
                "a": ["properties": ["count": [:]], "$ref": "#/$defs/a"], "b": ["properties": ["x": [:]]],
            ],
            "dependentSchemas": ["word": ["properties": ["list": [:]]]],
        ]
        #expect(difference(parts, Plain.self) == "/")
    }

    @Test func `settings without keys of their own are not judged`() {
        #expect(difference(schema("count"), Single.self) == "/")
        #expect(difference(schema("b"), Open.self) == "/a")
        #expect(difference(schema("b", more: ["additionalProperties": true]), Open.self) == "/")
    }
}
