// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseChecks
@testable import GatehousePlan
@testable import GatehouseSupport

/// What a host of protocol 1 asks a child that checks a plugin, and what that tells, as the program of an older version does it for ever.
struct ValidationRecordTests {
    @Test func `the request to check is the recorded one`() throws {
        var request = ValidationRequest(
            path: "/cache/libA.so", name: "libA.so", note: ["format": 1], seed: 1,
            input: [ExampleAction("placed", payload: ["id": 1])])
        request.check = "state/first"
        request.states = [VersionedState(version: 2, value: ["count": 4])]
        request.words = ["id"]
        let recorded =
            #"{"check":"state/first","path":"/cache/libA.so","name":"libA.so","note":{"format":1},"seed":1,"examples":[],"input":[{"type":"placed","payload":{"id":1}}],"words":["id"],"states":[{"version":2,"value":{"count":4}}],"settings":{},"isPatient":false}"#
        #expect(request.json == recorded)
        #expect(try #require(ValidationRequest(json: recorded)).json == recorded)
    }

    @Test func `what a check tells is recorded`() throws {
        var answers = SampleAnswers()
        answers.outputs = ["a/done"]
        answers.state = ["count": 4]
        let events: [(ValidationEvent, String)] = [
            (.step("in its entry"), #"{"step":{"_0":"in its entry"}}"#),
            (
                .examples([ExampleAction("placed", payload: ["id": 1])]),
                #"{"examples":{"_0":[{"type":"placed","payload":{"id":1}}]}}"#
            ),
            (
                .answers(answers),
                #"{"answers":{"_0":{"outputs":["a/done"],"state":{"count":4},"isComplete":true}}}"#
            ),
            (
                .diagnostic(CheckDiagnostic(outcome: .fail, sentences: ["expected more"])),
                #"{"diagnostic":{"_0":{"outcome":"fail","sentences":["expected more"]}}}"#
            ),
            (.end, "end"),
        ]
        for (event, recorded) in events {
            #expect(event.line == recorded)
            #expect(ValidationEvent(line: recorded) == event)
        }
        #expect(CheckOutcome.allCases.map(\.rawValue) == ["pass", "warn", "fail", "crash", "skip"])
    }
}
