// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseChecks

/// What checks send a plugin that takes everything.
@Suite(.timeLimit(.minutes(10))) struct ActionChecksTests {
    /// What it was sent under a check, as the steps tell it, when it is known to take one payload.
    private func heard(_ check: String, _ payload: Value?) throws -> [String] {
        let observed = try ObservedSubject(
            "DefectivePlugin", examples: [ExampleAction("note", payload: payload)])
        #expect(try observed.perform(check) == .pass)
        let beginning = "when it heard note with "
        return try observed.steps.filter { $0.hasPrefix(beginning) }.map {
            String($0.dropFirst(beginning.count))
        }
    }

    /// The last thing that is sent: what it took before is to be taken still.
    private let again = #"{"a":{"b":1}}"#

    @Test func `deep values take the place of each value and of each container`() throws {
        #expect(
            try heard("actions/deep-payloads", ["a": ["b": 1]])
                == [1_012, 6_052, 1_018, 6_058, 1_024, 6_064, 1_012, 6_052].map { size in
                    "\(size == 1_012 ? "an array" : "an object") of \(size) bytes"
                } + [again])
    }

    @Test func `odd texts take the place of values alone, and of the whole payload at last`() throws {
        let texts = OddValues.texts.map { Value.string($0) }
        #expect(
            try heard("actions/odd-texts", ["a": ["b": 1]])
                == texts.map { "{\"a\":{\"b\":\($0.json())}}" } + texts.map { $0.json() } + [again])
    }

    @Test func `each number comes twice, so that sums overflow`() throws {
        let numbers = OddValues.numbers.flatMap { [$0.json(), $0.json()] }
        #expect(try heard("actions/extreme-numbers", 1) == numbers + numbers + ["1"])
    }

    @Test func `each member is left out, with what is in it, but never the payload`() throws {
        #expect(
            try heard("actions/missing-members", ["a": ["b": 1]]) == [#"{}"#, #"{"a":{}}"#, again])
        #expect(try heard("actions/missing-members", nil) == ["no payload", "no payload"])
    }

    @Test func `a payload is missing, and then null`() throws {
        #expect(try heard("actions/missing-payload", 1) == ["no payload", "null", "1"])
    }
}
