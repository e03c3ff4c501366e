// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseManifest
import GatehouseSDK
import SeededTesting
import Testing

@testable import AggregatePlugin
@testable import CounterPlugin
@testable import CrashReportsPlugin
@testable import FilePlugin
@testable import HTTPClientPlugin
@testable import LimitPlugin
@testable import LoggerPlugin
@testable import PersistencePlugin
@testable import RulesPlugin
@testable import SchedulePlugin

/// The schema in each plugin.json and the code that decodes the settings judge alike.
@Suite(.timeLimit(.minutes(10))) struct SettingsSchemaTests {
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
        Bundled(
            "Aggregate", Aggregate.self,
            example: [
                "summaries": [
                    "s": [
                        "when": "a/*", "by": "/x", "value": "/v", "distinct": "", "percentiles": [50, 99.5],
                        "seconds": 60, "steps": 6, "keys": 10,
                    ],
                    "t": ["when": ["a", "b*"], "seconds": 3_600],
                ]
            ]),
        Bundled("Counter", Counter.self, example: ["start": 5, "step": -2]),
        Bundled("CrashReports", CrashReports.self, example: ["limit": 3, "payload": true]),
        Bundled(
            "File", File.self,
            example: [
                "directory": "/var/log", "file": "a.ndjson", "include": ["a/*", "b"], "exclude": ["a/c"],
                "durability": "power", "maximumSize": 1000, "rotateEvery": 60, "keep": 0, "compress": false,
                "queue": 2000,
            ]),
        Bundled(
            "HTTPClient", HTTPClient.self,
            example: [
                "url": "https://example.org:8443/a/{/b}?c={/d~1e}", "method": "PUT",
                "headers": ["X-A": "a {/b}"], "secrets": ["token": "a"], "body": "/a", "id": "/b",
                "timeout": 1.5, "connectTimeout": 0.5, "attempts": 3, "pause": 0.25, "maximumPause": 10,
                "redirects": 2, "concurrency": 1, "queue": 0, "maximumResponse": 1000,
            ]),
        Bundled(
            "Limit", Limit.self,
            example: [
                "rules": [
                    "r": ["when": "a/*", "by": "/x", "rate": ["most": 3, "seconds": 2, "burst": 4]],
                    "s": ["when": ["a", "b*"], "sample": ["oneOf": 2]],
                    "u": ["when": "a", "by": "", "unique": 0.5], "d": ["when": "*", "debounce": 1],
                ], "keys": 5, "tell": true,
            ]),
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
                        "when": "a/*",
                        "where": ["/x": ["not": ["in": [1, 2]], ">": 3], "": "y", "/z": ["exists": false]],
                        "emit": "b", "payload": ["z": "$/x"],
                        "error": true,
                    ],
                    ["when": ["c", "d*"], "emit": "e"],
                ]
            ]),
        Bundled(
            "Schedule", Schedule.self,
            example: [
                "jobs": [
                    "e": ["every": 2, "emit": "a", "payload": ["x": 1], "missed": "skip"],
                    "c": ["cron": "*/5 0-3 1,31 jan-mar mon", "emit": "b", "timeZone": "Europe/Berlin"],
                    "m": ["cron": "@daily", "emit": "b", "missed": "tell"],
                    "a": ["at": "2028-02-29T18:00:30Z", "emit": "c", "missed": "run"],
                ], "timeZone": "America/New_York",
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

    @Test(arguments: plugins, 1...12)
    func `what the decoder refuses the schema refuses, and nearly nothing else`(plugin: Bundled, seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let schema = Schema(try plugin.schema())
        for _ in 0..<40 {
            var settings = plugin.example
            var replacement: Value?
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place =
                    Self.places(in: settings, .whole).dropFirst().randomElement(using: &random) ?? .whole
                replacement = Self.replacement(using: &random)
                settings.set(replacement, at: place)
            }
            let violations = schema.violations(of: settings, isPatch: true)
            var message: String?
            do { try plugin.decode(settings) } catch { message = "\(error)" }
            let comment: Comment =
                "seed \(seed): \(settings)\ndecoder: \(message ?? "accepts")\nschema: \(violations)"
            if message != nil { #expect(!violations.isEmpty, comment) }
            // Keys that nobody knows only the schema looks at, and a rule takes a null for an absent key.
            if violations.contains(where: { $0.subject == .key }) || settings.json().contains("null") {
                continue
            }
            #expect((message == nil) == violations.isEmpty, comment)
        }
    }

    @Test(arguments: plugins)
    func `no message shows a pattern`(plugin: Bundled) throws {
        let schema = Schema(try plugin.schema())
        var random = SeededGenerator(seed: 1)
        for place in Self.places(in: plugin.example, .whole).dropFirst() {
            for _ in 0..<15 {
                var settings = plugin.example
                settings.set(Self.replacement(using: &random), at: place)
                for violation in schema.violations(of: settings) {
                    #expect(!violation.sentence.split(separator: "found ")[0].contains(where: "^|+".contains))
                }
            }
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

    /// What is put somewhere; nil removes. Often a text of characters that mean something.
    private static func replacement(using random: inout SeededGenerator) -> Value? {
        guard Bool.random(using: &random) else { return replacements.randomElement(using: &random) ?? nil }
        let count = Int.random(in: 0...6, using: &random)
        return .string(
            String((0..<count).map { _ in "$$//~~*.01ab\0".randomElement(using: &random) ?? "a" }))
    }

    /// What is put there; nil removes.
    private static let replacements: [Value?] = [
        nil, .null, true, 0, -1, 1, 1_000, 1_001, 1.5, 2.0, "", "a", "a*", "*", "a*b", "/a", "/a~2", "~",
        "text", "json", "debug",
        "loud", [], ["a"], ["a*b"], [1], [:], ["/a": 1], ["a": 1], [["when": "a", "emit": "b"]],
        ["not": 1], ["not": ["in": [1]]], ["not": [:]], ["in": []], ["in": 1], ["exists": true],
        ["exists": 1],
        ["<": 1], ["<": "1"], [">": 1.5, "<": 2], ["is": ["a": 1]], ["<": .bigNumber("1e400")],
        .integer(.max), .integer(.min), .unsigned(.max), .double(9_223_372_036_854_775_808), .double(1e300),
        .double(18_446_744_073_709_551_616), .bigNumber("1e400"), .bigNumber("-100000000000000000000"),
        ["x": ["$", "a$/b"]], ["$/a": "$$/b"],
    ]
}
