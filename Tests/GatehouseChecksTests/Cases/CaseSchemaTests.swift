// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseManifest
import GatehouseValue
import Testing

@testable import GatehouseChecks
@testable import GatehouseSupport

/// An editor that follows the schema and the host judge a file of cases alike, as far as a schema can tell.
@Suite(.timeLimit(.minutes(10))) struct CaseSchemaTests {
    /// The schema at the root of the repository, as an editor reads it.
    private static func schema() throws -> Value {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try JSONText.parse(
            [UInt8](Data(contentsOf: root.appending(path: "Schemas/plugins.test.schema.json"))))
    }

    /// What the parser finds wrong.
    private func problems(_ text: String) -> [Diagnostic] {
        CaseFile.parse(Array(text.utf8), file: "a.test.json").diagnostics.all
    }

    @Test func `the schema uses no keyword that the validator does not check`() throws {
        let located = try JSONText.parseLocated(Array(try Self.schema().json().utf8))
        let problems = Schema.problems(in: located, key: "schema", asksForWords: false)
        #expect(problems.map(\.sentence) == [])
    }

    @Test(arguments: [
        ("", ["$schema", "config", "cases"]),
        ("/$defs/case", TestCase.Key.allCases.map(\.rawValue)),
        ("/$defs/step", CaseStep.Key.allCases.map(\.rawValue)),
        ("/$defs/start", ["state", "gates", "clock"]),
        ("/$defs/action/anyOf/1", ActionExpectation.Key.allCases.map(\.rawValue)),
        ("/$defs/outputs/anyOf/1", ["exactly", "among", "none"]),
    ])
    func `schema and parser know the same keys`(pointer: String, keys: [String]) throws {
        let object = try #require(try Self.schema()[try JSONPointer(pointer)])
        #expect(Set(try #require(object["properties"]?.objectValue).map(\.key)) == Set(keys))
        #expect(object["additionalProperties"] == false)
    }

    @Test(arguments: [
        #"{"cases": []}"#, #"{"$schema": 1, "config": "a", "cases": [{"name": "a", "expect": []}]}"#,
        #"{"cases": [{"name": "a", "state": {"": {}, "/a~1b": null}, "gates": {"x": "bypass"}, "reports": []}]}"#,
        #"{"cases": [{"name": "a", "start": {"state": {}, "gates": {}, "clock": 1}, "effects": "real", "reports": ["a"]}]}"#,
        #"{"cases": [{"name": "a", "start": {"clock": "2026-01-31T12:00:00.5Z"}, "effects": {"x": "stubbed"}, "expect": []}]}"#,
        #"{"cases": [{"name": "a", "steps": [{"send": {"type": "x"}, "advance": "1.5h"}, {"expect": ["a*"]}]}]}"#,
        #"{"cases": [{"name": "a", "send": [1, 2], "expect": {"among": [{"type": "a", "where": {"/b": 1}}], "none": ["c"]}}]}"#,
        #"{"cases": [{"name": "a", "advance": 0, "expect": {"exactly": [{"type": "a", "payload": 1, "error": true, "meta": {}}]}}]}"#,
    ])
    func `both accept`(text: String) throws {
        #expect(problems(text) == [])
        #expect(Schema(try Self.schema()).violations(of: try JSONText.parse(text)) == [])
    }

    @Test(arguments: [
        "[]", "{}", #"{"cases": {}}"#, #"{"cases": [], "a": 1}"#, #"{"config": "", "cases": []}"#,
        #"{"cases": [{"expect": []}]}"#, #"{"cases": [{"name": ""}]}"#, #"{"cases": [{"name": "a"}]}"#,
        #"{"cases": [{"name": "a", "steps": [], "expect": []}]}"#,
        #"{"cases": [{"name": "a", "steps": {}}]}"#,
        #"{"cases": [{"name": "a", "steps": [1]}]}"#, #"{"cases": [{"name": "a", "steps": [{"name": 1}]}]}"#,
        #"{"cases": [{"name": "a", "expect": 1}]}"#, #"{"cases": [{"name": "a", "expect": [1]}]}"#,
        #"{"cases": [{"name": "a", "expect": ["a*b"]}]}"#, #"{"cases": [{"name": "a", "expect": [{}]}]}"#,
        #"{"cases": [{"name": "a", "expect": {"exactly": [], "among": []}}]}"#,
        #"{"cases": [{"name": "a", "expect": [{"type": "a", "payload": 1, "where": {}}]}]}"#,
        #"{"cases": [{"name": "a", "expect": [{"type": "a", "where": {"b": 1}}]}]}"#,
        #"{"cases": [{"name": "a", "expect": [{"type": "a", "meta": 1}]}]}"#,
        #"{"cases": [{"name": "a", "state": []}]}"#, #"{"cases": [{"name": "a", "state": {"a": 1}}]}"#,
        #"{"cases": [{"name": "a", "gates": {"a": "open"}}]}"#,
        #"{"cases": [{"name": "a", "reports": "a"}]}"#,
        #"{"cases": [{"name": "a", "reports": [""]}]}"#,
        #"{"cases": [{"name": "a", "expect": [], "advance": "5"}]}"#,
        #"{"cases": [{"name": "a", "expect": [], "advance": -1}]}"#,
        #"{"cases": [{"name": "a", "expect": [], "effects": "none"}]}"#,
        #"{"cases": [{"name": "a", "expect": [], "effects": {"x": 1}}]}"#,
        #"{"cases": [{"name": "a", "expect": [], "start": {"state": {"host": 1}}}]}"#,
        #"{"cases": [{"name": "a", "expect": [], "start": {"clock": "2026-13-01T00:00:00Z"}}]}"#,
        #"{"cases": [{"name": "a", "expect": [], "start": {"time": 1}}]}"#,
    ])
    func `both refuse`(text: String) throws {
        #expect(!problems(text).isEmpty)
        #expect(!Schema(try Self.schema()).violations(of: try JSONText.parse(text)).isEmpty)
    }
}
