// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseSDK

/// An action of any plugin.
@Suite(.timeLimit(.minutes(10))) struct AnyActionTests {
    @Test func `an action without parts has no content, and any part is one`() {
        let tape = Tape.make(1).root
        let bare = [AnyAction("any/bare"), AnyAction("any/bare", tape: nil, error: true, meta: nil)]
        for action in bare {
            #expect(action.content == nil)
            #expect(action.payloadSerial == 0)
            #expect(action.payload == nil && action.meta == nil)
            #expect(!action.hasMeta)
            #expect(action.size(upTo: 10) == 0)
        }
        #expect(bare.map(\.isError) == [false, true])
        let full = [
            AnyAction("a", payload: 1), AnyAction("a", meta: 1),
            AnyAction("a", tape: tape, error: false, meta: nil),
            AnyAction("a", tape: nil, error: false, meta: tape),
        ]
        #expect(full.map(\.payload) == [1, nil, 1, nil])
        #expect(full.map(\.meta) == [nil, 1, nil, 1])
        #expect(full.map(\.hasMeta) == [false, true, false, true])
        #expect(Set(full.map(\.payloadSerial)).count == 4)
        #expect(!full.contains { $0.payloadSerial == 0 || $0.isError })
    }

    @Test func `another name changes nothing else, and the same one nothing at all`() {
        var action = AnyAction("a", payload: 1, error: true, meta: 2)
        let serial = action.payloadSerial
        action.rename(to: "a")
        #expect(action.type == "a")
        action.rename(to: "b")
        #expect(action.type == "b")
        #expect(action.isError)
        #expect(action.payloadSerial == serial)
        #expect(action.payload == 1 && action.meta == 2)
    }

    @Test func `an action keeps a name that passes, with and without a payload`() throws {
        var name = "any/passing"
        let first = try #require(name.withUTF8 { unsafe AnyAction(arriving: UnsafeRawBufferPointer($0)) })
        let type = first.type
        #expect(first.content?.name?.text == "any/passing")
        #expect(AnyAction(type, tape: nil, error: false, meta: nil).content?.name === first.content?.name)
        let same = first.renamed(type)
        #expect(same.content === first.content)
        #expect(AnyAction("any/bare").renamed(type).content?.name === first.content?.name)
        #expect(AnyAction("any/bare", payload: 1).renamed(type).content?.name === first.content?.name)
        #expect(first.renamed("any/bare").type == "any/bare")
    }

    @Test func `a part of a payload is found by its place, however it came`() throws {
        let value: Value = ["a": [1, ["b": "x"]]]
        let place = try JSONPointer("/a/1/b")
        for action in [
            AnyAction("a", payload: value),
            AnyAction("a", tape: Tape.make(value).root, error: false, meta: nil),
        ] {
            #expect(action.payload(at: place) == "x")
            #expect(action.payload(at: .whole) == value)
            #expect(try action.payload(at: JSONPointer("/b")) == nil)
        }
    }

    @Test func `the wire form has the members that there are`() throws {
        #expect(try AnyAction("a").wireForm() == ["type": "a"])
        #expect(
            try AnyAction("a", payload: 1, error: true, meta: 2).wireForm()
                == ["type": "a", "payload": 1, "error": true, "meta": 2])
    }

    @Test func `an action is coded in its wire form`() throws {
        let forms: [Value] = [
            ["type": "a"], ["type": "a", "payload": 1, "error": true, "meta": 2], ["type": "b", "meta": [:]],
        ]
        for form in forms {
            let action = try form.decode(AnyAction.self)
            #expect(try action.wireForm() == form)
            #expect(try Value(encoding: action) == form)
        }
        #expect(throws: DecodingError.self) { try (["payload": 1] as Value).decode(AnyAction.self) }
        #expect(throws: RefusingEncoder.Refusal.self) { try AnyAction("a").encode(to: RefusingEncoder()) }
    }

    @Test func `a payload is appended as text, whatever form it is in`() throws {
        for action in [
            AnyAction("a", payload: [1]), AnyAction("a", tape: Tape.make([1]).root, error: false, meta: nil),
        ] {
            var bytes = Array("> ".utf8)
            try action.writePayload(to: &bytes)
            #expect(String(decoding: bytes, as: UTF8.self) == "> [1]")
        }
        var bytes: [UInt8] = []
        try AnyAction("a", meta: 1).writePayload(to: &bytes)
        #expect(bytes == [])
        struct Refusing: PluginAction {
            func encoded() throws -> (name: String, payload: Value?) {
                throw CodingFailure(pointer: .whole, expected: "more", found: "less")
            }
        }
        let refusing = AnyAction(type: "a", typed: Refusing(), isError: false)
        #expect(throws: CodingFailure.self) { try refusing.writePayload(to: &bytes) }
        #expect(throws: CodingFailure.self) { try refusing.writeWireForm(to: &bytes) }
        #expect(refusing.payload == nil)
        #expect(refusing.payloadJSON() == nil)
        #expect(bytes == [])
    }
}
