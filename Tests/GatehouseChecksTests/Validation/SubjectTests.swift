// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseChecks
@testable import GatehouseSupport

/// The plugin under check, and what is told of it before each step.
@Suite(.timeLimit(.minutes(10))) struct SubjectTests {
    @Test func `a step is told with up to 300 characters, and a longer one with its beginning`() throws {
        let observed = try ObservedSubject("DefectivePlugin")
        let text = String(repeating: "x", count: 300)
        observed.subject.announce(text)
        observed.subject.announce(text + "y")
        #expect(try observed.steps == [text, text + "…"])
    }

    @Test func `it is loaded once, and each step of that is told`() throws {
        let observed = try ObservedSubject("DefectivePlugin")
        let image = try observed.subject.load()
        #expect(try observed.subject.load() === image)
        #expect(
            try observed.steps == [
                "while it was loaded, in code that runs before its entry", "in its entry",
            ])
    }

    @Test func `settings of a check stand in for those of the request, and others stay`() throws {
        var request = ValidationRequest(path: "", name: "", note: .null, seed: 1)
        #expect(Subject(request, writer: .init(descriptor: -1)) == nil)
        let observed = try ObservedSubject("DefectivePlugin")
        request = observed.subject.request
        #expect(observed.subject.settings(with: ["rate": 7]) == ["rate": 7])
        #expect(observed.subject.settings(with: 7) == 7)
        request.settings = ["rate": 1, "mode": "slow"]
        let subject = try #require(Subject(request, writer: .init(descriptor: -1)))
        #expect(subject.settings(with: ["rate": 7]) == ["rate": 7, "mode": "slow"])
    }

    @Test func `refused settings are those that were given, or that a default is missing`() throws {
        let observed = try ObservedSubject("DefectivePlugin")
        let failure = CodingFailure(pointer: try JSONPointer("/rate"), expected: "at most 100", found: "101")
        #expect(
            observed.subject.refusal(of: .object(Members()), failure)
                == .fail(
                    "expected settings that can be left out, found a refusal, /rate: expected at most 100, found 101; give each setting a default, or give settings with --settings"
                ))
        #expect(
            observed.subject.refusal(of: ["rate": 101], failure)
                == .fail(
                    "expected the settings {\"rate\":101} to be taken, found a refusal, /rate: expected at most 100, found 101; correct --settings, or the plugin's Settings"
                ))
    }
}
