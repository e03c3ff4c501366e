// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// What a running host that keeps a journal says about its past.
@Suite(.timeLimit(.minutes(10))) struct ControlPastTests {
    /// One till that keeps a journal.
    private static let configuration =
        #"{ "name": "shop", "journal": { "directory": "journal" }, "plugins": [{ "id": "till" }] }"#

    let scene: Scene
    let host: ChildProcess
    let client: LocalConnection

    /// A host that runs, and a client of it.
    init() throws {
        scene = try Scene(Self.configuration, libraries: ["TillOnePlugin"])
        host = try scene.start(["--control"])
        try host.waitForErrors("shop can be controlled")
        client = try LocalConnection(scene.folder("gatehouse/shop.sock"))
    }

    /// The answer to a request.
    private func ask(_ method: String, _ parameters: Value = [:]) throws -> Value {
        let request: Value = ["jsonrpc": "2.0", "id": 1, "method": .string(method), "params": parameters]
        client.write(request.json() + "\n")
        return try JSONText.parse(try #require(client.readLine()))
    }

    /// Sells at these prices, each with a tax that follows from it.
    private func sell(_ prices: Int...) throws {
        for price in prices {
            let action: Value = ["type": "till/sold", "payload": Value(price)]
            #expect(try ask("dispatch", ["action": action])["result"]?["dispatched"] == 1)
        }
    }

    /// The numbers of the actions in an answer.
    private func numbers(_ answer: Value) -> [Int] {
        answer["result"]?["actions"]?.arrayValue?.compactMap { $0["sequence"]?.intValue } ?? []
    }

    /// What is refused.
    private func refusal(_ method: String, _ parameters: Value) throws -> String? {
        try ask(method, parameters)["error"]?["message"]?.stringValue
    }

    @Test func `the newest actions are told at once, with what led to them and where older ones are`() throws
    {
        try sell(10, 20, 30)
        let newest = try ask("history", ["limit": 3])
        #expect(numbers(newest) == [4, 5, 6])
        #expect(newest["result"]?["bounds"] == ["first": 1, "last": 6])
        #expect(newest["result"]?["earlier"] == 4)
        let last = newest["result"]?["actions"]?[2]
        #expect(last?["action"] == ["type": "till/taxed", "payload": 36])
        #expect(last?["cause"] == ["kind": "output", "of": 5])
        let oldest = try ask("history", ["before": 4])
        #expect(numbers(oldest) == [1, 2, 3])
        #expect(oldest["result"]?["earlier"] == nil)
    }

    @Test func `types and instances are looked for past those that are not wanted`() throws {
        try sell(10, 20, 30)
        #expect(numbers(try ask("history", ["types": ["till/sold"]])) == [1, 3, 5])
        #expect(numbers(try ask("history", ["instances": ["till"], "limit": 2])) == [4, 6])
        #expect(numbers(try ask("history", ["types": ["other/*"]])) == [])
    }

    @Test func `actions are found by what their payloads contain`() throws {
        try sell(10, 20, 30)
        #expect(numbers(try ask("history", ["text": #""payload":24"#])) == [4])
        #expect(numbers(try ask("history", ["text": "TILL/TAXED", "limit": 2])) == [4, 6])
        #expect(try ask("history", ["text": "nowhere"])["result"]?["searched"] == 6)
        #expect(
            try refusal("history", ["text": ""])
                == "/params/text: expected a text to look for, found an empty string")
        // A line is recorded as it came, and found as it is shown.
        host.write(#"{ "type": "till/sold", "payload": "caf\u00e9" }"# + "\n")
        try host.waitForErrors("till/sold for till: the payload does not fit")
        // A turn after the action, which is told of before it is done.
        _ = try ask("status")
        #expect(numbers(try ask("history", ["text": #""payload":"café""#])) == [7])
        #expect(try scene.call("history", "--text", "café", "--json").output.contains(#""sequence":7,"#))
        #expect(try scene.call("history", "--text", "").errors.contains("--text needs a value: a text"))
    }

    @Test func `recorded actions are dispatched again as lines, without those that follow by themselves`()
        throws
    {
        try sell(10, 20)
        _ = try ask("history")
        let lines = try scene.call("history", "--json").output
        let again = try ChildProcess.run(
            arguments: ["ctl", "dispatch", "-"], input: Array(lines.utf8), in: scene.folder.path,
            environment: scene.environment)
        #expect(
            again.output
                == "2 actions dispatched; 2 recorded actions left out, because what was dispatched leads to them again\n"
        )
        #expect(numbers(try ask("history")) == Array(1...8))
    }

    @Test func `an action is told with all that led to it and that it led to`() throws {
        try sell(10, 20)
        #expect(numbers(try ask("history", ["causes": 4])) == [3, 4])
        #expect(numbers(try ask("history", ["causes": 1])) == [1, 2])
        #expect(numbers(try ask("history", ["causes": 9])) == [])
        let cut = try ask("history", ["causes": 3, "limit": 1])
        #expect(numbers(cut) == [3])
        #expect(cut["result"]?["cut"] == true)
    }

    @Test func `the state of then is made by the reducers, and compared with one before`() throws {
        try sell(10, 20)
        #expect(
            try ask("state", ["pointer": "/till/total", "at": 2])["result"]
                == ["pointer": "/till/total", "at": 2, "value": 12])
        #expect(try ask("state", ["pointer": "/till/total", "at": 0])["result"]?["value"] == 0)
        #expect(
            try ask("state", ["pointer": "/till", "at": 4, "since": 3])["result"]?["changes"]
                == [["pointer": "/till/total", "was": 12, "is": 36]])
        #expect(try ask("state", ["at": 3, "since": 2])["result"]?["changes"] == [])
        #expect(try ask("state", ["pointer": "/till/total"])["result"]?["value"] == 36)
        #expect(
            try ask("state", ["at": 2, "depth": 1])["result"]
                == ["pointer": "", "at": 2, "value": ["till": [:]], "cut": ["/till"]])
        #expect(
            try ask("state", ["depth": 1])["result"]
                == ["pointer": "", "value": ["till": [:]], "cut": ["/till"]])
    }

    @Test func `a watcher is told the number that the journal gives an action`() throws {
        try sell(10)
        _ = try ask("watch", ["types": ["till/*"]])
        let other = try LocalConnection(scene.folder("gatehouse/shop.sock"))
        other.write(
            #"{"jsonrpc":"2.0","method":"dispatch","params":{"action":{"type":"till/sold","payload":5}}}"#
                + "\n")
        let told = try [client.readLine(), client.readLine()].map { try JSONText.parse(try #require($0)) }
        #expect(told.map { $0["params"]?["sequence"] } == [3, 4])
    }

    @Test func `what makes no sense is told with its place`() throws {
        try sell(10)
        #expect(
            try refusal("history", ["limit": 1001])
                == #"/params/limit: expected at most 1000, found 1001; ask for older ones with "before""#)
        #expect(
            try refusal("history", ["before": 0])
                == "/params/before: expected the number of an action, found 0"
        )
        #expect(
            try refusal("history", ["causes": 1, "types": ["a"]])
                == #"/params/types: expected none beside "causes", found one"#)
        #expect(
            try refusal("state", ["since": 1]) == #"/params/since: expected it beside "at", found it alone"#)
        #expect(
            try refusal("state", ["at": 1, "since": 2])
                == "/params/since: expected an action before 1, found 2")
        #expect(try refusal("state", ["at": 9]) == "the journal has no action 9; its last one is 2")
    }

    @Test func `a configuration that is wrong by now does not keep anybody from looking back`() throws {
        try sell(10)
        try scene.folder.write(#"{ "plugins": [{ "id": "till", "gat": "bypass" }] }"#, to: "plugins.json")
        #expect(try ask("state", ["at": 2, "pointer": "/till/total"])["result"]?["value"] == 12)
        #expect(numbers(try ask("history")) == [1, 2])
    }
}

/// A host without a journal, which knows no past.
@Suite(.timeLimit(.minutes(10))) struct PastlessControlTests {
    @Test func `without a journal the past is refused with what to do`() throws {
        let host = try ControlledHost()
        let sentence =
            #""message":"this host keeps no journal, so it has no history; add \"journal\" to its configuration""#
        let answers = try host.answers(
            to: #"{"jsonrpc":"2.0","id":1,"method":"history"}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"state","params":{"at":1}}"#)
        for answer in answers { #expect(answer?.contains(sentence) == true) }
        #expect(try host.status()["journal"] == nil)
    }
}
