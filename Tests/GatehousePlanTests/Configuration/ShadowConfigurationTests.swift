// SPDX-License-Identifier: Apache-2.0

import GatehouseLibrary
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

/// Entries of `plugins` that only hear what an instance hears.
@Suite(.timeLimit(.minutes(10))) struct ShadowConfigurationTests {
    /// What is read of a file with these entries.
    private func outcome(
        _ entries: String, beside others: String = #""journal": {}, "#
    ) -> ConfigurationOutcome {
        ConfigurationParser.parse(Array("{\(others)\"plugins\": [\(entries)]}".utf8), file: "f")
    }

    /// The problems of a file with these entries.
    private func problems(_ entries: String, beside others: String = #""journal": {}, "#) -> [String] {
        outcome(entries, beside: others).diagnostics.all.map(\.description)
    }

    @Test func `a shadow names its instance, and may have another library and other settings`() throws {
        let digest = String(repeating: "a", count: 64)
        let configuration = try #require(
            outcome(
                #"{"id":"next","shadow":"a","library":"libNext.so","sha256":"\#(digest)","settings":{"x":1}},{"id":"a"},{"id":"same","shadow":"a"}"#
            ).configuration)
        #expect(configuration.instances.map(\.id) == ["a"])
        #expect(configuration.shadows.map(\.id) == ["next", "same"])
        #expect(configuration.shadows.map(\.instance) == ["a", "a"])
        let next = configuration.shadows[0]
        #expect(next.library == "libNext.so" && next.sha256 == .library(digest) && next.settings == ["x": 1])
        #expect(configuration.shadows[1].library == nil && configuration.shadows[1].settings == nil)
    }

    @Test func `it takes all but library and settings from the entry of its instance`() throws {
        let configuration = try #require(
            outcome(
                #"{"id":"a","library":"libA.so","settings":{"x":1},"gate":"bypass"},{"id":"b","shadow":"a","settings":{"x":2}},{"id":"c","shadow":"a","library":"libC.so"}"#
            ).configuration)
        let entries = configuration.shadows.map { $0.entry(insteadOf: configuration.instances[0]) }
        #expect(
            entries.map(\.id) == ["a", "a"] && entries.allSatisfy { $0.gate == .bypass && $0.isOptional })
        #expect(entries.map(\.library) == ["libA.so", "libC.so"])
        #expect(entries.map(\.settings) == [["x": 2], ["x": 1]])
    }

    @Test(arguments: [
        (
            #"{"id":"a"},{"id":"b","shadow":"ab"}"#,
            #"f:1:59: /plugins/1/shadow: no entry runs an instance "ab"; did you mean "a"?"#
        ),
        (
            #"{"id":"orders"},{"id":"b","shadow":"quite-another"}"#,
            #"f:1:64: /plugins/1/shadow: no entry runs an instance "quite-another"; name the instance that it is to be compared with"#
        ),
        (
            #"{"id":"a"},{"id":"b","shadow":"a"},{"id":"c","shadow":"b"}"#,
            #"f:1:83: /plugins/2/shadow: no entry runs an instance "b"; name the instance that it is to be compared with"#
        ),
        (
            #"{"id":"a"},{"id":"a","shadow":"a"}"#,
            #"f:1:46: /plugins/1/id: the id "a" is taken by the entry on line 1; give each instance an id of its own"#
        ),
        (
            #"{"id":"a"},{"id":"b","shadow":"a","gate":"bypass"}"#,
            #"f:1:63: /plugins/1/gate: unknown key "gate", expected "id", "shadow", "library", "sha256" or "settings"; rename or remove it"#
        ),
        (
            #"{"id":"a"},{"id":"b","shadow":"a","sha256":"\#(String(repeating: "a", count: 64))"}"#,
            #"f:1:63: /plugins/1/sha256: "sha256" is about the file that "library" names; name it, or remove the digest"#
        ),
    ])
    func `what makes no sense is refused at its place`(entries: String, problem: String) {
        #expect(problems(entries) == [problem])
    }

    @Test func `nobody hears where nothing is recorded`() {
        let entries = #"{"id":"a"},{"id":"b","shadow":"a"}"#
        #expect(
            problems(entries, beside: "") == [
                #"f:1:35: /plugins/1/shadow: a shadow hears what the journal records, and there is none; add "journal", or remove the entry"#
            ])
        #expect(
            problems(entries, beside: #""cluster": {"engine": "redis://a", "name": "a"}, "#) == [
                #"f:1:84: /plugins/1/shadow: a member of a cluster has no journal from which a shadow could hear; remove the entry"#
            ])
    }
}
