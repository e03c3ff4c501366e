// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseManifest
import GatehouseSDK
import SeededTesting
import Testing

@testable import CounterPlugin
@testable import CrashReportsPlugin
@testable import LoggerPlugin
@testable import PersistencePlugin
@testable import RulesPlugin

/// The schema in each plugin.json and the code that decodes the settings judge alike.
@Suite struct SettingsSchemaTests {
    /// A bundled plugin with settings that use every key.
    struct Bundled: CustomTestStringConvertible, Sendable {
        let folder: String
        let example: Value
        /// The settings of an instance that is told nothing.
        let defaults: @Sendable () throws -> Value
        /// Decodes settings as an entry of plugins.json has them.
        let decode: @Sendable (Value) throws -> Void

        var testDescription: String { folder }

        init<P: Plugin>(_ folder: String, _ plugin: P.Type, example: Value) {
            self.folder = folder
            self.example = example
            defaults = { try Value(encoding: P.Settings()) }
            decode = { settings in
                _ = try PluginEntry.exports(of: P.self).makeParts(settings: settings) { _ in }
            }
        }

        /// The schema beside the plugin's source.
        func schema() throws -> Value {
            let root = URL(filePath: #filePath)
                .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            let file = root.appending(path: "Plugins/\(folder)/plugin.json")
            return try #require(PluginManifest(parsing: [UInt8](Data(contentsOf: file))).settings)
        }
    }

    static let plugins = [
        Bundled("Counter", Counter.self, example: ["start": 5, "step": -2]),
        Bundled("CrashReports", CrashReports.self, example: ["limit": 3, "payload": true]),
        Bundled(
            "Logger", Logger.self,
            example: [
                "format": "json", "level": "debug", "include": ["a/*", "b"], "exclude": ["a/c"],
                "payload": true, "state": "/a~1b/0", "maximumLength": 20,
            ]),
        Bundled(
            "Persistence", Persistence.self,
            example: ["file": "a.sqlite", "busyTimeout": 10, "durability": "process"]),
        Bundled(
            "Rules", Rules.self,
            example: [
                "rules": [
                    [
                        "when": "a/*", "where": ["/x": 1, "": "y"], "emit": "b", "payload": ["z": "$/x"],
                        "error": true,
                    ],
                    ["when": "c", "emit": "d"],
                ]
            ]),
    ]

    @Test(arguments: plugins)
    func `the example and the defaults fit the schema, and the defaults are those it names`(plugin: Bundled)
        throws
    {
        let document = try plugin.schema()
        let schema = Schema(document)
        let defaults = try plugin.defaults()
        #expect(schema.violations(of: plugin.example) == [])
        #expect(schema.violations(of: defaults) == [])
        let properties = try #require(document["properties"]?.objectValue)
        #expect(Set(properties.keys) == Set(try #require(defaults.objectValue).keys))
        for (key, property) in properties { #expect(property["default"] == defaults[key], "\(key)") }
        try plugin.decode(plugin.example)
    }

    @Test(arguments: plugins, 1...25)
    func `settings with parts exchanged are judged alike`(plugin: Bundled, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let schema = Schema(try plugin.schema())
        for _ in 0..<40 {
            var settings = plugin.example
            let place = Self.places(in: settings, .whole).dropFirst().randomElement(using: &random) ?? .whole
            let replacement = Self.replacements.randomElement(using: &random) ?? nil
            settings.set(replacement, at: place)
            let violations = schema.violations(of: settings, isPatch: true)
            var message: String?
            do { try plugin.decode(settings) } catch { message = "\(error)" }
            // What stands in a template, and keys that nobody knows, only one of the two looks at.
            if place.tokens.contains("payload"), plugin.folder == "Rules" { continue }
            if violations.contains(where: { $0.subject == .key }) { continue }
            // A rule takes a null for an absent key, which the schema need not promise.
            if plugin.folder == "Rules", replacement?.isNull == true, message == nil { continue }
            #expect(
                (message == nil) == violations.isEmpty,
                "seed \(seed): \(settings)\ndecoder: \(message ?? "accepts")\nschema: \(violations)")
        }
    }

    /// Every place of a value.
    private static func places(in value: Value, _ pointer: JSONPointer) -> [JSONPointer] {
        switch value {
        case .object(let members):
            [pointer] + members.flatMap { places(in: $0.value, pointer.appending($0.key)) }
        case .array(let elements):
            [pointer] + elements.indices.flatMap { places(in: elements[$0], pointer.appending("\($0)")) }
        default: [pointer]
        }
    }

    /// What is put there; nil removes.
    private static let replacements: [Value?] = [
        nil, .null, true, 0, -1, 1, 1_000, 1_001, 1.5, 2.0, "", "a", "a*", "*", "a*b", "/a", "/a~2", "~",
        "text", "json",
        "debug", "loud", [], ["a"], [1], [:], ["/a": 1], ["a": 1], [["when": "a", "emit": "b"]],
    ]
}
