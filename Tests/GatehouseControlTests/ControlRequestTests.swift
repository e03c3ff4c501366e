// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseControl

/// What a line of a client asks for, and what is said of one that asks for nothing.
@Suite(.timeLimit(.minutes(10))) struct ControlRequestTests {
    /// What a line is answered that is no request: the id, the code and the message; nil for a request.
    private func mistake(_ line: String) -> String? {
        do throws(ControlRequest.Mistake) {
            _ = try ControlRequest(Array(line.utf8))
            return nil
        } catch {
            return "\(error.id?.json() ?? "none") \(error.error.code) \(error.error.message)"
        }
    }

    @Test func `a request has a method, and an id unless nobody waits for the answer`() throws {
        let request = try ControlRequest(
            Array(#"{"jsonrpc":"2.0","id":7,"method":"gate","params":{"id":"a"}}"#.utf8))
        #expect(request.method == .gate && request.id == 7)
        #expect(request.parameters["id"] == "a")
        #expect(request.parameters["position"] == nil)
        let notification = try ControlRequest(Array(#"{"jsonrpc":"2.0","method":"status"}"#.utf8))
        #expect(notification.method == .status && notification.id == nil)
    }

    @Test(arguments: ["null", "7", "7.5", "18446744073709551615", "1e400", #""seven""#])
    func `an id is a text, a number or null`(id: String) throws {
        let request = try ControlRequest(
            Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"status"}"#.utf8))
        #expect(request.id == (try JSONText.parse(Array(id.utf8))))
    }

    @Test(arguments: [
        (
            #"{"#,
            "null -32700 column 2: expected a member name in double quotes, found the end of the text; send one JSON object a line"
        ),
        ("7", "null -32600 expected a request, which is an object, found an integer"),
        (
            "[]",
            "null -32600 expected a request, which is an object, found an array; batches are not supported, send the requests line by line"
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"methd":"status"}"#,
            #"1 -32600 unknown member "methd"; did you mean "method"?"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"status","also":1}"#,
            #"1 -32600 unknown member "also"; remove it"#
        ),
        (
            #"{"id":1,"method":"status"}"#,
            #"1 -32600 /jsonrpc: expected "2.0", found none; this is JSON-RPC 2.0"#
        ),
        (
            #"{"jsonrpc":"1.0","id":"x","method":"status"}"#,
            #""x" -32600 /jsonrpc: expected "2.0", found "1.0"; this is JSON-RPC 2.0"#
        ),
        (
            #"{"jsonrpc":"2.0","id":true,"method":"status"}"#,
            "null -32600 /id: expected a string, a number or null, found a boolean"
        ),
        (
            #"{"jsonrpc":"2.0","id":[1],"method":"status"}"#,
            "null -32600 /id: expected a string, a number or null, found an array"
        ),
        (
            #"{"jsonrpc":"2.0","id":{},"method":"status"}"#,
            "null -32600 /id: expected a string, a number or null, found an object"
        ),
        (
            #"{"jsonrpc":"2.0","id":1}"#,
            #"1 -32600 /method: expected a string, found none; name a method such as "status""#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":7}"#,
            #"1 -32600 /method: expected a string, found an integer; name a method such as "status""#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"statsu"}"#,
            #"1 -32601 unknown method "statsu"; did you mean "status"?"#
        ),
        // A notification is not answered, whatever is wrong with it.
        (
            #"{"jsonrpc":"2.0","method":"statsu"}"#,
            #"none -32601 unknown method "statsu"; did you mean "status"?"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"status","params":[1]}"#,
            "1 -32602 /params: expected an object, found an array; name the parameters"
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"status","params":{"deep":1}}"#,
            #"1 -32602 /params/deep: expected no parameters, found "deep"; remove it"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"gate","params":{"positon":1}}"#,
            #"1 -32602 /params/positon: expected only "id", "position", found "positon"; did you mean "position"?"#
        ),
    ])
    func `a line that is no request is told why, with its id if it has one`(line: String, answer: String) {
        #expect(mistake(line) == answer)
    }
}
