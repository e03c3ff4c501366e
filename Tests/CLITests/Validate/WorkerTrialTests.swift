// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// How `gatehouse validate` compares a plugin with itself in a worker.
@Suite(.timeLimit(.minutes(10))) struct WorkerTrialTests {
    @Test(arguments: [
        ("Counter", "pass", ""),
        ("HTTP", "skip", "it brings actions as an input does, which only an instance in the host can"),
        (
            "File", "skip",
            "it changes files outside of its folder for data, for which only an entry can name folders"
        ),
        (
            "Limit", "skip",
            "it decides about actions before anybody else hears them, and they cannot wait for another process"
        ),
    ])
    func `a plugin is compared with itself in a worker, unless it needs the host`(
        name: String, outcome: String, sentence: String
    ) throws {
        let result = try ValidatedPlugin(target: name + "Plugin").validate(
            only: "worker", arguments: ["--json"])
        let checks = try JSONReport(result.output).checks
        #expect(checks.map(\.name) == ["worker/answers"])
        #expect(checks.map(\.outcome) == [outcome])
        #expect(checks.first?.sentences == (sentence.isEmpty ? [] : [sentence]))
        #expect(result.exitCode == 0)
    }

    @Test func `a plugin in a worker may reserve half of the memory that a check allows`() throws {
        let result = try ValidatedPlugin.defective("act/reserve").result(of: "worker/answers")
        #expect(result == ["pass   worker/answers"])
    }

    @Test func `a plugin that no worker can be made of is told with the reason`() throws {
        let result = try ValidatedPlugin(target: "UnknownCasePlugin").validate(
            only: "worker", arguments: ["--json"])
        #expect(
            try JSONReport(result.output).checks.map(\.sentences) == [
                [
                    #"expected it to be made in a worker as in the host, found that it is not: plugin.json declares "helo", which the plugin's Action does not have as a case; correct "consumes" and "emits""#
                ]
            ])
        #expect(result.exitCode == 69)
    }
}
