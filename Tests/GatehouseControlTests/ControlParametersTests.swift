// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseControl
@testable import GatehouseJournal

/// What the parameters of a request mean.
@Suite(.timeLimit(.minutes(10))) struct ControlParametersTests {
    /// The parameters in a text.
    private func parameters(_ text: String, of method: ControlMethod) throws -> ControlParameters {
        try ControlParameters(try JSONText.parse(Array(text.utf8)), of: method)
    }

    /// Why parameters are refused; nil when they are not.
    private func refusal(
        _ text: String, of method: ControlMethod, _ read: (ControlParameters) throws -> Void
    ) throws -> String? {
        do {
            try read(try parameters(text, of: method))
            return nil
        } catch let error as ControlError {
            #expect(error.code == -32602)
            return error.message
        }
    }

    @Test func `a request without parameters has the default of each`() throws {
        let none = try ControlParameters(nil, of: .watch)
        #expect(try none.instances() == nil)
        #expect(try none.filter().hearsActions)
        #expect(try !none.filter().hearsTurnedAway)
        #expect(try ControlParameters(nil, of: .history).history() == HistoryQuery())
        #expect(try ControlParameters(nil, of: .state).pastState() == nil)
        #expect(try ControlParameters(nil, of: .state).pointer("pointer") == .whole)
        #expect(try ControlParameters(nil, of: .reload).trial() == nil)
        #expect(try ControlParameters(nil, of: .deadLetters).deadLetterKind() == nil)
    }

    @Test(arguments: [
        (#"{"depth":0}"#, "/params/depth: expected a number from 1 on, found 0"),
        (#"{"depth":1.5}"#, "/params/depth: expected a whole number, found a number"),
        (#"{"depth":"1"}"#, "/params/depth: expected a whole number, found a string"),
        (#"{"depth":1}"#, nil),
    ])
    func `a number is whole and not below the first that counts`(text: String, refusal: String?) throws {
        #expect(
            try self.refusal(text, of: .state) { _ = try $0.number("depth", from: 1) } == refusal)
    }

    @Test func `a flag is true or false, and false where it is not there`() throws {
        #expect(try parameters(#"{"undo":true}"#, of: .clusterDrain).flag("undo"))
        #expect(try !parameters(#"{"undo":false}"#, of: .clusterDrain).flag("undo"))
        #expect(try !parameters("{}", of: .clusterDrain).flag("undo"))
        #expect(
            try refusal(#"{"undo":1}"#, of: .clusterDrain) { _ = try $0.flag("undo") }
                == "/params/undo: expected a boolean, found an integer")
    }

    @Test func `a path is absolute`() throws {
        let what = "the program"
        #expect(try parameters("{}", of: .upgrade).path("program", of: what) == nil)
        #expect(try parameters(#"{"program":"/bin/a"}"#, of: .upgrade).path("program", of: what) == "/bin/a")
        for (text, found) in [(#""bin/a""#, #""bin/a""#), ("1", "an integer")] {
            #expect(
                try refusal(#"{"program":\#(text)}"#, of: .upgrade) { _ = try $0.path("program", of: what) }
                    == "/params/program: expected the absolute path of the program, found \(found)")
        }
    }

    // MARK: - Of one method

    @Test(arguments: [
        (#"{"history":1}"#, nil), (#"{"history":1,"strict":true}"#, nil), ("{}", nil),
        (#"{"history":0}"#, "/params/history: expected a number from 1 on, found 0"),
        (#"{"strict":false}"#, #"/params/strict: expected it beside "history", found it alone"#),
        (#"{"history":1,"strict":1}"#, "/params/strict: expected a boolean, found an integer"),
    ])
    func `a trial before a reload has a number of actions`(text: String, refusal: String?) throws {
        #expect(try self.refusal(text, of: .reload) { _ = try $0.trial() } == refusal)
    }

    @Test func `a trial before a reload is bounded`() throws {
        let trial = try parameters(#"{"history":5,"strict":true}"#, of: .reload).trial()
        #expect(trial?.count == 5 && trial?.isStrict == true)
        #expect(try parameters(#"{"history":5}"#, of: .reload).trial()?.isStrict == false)
        let most = HistoryTrial.most
        #expect(try parameters(#"{"history":\#(most)}"#, of: .reload).trial()?.count == most)
        #expect(
            try refusal(#"{"history":\#(most + 1)}"#, of: .reload) { _ = try $0.trial() }
                == "/params/history: expected at most \(most), found \(most + 1); try more with gatehouse replay"
        )
    }

    @Test(arguments: [
        (#"{"file":"/a/libA.so"}"#, nil), (#"{"name":"libA.so","content":"AAE="}"#, nil),
        ("{}", "/params/file: expected the path of a library or a configuration, found none"),
        (#"{"file":"libA.so"}"#, #"/params/file: expected a path from the root on, found "libA.so""#),
        (
            #"{"file":"/a","content":"AAE="}"#,
            #"/params: expected "file" or "content", found both; keep one of them"#
        ),
        (#"{"content":"AAE="}"#, "/params/name: expected the name of a file, found none"),
        (
            #"{"name":"","content":"AAE="}"#,
            #"/params/name: expected the name of a file, without a folder, found """#
        ),
        (
            #"{"name":"a/b","content":"AAE="}"#,
            #"/params/name: expected the name of a file, without a folder, found "a/b""#
        ),
        (
            #"{"name":".a","content":"AAE="}"#,
            #"/params/name: expected the name of a file, without a folder, found ".a""#
        ),
        (
            #"{"name":"a","content":"?"}"#,
            "/params/content: expected bytes in Base64, found a string"
        ),
        (#"{"name":"a","content":1}"#, "/params/content: expected bytes in Base64, found an integer"),
    ])
    func `a candidate is a file of the host's machine, or its bytes with a name`(
        text: String, refusal: String?
    ) throws {
        #expect(try self.refusal(text, of: .try) { _ = try $0.candidate() } == refusal)
    }

    @Test func `a candidate's bytes come as they were sent, under a name of up to 200 bytes`() throws {
        let name = String(repeating: "n", count: 200)
        guard
            case .upload(let found, let bytes) = try parameters(
                #"{"name":"\#(name)","content":"AAEC"}"#, of: .try
            ).candidate()
        else {
            Issue.record("no upload")
            return
        }
        #expect(found == name && bytes == [0, 1, 2])
        #expect(
            try refusal(#"{"name":"\#(name)n","content":"AAEC"}"#, of: .try) { _ = try $0.candidate() } != nil
        )
    }

    @Test func `a trial goes over the last actions, or those since a moment`() throws {
        let extent = try parameters(#"{"last":5,"since":1.5}"#, of: .try).extent()
        #expect(extent.last == 5 && extent.since == 1.5)
        let all = try parameters("{}", of: .try).extent()
        #expect(all.last == nil && all.since == nil)
        #expect(
            try refusal(#"{"since":"now"}"#, of: .try) { _ = try $0.extent() }
                == "/params/since: expected a moment in seconds since 1970, found a string")
        #expect(
            try refusal(#"{"last":0}"#, of: .try) { _ = try $0.extent() }
                == "/params/last: expected a number from 1 on, found 0")
    }

    @Test func `a gate is opened or closed`() throws {
        #expect(try parameters(#"{"position":"open"}"#, of: .gate).position() == .active)
        #expect(try parameters(#"{"position":"close"}"#, of: .gate).position() == .bypass)
        for (text, found) in [("{}", "none"), (#"{"position":"shut"}"#, #""shut""#)] {
            #expect(
                try refusal(text, of: .gate) { _ = try $0.position() }
                    == #"/params/position: expected "open" or "close", found \#(found)"#)
        }
    }

    @Test(arguments: [
        (#"{"ids":[3,1]}"#, [3, 1] as [Int64]?), (#"{"all":true}"#, nil),
        (#"{"all":true,"kind":"late"}"#, nil), (#"{"ids":[]}"#, []),
    ])
    func `dead letters are selected by number, or all of them`(text: String, ids: [Int64]?) throws {
        #expect(try parameters(text, of: .discard).deadLetters() == ids)
    }

    @Test(arguments: [
        ("{}", #"/params: expected "ids" or "all", found none; give one of them"#),
        (#"{"ids":[1],"all":true}"#, #"/params: expected "ids" or "all", found both; give one of them"#),
        (
            #"{"ids":[1],"kind":"late"}"#,
            #"/params/kind: expected none beside "ids", found one; give it with "all""#
        ),
        (#"{"all":false}"#, "/params/all: expected true, found a boolean"),
        (#"{"ids":1}"#, "/params/ids: expected an array of numbers, found an integer"),
        (#"{"ids":[1,"2"]}"#, "/params/ids/1: expected the number of a dead letter, found a string"),
    ])
    func `a selection of dead letters that says two things or none is refused`(
        text: String, refusal: String
    ) throws {
        #expect(try self.refusal(text, of: .discard) { _ = try $0.deadLetters() } == refusal)
    }

    @Test func `another action takes the place of one dead letter's`() throws {
        let one = try parameters(#"{"ids":[1],"action":{"type":"a"}}"#, of: .redispatch)
        #expect(try one.editedAction(of: [1])?.type == "a")
        #expect(try parameters(#"{"ids":[1]}"#, of: .redispatch).editedAction(of: [1]) == nil)
        for (ids, found) in [([1, 2] as [Int64]?, "2 numbers"), ([], "0 numbers"), (nil, #""all""#)] {
            #expect(
                try refusal(#"{"action":{"type":"a"}}"#, of: .redispatch) {
                    _ = try $0.editedAction(of: ids)
                } == #"/params/action: expected it beside one number in "ids", found \#(found)"#)
        }
    }

    @Test func `a kind of dead letters is one that there is`() throws {
        #expect(try parameters(#"{"kind":"late"}"#, of: .deadLetters).deadLetterKind() == .late)
        let refusal = try refusal(#"{"kind":"lte"}"#, of: .deadLetters) { _ = try $0.deadLetterKind() }
        #expect(refusal?.hasPrefix("/params/kind: expected one of ") == true)
        #expect(refusal?.hasSuffix(#", found "lte"; did you mean "late"?"#) == true)
    }

    @Test func `past actions are selected by types, instances, text and number`() throws {
        let query = try parameters(
            #"{"types":["a/*"],"instances":["b"],"text":"c","before":9,"limit":1000}"#, of: .history
        ).history()
        #expect(query.types == [TypePattern(stem: "a/", isOpen: true)])
        #expect(query.instances == ["b"] && query.text == "c" && query.before == 9)
        #expect(query.limit == 1_000 && query.causes == nil)
        #expect(try parameters(#"{"causes":4}"#, of: .history).history().causes == 4)
        #expect(try parameters("{}", of: .history).history().limit == 100)
    }

    @Test(arguments: [
        (
            #"{"limit":1001}"#,
            #"/params/limit: expected at most 1000, found 1001; ask for older ones with "before""#
        ),
        (#"{"limit":0}"#, "/params/limit: expected a number from 1 on, found 0"),
        (#"{"text":""}"#, "/params/text: expected a text to look for, found an empty string"),
        (#"{"before":0}"#, "/params/before: expected the number of an action, found 0"),
        (#"{"causes":0}"#, "/params/causes: expected the number of an action, found 0"),
        (#"{"causes":1,"types":["a"]}"#, #"/params/types: expected none beside "causes", found one"#),
        (#"{"causes":1,"before":3}"#, #"/params/before: expected none beside "causes", found one"#),
        (
            #"{"types":["a*b"]}"#,
            #"/params/types/0: expected an action type with "*" nowhere but at its end, found "a*b""#
        ),
        (#"{"types":"a"}"#, "/params/types: expected an array of action types, found a string"),
        (#"{"instances":[1]}"#, "/params/instances/0: expected a string, found an integer"),
    ])
    func `a query that can find nothing is refused`(text: String, refusal: String) throws {
        #expect(try self.refusal(text, of: .history) { _ = try $0.history() } == refusal)
    }

    @Test func `a past state is that after an action, with what has changed since another`() throws {
        let query = try parameters(#"{"pointer":"/a","at":9,"since":9,"depth":2}"#, of: .state).pastState()
        #expect(
            query?.pointer.description == "/a" && query?.at == 9 && query?.since == 9 && query?.depth == 2)
        #expect(try parameters(#"{"at":0,"since":0}"#, of: .state).pastState()?.at == 0)
        for (text, expected) in [
            (#"{"since":1}"#, #"/params/since: expected it beside "at", found it alone"#),
            (#"{"at":1,"since":2}"#, "/params/since: expected an action before 1, found 2"),
            (#"{"at":-1}"#, "/params/at: expected the number of an action, found -1"),
            (
                #"{"at":1,"pointer":"a"}"#,
                #"/params/pointer: expected a JSON Pointer such as "/orders/eu", found "a""#
            ),
            (#"{"at":1,"pointer":1}"#, "/params/pointer: expected a JSON Pointer, found an integer"),
        ] {
            #expect(try refusal(text, of: .state) { _ = try $0.pastState() } == expected)
        }
    }

    @Test func `one action is dispatched, or several`() throws {
        #expect(
            try parameters(#"{"action":{"type":"a"}}"#, of: .dispatch).actions().map(\.type) == ["a"])
        #expect(
            try parameters(#"{"actions":[{"type":"a"},{"type":"b"}]}"#, of: .dispatch).actions()
                .map(\.type) == ["a", "b"])
        for (text, expected) in [
            ("{}", "/params/action: expected an action, found none"),
            (
                #"{"action":{"type":"a"},"actions":[]}"#,
                #"/params: expected "action" or "actions", found both; keep one of them"#
            ),
            (
                #"{"actions":[{"type":"a"},1]}"#,
                "/params/actions/1: expected an action, which is an object, found an integer"
            ),
        ] {
            #expect(try refusal(text, of: .dispatch) { _ = try $0.actions() } == expected)
        }
    }
}
