// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseHost
@testable import GatehousePlan

/// What `validate` and its children tell each other arrives as it was.
@Suite(.timeLimit(.minutes(10))) struct ValidationJobTests {
    @Test(arguments: [
        ValidationMessage.step("when it heard \"a\"\nwith a line feed"),
        .examples([ExampleAction("act", payload: ["amount": 1]), ExampleAction("note")]), .finding(.pass),
        .finding(.fail(forEach: ["one thing", "another \u{1F600}"])), .end,
    ])
    func `a message is one line that reads as the same message`(message: ValidationMessage) {
        #expect(!message.line.contains("\n"))
        #expect(ValidationMessage(line: message.line) == message)
    }

    @Test(arguments: [
        "", "step", "step 1", "finding maybe []", "finding pass", "end now", "ende", "examples {}",
    ])
    func `any other line is none`(line: String) {
        #expect(ValidationMessage(line: line) == nil)
    }

    @Test func `a job reads as the same job`() throws {
        let manifest = PluginManifest(
            id: "a", version: try #require(SemanticVersion("1.0.0")), summary: "A", principal: "A",
            consumes: [])
        let note = PluginNote(
            manifest: manifest, identity: SDKIdentity.current, entry: EntryName(module: "A"))
        var job = ValidationJob(
            path: "/a.so", name: "a.so", note: note, seed: .max,
            input: [ExampleAction("act", payload: .null)])
        job.check = "gate/closed"
        job.folder = "/tmp/a"
        job.examples = [ExampleAction("note")]
        job.states = [VersionedState(version: 3, value: ["a": 1])]
        let read = try #require(ValidationJob(bytes: job.bytes))
        #expect(read.bytes == job.bytes)
        #expect(read.states == job.states)
        #expect(read.seed == .max)
        #expect(read.input == [ExampleAction("act", payload: .null)])
        #expect(read.examples == [ExampleAction("note")])
    }

    @Test func `bytes that no host writes are no job`() {
        #expect(ValidationJob(bytes: Array("{}".utf8)) == nil)
        #expect(ValidationJob(bytes: []) == nil)
    }
}
