// SPDX-License-Identifier: Apache-2.0

import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehouseChecks
@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What a line asks for that `gatehouse probe` reads.
struct ProbeLineTests {
    /// What a line asks for, in a form that can be compared.
    private func read(_ text: String) throws(ProbeLine.Mistake) -> String {
        switch try ProbeLine(Array(text.utf8)) {
        case nil: "nothing"
        case .send(let action):
            "\(action.type) \(action.payload?.json() ?? "-") \(action.error) \(action.meta?.json() ?? "-")"
        case .advance(let duration): "advance \(duration.inSeconds)"
        case .gate(let position): "gate \(position.rawValue)"
        }
    }

    @Test(arguments: [
        ("", "nothing"), (" \t\r", "nothing"),
        (#"{"type":"hello"}"#, "hello - false -"),
        (#" {"type":"a/b","payload":[1],"error":true,"meta":{"k":1}}"#, #"a/b [1] true {"k":1}"#),
        // A payload may have any members.
        (#"{"type":"hello","payload":{"advance":"5s"}}"#, #"hello {"advance":"5s"} false -"#),
        (#"{"advance":"250ms"}"#, "advance 0.25 s"), (#"{"advance":3}"#, "advance 3 s"),
        (#"{"gate":"active"}"#, "gate active"), (#"{"gate":"bypass"}"#, "gate bypass"),
    ])
    func `a line is an action, moves the clock or the gate, or has nothing on it`(line: String, asks: String)
        throws
    {
        #expect(try read(line) == asks)
    }

    @Test(arguments: [
        (#"{"type":5}"#, 9, #"expected a string as "type", found an integer"#),
        (
            #"{"payload":5}"#, 1,
            #"expected the member "type", found an object without it; name the action there"#
        ),
        (#"["hello"]"#, 1, #"expected an action such as {"type":"orders/placed"}, found an array"#),
        (#"{"type":"hello""#, 16, "expected ',' or '}', found the end of the text"),
        (#"{"advanc":"5s"}"#, 2, #"unknown key "advanc"; did you mean "advance"?"#),
        (
            #"{"type":"hello","advance":"5s"}"#, 2,
            #"unknown key "type", expected "advance" or "gate"; rename or remove it"#
        ),
        (
            #"{"gate":"active","advance":1}"#, 9,
            #""advance" and "gate" are both given; write each in a line of its own"#
        ),
        (#"{"gate":"open"}"#, 9, #"expected "active" or "bypass", found "open"; choose one of them"#),
    ])
    func `what else stands there is told with its place`(line: String, column: Int, sentence: String) {
        #expect(throws: ProbeLine.Mistake(column: column, sentence: sentence)) { try read(line) }
    }
}
