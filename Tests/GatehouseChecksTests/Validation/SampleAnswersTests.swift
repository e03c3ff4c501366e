// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseChecks

/// What a plugin answers, and how answers in a worker differ from those in the host.
@Suite(.timeLimit(.minutes(10))) struct SampleAnswersTests {
    /// Answers that were collected elsewhere.
    private func answers(_ outputs: [String], _ state: Value? = nil) -> SampleAnswers {
        var answers = SampleAnswers()
        answers.outputs = outputs
        answers.state = state
        return answers
    }

    /// The sentence on an output.
    private func sentence(_ place: Int, _ expected: String, _ found: String) -> String {
        "expected as output \(place) in a worker what it emits in the host, \(expected), found \(found); let nothing depend on the process, its files or its network"
    }

    @Test func `the same answers differ in nothing`() {
        #expect(answers(["a", "b"], 1).differences(from: answers(["a", "b"], 1)) == [])
        #expect(answers([]).differences(from: answers([])) == [])
    }

    @Test func `the first output that differs is told, also where one side has no more`() {
        let host = answers(["a", "b", "c"])
        #expect(answers(["a", "x", "y"]).differences(from: host) == [sentence(2, "b", "x")])
        #expect(answers(["a", "b"]).differences(from: host) == [sentence(3, "c", "nothing")])
        #expect(host.differences(from: answers(["a", "b"])) == [sentence(3, "nothing", "c")])
    }

    @Test func `a state that differs is told, also where there is none`() {
        let advice = "let nothing depend on the process, its files or its network"
        #expect(
            answers(["a"], ["n": 1]).differences(from: answers(["b"], nil)) == [
                sentence(1, "b", "a"),
                "expected in a worker the state that it has in the host, none, found {\"n\":1}; \(advice)",
            ])
    }

    @Test func `an answer of up to 120 characters is told whole`() {
        let text = String(repeating: "x", count: 120)
        #expect(
            answers([text]).differences(from: answers([text + "y"])) == [sentence(1, text + "…", text)])
    }

    @Test func `answers are complete once all effects have ended, which some do not`() throws {
        let act = ExampleAction("act", payload: ["amount": 1, "label": "x"])
        let sound = try ObservedSubject("DefectivePlugin", examples: [act])
        let complete = try SampleAnswers(of: sound.subject)
        #expect(complete.isComplete)
        #expect(complete.outputs == [#"defective/done {"amount":1.0}"#])
        #expect(complete.state == ["count": 1, "token": 0])
        let remind = ExampleAction("remind", payload: ["id": "tea", "after": 1_000])
        let timed = try ObservedSubject("TimedPlugin", examples: [remind])
        let open = try SampleAnswers(of: timed.subject)
        #expect(!open.isComplete)
        #expect(open.outputs == [])
        withExtendedLifetime((sound, timed)) {}
    }

    @Test func `answers are not complete while an effect that began at the start goes on`() throws {
        let holding = try ObservedSubject("HoldingPlugin", settings: ["first": 1, "stays": true])
        let open = try SampleAnswers(of: holding.subject)
        #expect(!open.isComplete)
        #expect(open.state == ["sum": 1])
        withExtendedLifetime(holding) {}
    }
}
