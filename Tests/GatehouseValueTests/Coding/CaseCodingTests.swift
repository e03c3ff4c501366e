// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

/// Enums as a case name and a payload.
@Suite(.timeLimit(.minutes(10))) struct CaseCodingTests {
    /// A case, its name, and its payload as text; nil for none.
    static let table: [(Order, String, String?)] = [
        (
            .placed(id: "o-1", amount: 2.5, express: true), "placed",
            #"{"id":"o-1","amount":2.5,"express":true}"#
        ),
        (.cancelled(7), "cancelled", "7"),
        (.shipped(Address(street: "Weg 1", lines: nil)), "shipped", #"{"street":"Weg 1"}"#),
        (.shipped(Address()), "shipped", "{}"),
        (.noted(["_0": 1]), "noted", #"{"_0":1}"#),
        (.noted([1, 2]), "noted", "[1,2]"),
        (.noted(nil), "noted", "null"),
        (.noted([:]), "noted", "{}"),
        (.rated(5), "rated", "5"),
        (.rated(nil), "rated", nil),
        (.moved(1, 2), "moved", #"{"_0":1,"_1":2}"#),
        (.tagged("x", colour: "red"), "tagged", #"{"_0":"x","colour":"red"}"#),
        (.tagged("x", colour: nil), "tagged", #"{"_0":"x"}"#),
        (.closed, "closed", nil),
    ]

    @Test func `an array of plain values has them all, in their order`() {
        let tape = Tape.make([[1, 2], [], [3]])
        #expect([[Int]](plain: tape, at: 0) == [[1, 2], [], [3]])
        #expect([Int](plain: tape, at: 0) == nil)
        #expect([[Int]](plain: Tape.make([[1, "x"]]), at: 0) == nil)
    }

    @Test(arguments: table)
    func `a case is encoded as its name and payload`(order: Order, name: String, payload: String?) throws {
        let encoded = try Value.encodeCase(order)
        #expect(encoded.name == name)
        #expect(encoded.payload?.json() == payload)
    }

    @Test(arguments: table)
    func `a case is decoded from its name and payload`(order: Order, name: String, payload: String?) throws {
        guard let payload else {
            #expect(try Tape.decode(Order.self, asCase: name) == order)
            return
        }
        let value = try JSONText.parse(payload)
        #expect(try Tape.make(value).root.decode(Order.self, asCase: name) == order)
        // The same payload somewhere inside a document.
        let inside = Tape.make(["before": "x", "list": [1, value], "after": 2]).root["list"]?[1]
        #expect(try inside?.decode(Order.self, asCase: name) == order)
    }

    @Test(arguments: ["{}", #"{"any":1}"#, "7", "null", "[]", #""text""#])
    func `a case without values ignores a payload of any kind`(payload: String) throws {
        let view = Tape.make(try JSONText.parse(payload)).root
        #expect(try view.decode(Order.self, asCase: "closed") == .closed)
    }

    @Test func `a null payload is a nil value`() throws {
        #expect(try Tape.make(nil).root.decode(Order.self, asCase: "rated") == .rated(nil))
    }

    @Test func `an absent payload leaves an object of optional members empty`() throws {
        #expect(try Tape.decode(Order.self, asCase: "shipped") == .shipped(Address()))
    }

    /// Case, payload (nil for none), and the sentence.
    static let failures: [(String, String?, String)] = [
        ("placed", #"{"id":1,"amount":2,"express":true}"#, "/id: expected a string, found an integer"),
        (
            "placed", #"{"id":"1","express":true}"#,
            #"the whole value: expected a member "amount", found none"#
        ),
        ("placed", "[]", "the whole value: expected an object, found an array"),
        ("placed", nil, #"the whole value: expected a member "id", found none"#),
        ("cancelled", #""x""#, "the whole value: expected an integer, found a string"),
        ("shipped", #"{"lines":["a",2]}"#, "/lines/1: expected a string, found an integer"),
        ("moved", "3", "the whole value: expected an object, found an integer"),
        ("unknown", "{}", #"the whole value: expected a case of Order, found "unknown""#),
    ]

    @Test(arguments: failures)
    func `a payload that does not fit is explained`(name: String, payload: String?, message: String) throws {
        let view = try payload.map { Tape.make(try JSONText.parse($0)).root } ?? Tape.emptyObject.root
        let error = #expect(throws: DecodingError.self) { try view.decode(Order.self, asCase: name) }
        #expect(error.map { CodingFailure($0).description } == message)
    }

    @Test func `an enum of raw strings is a name without payload`() throws {
        let encoded = try Value.encodeCase(Everything.Kind.large)
        #expect(encoded.name == "large")
        #expect(encoded.payload == nil)
        #expect(try Tape.decode(Everything.Kind.self, asCase: "large") == .large)
    }

    @Test func `a struct of two members is no case`() {
        let error = #expect(throws: EncodingError.self) {
            try Value.encodeCase(Address(street: "a", lines: ["b"]))
        }
        #expect(
            error.map { CodingFailure($0).description }
                == "the whole value: expected an object of one member, a case, found an object of 2")
    }
}
