// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseManifest
import GatehouseValue
import SeededTesting
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

/// An editor that follows the schema and the host judge a file alike, as far as a schema can tell.
@Suite(.timeLimit(.minutes(10))) struct ConfigurationSchemaAgreementTests {
    /// The schema at the root of the repository, as an editor reads it.
    private static func schema() throws -> Value {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try JSONText.parse(
            [UInt8](Data(contentsOf: root.appending(path: "Schemas/plugins.schema.json"))))
    }

    /// What the parser finds wrong.
    private func errors(_ text: String) -> [Diagnostic] {
        ConfigurationParser.parse(Array(text.utf8), file: "f").diagnostics.all.filter {
            $0.severity == .error
        }
    }

    /// Whether only a look at several parts of a file finds the problem, or at how it is written.
    private func isBeyondSchema(_ diagnostic: Diagnostic) -> Bool {
        [
            "duplicate key ", " is taken by the entry on line ", " overlaps ", "so the gate could only open",
            "the \"*\" stands for nothing", "both keep the state", "both keep what was accepted",
            "follow actions through one host",
            " is given twice; rename one of the keys", "has a key of the same number",
            "input may not carry ", "expected a place outside of ",
        ]
        .contains { diagnostic.sentence.contains($0) }
    }

    @Test func `the schema uses no keyword that the validator does not check`() throws {
        let located = try JSONText.parseLocated(Array(try Self.schema().json().utf8))
        // Only editors read it; the parser has sentences of its own.
        let problems = Schema.problems(in: located, key: "schema", asksForWords: false)
        #expect(problems.map(\.sentence) == [])
    }

    @Test(arguments: [
        "{}", ConfigurationExample.text, ConfigurationExample.cluster, #"{"$schema": {"any": 1}}"#,
        #"{"state": {"a": {"host": 1}}}"#,
        #"{"limits": {"chain": 1.0}, "ingress": {"maximumLineBytes": 1073741824}}"#,
        #"{"journal": {}}"#, #"{"journal": {"mode": "relaxed", "keep": {"days": 1}, "deduplicate": 0}}"#,
        #"{"cluster": {"engine": "redis://[::1]:6380", "name": "a", "partitions": 4096, "key": {"*": ""}}}"#,
        #"{"cluster": {"engine": "redis://redis.example", "name": "a", "lease": 60, "key": {"a/host/*": "/a"}}}"#,
        #"{"cluster": {"engine": "rediss://u@[::1]:6380", "name": "a", "password": "p", "tls": {}}}"#,
        #"{"cluster": {"engine": "rediss://a", "name": "a", "tls": {"ca": "a", "cert": "b", "key": "c"}}}"#,
        #"{"cluster": {"engine": "redis+unix://u@/a@b", "name": "a", "password": "p"}}"#,
        #"{"cluster": {"engine": "local", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis-sentinel://a,b:2,[::1]:3/shop", "name": "a"}}"#,
        #"{"cluster": {"engine": "rediss-sentinel://u@a/shop", "name": "a", "password": "p", "tls": {}}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "replicas": 9}}"#,
        #"{"cluster": {"engine": "local", "name": "a", "history": 604800}}"#,
        #"{"cluster": {"engine": "local:a b.db", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis+unix:u@a:b@c", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis+unix://a", "name": "a", "password": "p"}}"#,
        #"{"ingress": {"allow": [], "deny": ["a", "*"], "wrap": {"typeAt": ""}}}"#,
        #"{"ingress": {"allow": ["*", "host/*"], "wrap": {"type": "host/state/merge"}}}"#,
        #"{"plugins": [{"id": "a", "gate": {}}, {"id": "b", "gate": "bypass", "settings": {"x": null}}]}"#,
        #"{"plugins": [{"id": "a", "gate": {"control": {"type": "t"}, "turnOn": 1, "default": "bypass"}}]}"#,
        #"{"plugins": [{"id": "a", "grant": {"files": ["/srv"]}}]}"#,
        #"{"plugins": [{"id": "a", "grant": {"read": ["/etc/a.json", "/srv"]}}]}"#,
        #"{"placement": "worker", "plugins": [{"id": "a", "placement": "host"}]}"#,
        #"{"placement": {"default": "worker"}}"#, #"{"trust": {}}"#,
        #"{"trust": {"unsigned": "warn", "keys": [{"name": "a", "key": "\#(ConfigurationExample.key)", "plugins": ["a", "b*", "*"]}]}}"#,
        #"{"placement": {"default": "worker", "host": ["\#(ConfigurationExample.digest)"]}}"#,
        #"{"plugins": [{"id": "a", "grant": {"network": ["connect:A-1.example_:65535", "connect:[::1]:1"]}}]}"#,
        #"{"plugins": [{"id": "a", "grant": {"network": ["listen:127.0.0.1:80", "listen:[::1]:65535"]}}]}"#,
        #"{"plugins": [{"id": "a", "gate": {"state": "/a~1b", "onClose": "keep"}}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"input": "", "output": {"host/x": "y", "z*": "*"}}}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"state": "/hosts", "dependencies": []}, "allow": ["*", "host/*"]}]}"#,
        #"{"plugins": [{"id": "a", "library": "é", "sha256": "\#(ConfigurationExample.digest)"}]}"#,
    ])
    func `both accept`(text: String) throws {
        #expect(errors(text).map(\.description) == [])
        #expect(Schema(try Self.schema()).violations(of: try JSONText.parse(text)) == [])
    }

    @Test(arguments: [
        #"{"plugins": [{"id": "a", "grant": {"network": ["connect:a:65536"]}}]}"#,
        #"{"plugins": [{"id": "a", "grant": {"network": ["connect:a:01"]}}]}"#,
        #"{"plugins": [{"id": "a", "grant": {"network": ["listen:localhost:80"]}}]}"#,
        #"{"plugins": [{"id": "a", "grant": {"network": ["listen:127.0.0.256:80"]}}]}"#,
        #"{"plugins": [{"id": "a", "grant": {"network": ["listen:127.0.0.1:0"]}}]}"#,
        #"{"plugins": [{"id": "a", "grant": {"network": ["listen:::1:80"]}}]}"#,
        #"{"plugins": [{"id": "a", "grant": {"network": ["connect:::1:80"]}}]}"#,
        #"{"plugins": [{"id": "a", "grant": {"network": ["connect:[a]:80"]}}]}"#,
        #"{"plugins": [{"id": "a", "grant": {"network": ["connect:ä:80"]}}]}"#,
        #"{"plugins": [{"id": "a", "grant": {"network": [["connect:a:80"]]}}]}"#,
        "[]", #"{"pluginz": []}"#, #"{"directory": ""}"#, #"{"directory": "a\u0000"}"#,
        #"{"directory": null}"#,
        #"{"placement": "wroker"}"#, #"{"placement": true}"#, #"{"placement": {}}"#,
        #"{"placement": {"default": "both"}}"#, #"{"placement": {"default": "worker", "guest": []}}"#,
        #"{"placement": {"default": "worker", "host": "a"}}"#,
        #"{"placement": {"default": "worker", "host": ["12"]}}"#,
        #"{"trust": true}"#, #"{"trust": {"unsigned": "run"}}"#, #"{"trust": {"key": []}}"#,
        #"{"trust": {"keys": {}}}"#,
        #"{"trust": {"keys": [{"name": "a", "key": "\#(ConfigurationExample.key)"}]}}"#,
        #"{"trust": {"keys": [{"name": "", "key": "\#(ConfigurationExample.key)", "plugins": []}]}}"#,
        #"{"trust": {"keys": [{"name": "a", "key": "RW", "plugins": []}]}}"#,
        #"{"trust": {"keys": [{"name": "a", "key": "\#(ConfigurationExample.key)", "plugins": ["a*b"]}]}}"#,
        #"{"discovery": "never"}"#, #"{"images": "disk"}"#, #"{"state": []}"#, #"{"state": {"host": 1}}"#,
        #"{"ingress": {"a": 1}}"#,
        #"{"ingress": {"deny": "a"}}"#, #"{"ingress": {"allow": ["host/*/x"]}}"#,
        #"{"ingress": {"wrap": {}}}"#, #"{"ingress": {"wrap": {"type": "a", "typeAt": "/a"}}}"#,
        #"{"ingress": {"wrap": {"type": ""}}}"#, #"{"ingress": {"wrap": {"typeAt": "a"}}}"#,
        #"{"ingress": {"wrap": {"type": "a*"}}}"#, #"{"ingress": {"wrap": {"typ": "a"}}}"#,
        #"{"ingress": {"allow": "host/*"}}"#, #"{"ingress": {"maximumLineBytes": 1023}}"#,
        #"{"limits": {"chain": 0}}"#, #"{"limits": {"chain": 1.5}}"#, #"{"limits": {"chain": 1e400}}"#,
        #"{"limits": {"chain": "5"}}"#,
        #"{"cluster": {}}"#, #"{"cluster": {"engine": "redis://a"}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "A"}}"#,
        #"{"cluster": {"engine": "redis://u:p@a", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis+unix://u:p@/a", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis+unix://u@a", "name": "a", "password": "p"}}"#,
        #"{"cluster": {"engine": "redis://@a", "name": "a", "password": "p"}}"#,
        #"{"cluster": {"engine": "redis://a?password=p", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis://u@a", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis+unix://u@/a", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "tls": {}}}"#,
        #"{"cluster": {"engine": "redis+unix:a", "name": "a", "tls": {}}}"#,
        #"{"cluster": {"engine": "local:", "name": "a"}}"#,
        #"{"cluster": {"engine": "locally", "name": "a"}}"#,
        #"{"cluster": {"engine": "local:a", "name": "a", "password": "p"}}"#,
        #"{"cluster": {"engine": "local", "name": "a", "tls": {}}}"#,
        #"{"cluster": {"engine": "redis-sentinel://a", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis-sentinel://a/", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis-sentinel://u@a/shop", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis-sentinel://a/shop", "name": "a", "tls": {}}}"#,
        #"{"cluster": {"engine": "local", "name": "a", "replicas": 1}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "sentinels": {"password": "a"}}}"#,
        #"{"cluster": {"engine": "redis-sentinel://a/b", "name": "a", "sentinels": {"user": "a"}}}"#,
        #"{"cluster": {"engine": "redis-sentinel://a/b", "name": "a", "sentinels": {"user": "a b", "password": "a"}}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "replicas": 10}}"#,
        #"{"cluster": {"engine": "local", "name": "a", "history": 604801}}"#,
        #"{"cluster": {"engine": "rediss://a", "name": "a", "tls": {"cert": "a"}}}"#,
        #"{"cluster": {"engine": "rediss://a", "name": "a", "tls": {"key": "a"}}}"#,
        #"{"cluster": {"engine": "rediss://a", "name": "a", "tls": {"ca": ""}}}"#,
        #"{"cluster": {"engine": "rediss://a", "name": "a", "tls": {"serverName": ""}}}"#,
        #"{"cluster": {"engine": "rediss://a", "name": "a", "tls": {"verify": false}}}"#,
        #"{"cluster": {"engine": "rediss://a", "name": "a", "tls": true}}"#,
        #"{"cluster": {"engine": "rediss://a", "name": "a", "password": 1}}"#,
        #"{"cluster": {"engine": "redis://a/0", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis://", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis+unix:", "name": "a"}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "partitions": 0}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "lease": 0.5}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "key": {"a*b": ""}}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "key": {"host/*": ""}}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "key": {"a": "b"}}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "mixedPlugins": true}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "split": {"a": 1}}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "split": {"a": ["b"]}}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "split": {"a": {"keys": 1}}}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a", "split": {"a": {"sum": "/b"}}}}"#,
        #"{"plugins": {}}"#, #"{"plugins": ["a"]}"#, #"{"plugins": [{}]}"#, #"{"plugins": [{"id": "host"}]}"#,
        #"{"plugins": [{"id": "A"}]}"#, #"{"plugins": [{"id": ""}]}"#,
        #"{"plugins": [{"id": "a", "libary": "x"}]}"#,
        #"{"plugins": [{"id": "a", "library": ".."}]}"#, #"{"plugins": [{"id": "a", "library": "a/b"}]}"#,
        #"{"plugins": [{"id": "a", "sha256": "12"}]}"#, #"{"plugins": [{"id": "a", "optional": 0}]}"#,
        #"{"plugins": [{"id": "a", "settings": null}]}"#, #"{"plugins": [{"id": "a", "allow": [""]}]}"#,
        #"{"plugins": [{"id": "a", "allow": ["a*b"]}]}"#, #"{"plugins": [{"id": "a", "allow": ["**"]}]}"#,
        #"{"plugins": [{"id": "a", "gate": true}]}"#, #"{"plugins": [{"id": "a", "gate": "open"}]}"#,
        #"{"plugins": [{"id": "a", "gate": {"control": {}}}]}"#,
        #"{"plugins": [{"id": "a", "gate": {"control": {"type": "x*"}}}]}"#,
        #"{"plugins": [{"id": "a", "gate": {"control": {"type": "host/x"}}}]}"#,
        #"{"plugins": [{"id": "a", "gate": {"control": {"type": "x", "at": "y"}}}]}"#,
        #"{"plugins": [{"id": "a", "gate": {"turnOn": 1}}]}"#,
        #"{"plugins": [{"id": "a", "gate": {"state": ""}}]}"#,
        #"{"plugins": [{"id": "a", "gate": {"state": "/x", "default": "active"}}]}"#,
        #"{"plugins": [{"id": "a", "gate": {"state": "/x", "control": {"type": "x"}}}]}"#,
        #"{"plugins": [{"id": "a", "gate": {"onClose": "stop"}}]}"#,
        #"{"plugins": [{"id": "a", "lift": "in/"}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"input": "orders"}}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"input": "host/"}}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"input": {"host/x": "y"}}}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"output": {"y": "host/x"}}}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"input": {"": "y"}}}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"input": {"y": 1}}}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"state": ""}}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"state": "/host/x"}}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"state": "/a~2"}}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"dependencies": [""]}}]}"#,
    ])
    func `both refuse`(text: String) throws {
        #expect(errors(text).contains { !isBeyondSchema($0) })
        #expect(Schema(try Self.schema()).violations(of: try JSONText.parse(text)) != [])
    }

    @Test(arguments: ["worker:a", "worker:a-1", "worker:host"])
    func `both accept a placement that names a worker`(text: String) throws {
        try `both accept`(
            text: #"{"placement": "\#(text)", "plugins": [{"id": "a", "placement": "\#(text)"}]}"#)
        try `both accept`(text: #"{"placement": {"default": "\#(text)", "host": []}}"#)
    }

    @Test(arguments: ["worker:", "worker:A", "worker:1", "worker:a b", "worker:ä", "worker-a", "host:a"])
    func `both refuse a placement that names no worker`(text: String) throws {
        for file in [
            #"{"placement": "\#(text)"}"#, #"{"placement": {"default": "\#(text)"}}"#,
            #"{"plugins": [{"id": "a", "placement": "\#(text)"}]}"#,
        ] { try `both refuse`(text: file) }
    }

    @Test(arguments: [
        #"{"limits": {"chain": 1}, "limits": {"chain": 2}}"#, #"{"plugins": [{"id": "a"}, {"id": "a"}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"state": "/x"}}, {"id": "b", "lift": {"state": "/x/y"}}]}"#,
        #"{"plugins": [{"id": "a", "gate": {"control": {"type": "x"}, "turnOn": false}}]}"#,
        #"{"plugins": [{"id": "a", "lift": {"input": {"x": "y*"}}}]}"#,
        #"{"ingress": {"wrap": {"type": "host/x"}}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a"}, "journal": {}}"#,
        #"{"cluster": {"engine": "redis://a", "name": "a"}, "stateFile": "s"}"#,
    ])
    func `what no schema can tell is left to the host`(text: String) throws {
        let errors = errors(text)
        #expect(!errors.isEmpty && errors.allSatisfy(isBeyondSchema))
        #expect(Schema(try Self.schema()).violations(of: try JSONText.parse(text)) == [])
    }

    @Test(arguments: 1...24)
    func `files with parts exchanged are judged alike`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let schema = Schema(try Self.schema())
        let example = try JSONText.parse(
            seed.isMultiple(of: 3) ? ConfigurationExample.cluster : ConfigurationExample.text)
        for _ in 0..<30 {
            var file = example
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let places = Self.places(in: file, .whole)
                guard let place = places.randomElement(using: &random) else { continue }
                let replacement = Self.replacements.randomElement(using: &random) ?? nil
                file.set(replacement, at: place)
            }
            let text = file.json()
            let errors = errors(text)
            let violations = schema.violations(of: file)
            #expect(
                errors.contains { !isBeyondSchema($0) } == !violations.isEmpty,
                "seed \(seed): \(text)\nparser: \(errors)\nschema: \(violations.map { "\($0.pointer): \($0)" })"
            )
        }
    }

    /// Every place of a value, and one beside each member.
    private static func places(in value: Value, _ pointer: JSONPointer) -> [JSONPointer] {
        switch value {
        case .object(let members):
            [pointer, pointer.appending("default"), pointer.appending("state")]
                + members.flatMap { places(in: $0.value, pointer.appending($0.key)) }
        case .array(let elements):
            [pointer] + elements.indices.flatMap { places(in: elements[$0], pointer.appending("\($0)")) }
        default: [pointer]
        }
    }

    /// What is put there; nil removes.
    private static let replacements: [Value?] = [
        nil, nil, .null, true, 0, 1, 1_024, 1.5, "", "a", "*", "a*", "a/", "/a", "host/", "host/x", "/host",
        "active",
        "bypass", "keep", "list", "libX.so", [], ["host/*"], ["a"], [1], [:], ["id": "z"], ["a": "b"],
        ["a*": "b*"], ["type": "t"], ["control": ["type": "t"]], ["state": "/a"], ["x": 1],
        ["typeAt": "/a"], ["type": "t", "typeAt": "/a"],
    ]
}
