// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseChecks
@testable import GatehousePlan
@testable import GatehouseSupport

/// What `validate` and its children tell each other arrives as it was.
@Suite(.timeLimit(.minutes(10))) struct ValidationRequestTests {
    @Test(arguments: [
        ValidationEvent.step("when it heard \"a\"\nwith a line feed"),
        .examples([ExampleAction("act", payload: ["amount": 1]), ExampleAction("note")]), .diagnostic(.pass),
        .diagnostic(.fail(forEach: ["one thing", "another \u{1F600}"])), .end,
    ])
    func `an event is one line that reads as the same event`(event: ValidationEvent) {
        #expect(!event.line.contains("\n"))
        #expect(ValidationEvent(line: event.line) == event)
    }

    @Test(arguments: [
        "", "step", "step 1", "finding maybe []", "finding pass", "end now", "ende", "examples {}",
    ])
    func `any other line is none`(line: String) {
        #expect(ValidationEvent(line: line) == nil)
    }

    @Test func `a request reads as the same request`() throws {
        let manifest = PluginManifest(
            id: "a", version: try #require(SemanticVersion("1.0.0")), summary: "A", principal: "A",
            consumes: [])
        let note = PluginNote(
            manifest: manifest, contract: .sdk(SDKIdentity.current), entry: EntryName(module: "A"))
        var request = ValidationRequest(
            path: "/a.so", name: "a.so", note: note.value, seed: .max,
            input: [ExampleAction("act", payload: .null)])
        request.check = "gate/closed"
        request.examples = [ExampleAction("note")]
        request.states = [VersionedState(version: 3, value: ["a": 1])]
        let read = try #require(ValidationRequest(bytes: request.bytes))
        #expect(read.bytes == request.bytes)
        #expect(read.states == request.states)
        #expect(read.seed == .max)
        #expect(read.input == [ExampleAction("act", payload: .null)])
        #expect(read.examples == [ExampleAction("note")])
    }

    @Test func `bytes that no host writes are no request`() {
        #expect(ValidationRequest(bytes: Array("{}".utf8)) == nil)
        #expect(ValidationRequest(bytes: []) == nil)
    }
}
