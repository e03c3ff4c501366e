// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseControl

/// Actions that clients send.
@Suite(.timeLimit(.minutes(10))) struct ControlActionTests {
    /// The action in a text, at `/params/action`.
    private func action(_ text: String) throws -> ControlAction {
        try ControlAction(
            try JSONText.parse(Array(text.utf8)), at: JSONPointer(tokens: ["params", "action"]))
    }

    @Test func `all four members come through`() throws {
        let whole = try action(#"{"type":"a","payload":[1],"error":true,"meta":{"id":1}}"#)
        #expect(whole.type == "a" && whole.payload == [1] && whole.isError && whole.meta == ["id": 1])
        let bare = try action(#"{"type":"a"}"#)
        #expect(bare.payload == nil && !bare.isError && bare.meta == nil)
        #expect(try action(#"{"type":"a","payload":null,"error":false}"#).payload == .null)
    }

    @Test(arguments: [
        ("[]", ": expected an action, which is an object, found an array"),
        ("{}", "/type: expected a string that is not empty, found none"),
        (#"{"type":""}"#, "/type: expected a string that is not empty, found an empty string"),
        (#"{"type":1}"#, "/type: expected a string that is not empty, found an integer"),
        (#"{"type":"a","error":1}"#, "/error: expected a boolean, found an integer"),
        (#"{"type":"a","meta":[]}"#, "/meta: expected an object, found an array"),
        (#"{"type":"a","meta":null}"#, "/meta: expected an object, found null"),
        (
            #"{"type":"a","paylod":1}"#,
            #"/paylod: expected only the members type, payload, error and meta, found "paylod"; did you mean "payload"?"#
        ),
        (
            #"{"type":"a","x":1}"#,
            #"/x: expected only the members type, payload, error and meta, found "x""#
        ),
    ])
    func `what is no action is refused with its place`(text: String, message: String) {
        #expect {
            try action(text)
        } throws: { error in
            (error as? ControlError)?.message == "/params/action" + message
        }
    }
}
