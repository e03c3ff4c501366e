// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

/// Entries that are written down, as a journal keeps them.
@Suite(.timeLimit(.minutes(10))) struct InstanceConfigurationTests {
    /// The only entry of a file with this one.
    private func entry(_ text: String) throws -> InstanceConfiguration {
        let outcome = ConfigurationParser.parse(
            Array(#"{"plugins": [\#(text)]}"#.utf8), file: "plugins.json")
        #expect(outcome.diagnostics.all.map(\.description) == [])
        return try #require(outcome.configuration?.instances.first)
    }

    @Test(arguments: [
        #"{"id":"a"}"#, #"{"id":"a","was":"b"}"#, #"{"id":"a","library":"libA.so"}"#,
        #"{"id":"a","sha256":"\#(ConfigurationExample.digest)"}"#, #"{"id":"a","optional":true}"#,
        #"{"id":"a","settings":{"level":1}}"#, #"{"id":"a","lift":{"input":"in/"}}"#,
        #"{"id":"a","lift":{"output":{"b":"c/b"},"state":"/x/y","dependencies":["clock"]}}"#,
        #"{"id":"a","gate":"bypass"}"#, #"{"id":"a","gate":{"state":"/x","onClose":"keep"}}"#,
        #"{"id":"a","gate":{"default":"active","onClose":"keep"}}"#,
        #"{"id":"a","allow":["b/*","c"]}"#, #"{"id":"a","placement":"worker"}"#,
        #"{"id":"a","grant":{"read":["/etc/a"]}}"#, #"{"id":"a","keep":true}"#,
        #"{"id":"a","keep":{"count":5,"bytes":2048,"age":60,"without":["/payload/card"]}}"#,
    ])
    func `an entry comes back from what is written of it`(text: String) throws {
        let entry = try entry(text)
        #expect(try self.entry(entry.value.json()) == entry)
    }

    @Test func `what is said although it is the default is not written`() throws {
        let text =
            #"{"id":"a","optional":false,"settings":{},"lift":{},"gate":"active","grant":{},"keep":false}"#
        #expect(try entry(text).value == ["id": "a"])
    }
}
