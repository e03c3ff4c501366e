// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Synchronization
import Testing

@testable import GatehouseSDK
@testable import GatehouseValue

/// The parts of an action, and what its readers leave in them.
@Suite(.timeLimit(.minutes(10))) struct ActionContentTests {
    /// An action that counts how often it is encoded.
    private struct Emitted: PluginAction {
        final class Count: Sendable {
            let encodings = Mutex(0)
        }

        var number: Int
        let count = Count()

        private enum CodingKeys: CodingKey { case number }

        init(_ number: Int) { self.number = number }

        func encodedType() throws -> ActionType { "emitted" }
        func encoded() throws -> (name: String, payload: Value?) {
            count.encodings.withLock { $0 += 1 }
            if number < 0 { throw CodingFailure(pointer: .whole, expected: "more", found: "\(number)") }
            return ("emitted", number == 0 ? nil : .integer(Int64(number)))
        }
    }

    /// A type that is forgotten with the last of its actions.
    private func passing(_ name: String) throws -> AnyAction {
        var name = name
        return try #require(name.withUTF8 { unsafe AnyAction(arriving: UnsafeRawBufferPointer($0)) })
    }

    /// A text that is read when somebody needs it.
    private func text(_ json: String) throws -> CheckedText {
        var json = json
        return try json.withUTF8 { json in
            let bytes = UnsafeRawBufferPointer(json)
            return try unsafe JSONText.outline(bytes, members: 1).text(in: bytes)
        }
    }

    @Test func `each content has a number of its own, and so has each in a range of them`() throws {
        let contents = (0..<3).map { _ in ActionContent() }
        let renamed = ActionContent(contents[0], name: try #require(passing("content/serial").content?.name))
        let range = ActionContent.takeSerials(5)
        #expect(range.count == 5)
        let numbers = contents.map(\.serial) + [renamed.serial] + range + [ActionContent().serial]
        #expect(Set(numbers).count == 10)
        #expect(numbers == numbers.sorted())
        #expect(!numbers.contains(0))
    }

    @Test func `an emitted payload is encoded once, for all who read it`() throws {
        let action = Emitted(5)
        let content = ActionContent(.typed(action, name: "emitted"))
        for _ in 0..<2 { #expect(try content.value.get() == 5) }
        let tape = try #require(try content.tape())
        #expect(tape.value == 5)
        #expect(try content.tape()?.tape.storage === tape.tape.storage)
        #expect(action.count.encodings.withLock { $0 } == 1)
        #expect(content.readPayload == nil && content.arrivedPayload == nil)
    }

    @Test func `an emitted action without a payload has none, and one that cannot be written says so`() throws
    {
        let nothing = ActionContent(.typed(Emitted(0), name: "emitted"))
        #expect(try nothing.value.get() == nil)
        #expect(try nothing.tape() == nil)
        let bad = Emitted(-1)
        let content = ActionContent(.typed(bad, name: "emitted"))
        for _ in 0..<2 {
            #expect(throws: CodingFailure.self) { try content.value.get() }
            #expect(throws: CodingFailure.self) { try content.tape() }
        }
        #expect(bad.count.encodings.withLock { $0 } == 1)
    }

    @Test func `an emitted action is had as it is under its name, and decoded under another`() throws {
        let content = ActionContent(.typed(AnyAction("emitted", payload: 5, error: true), name: "emitted"))
        #expect(try content.action(AnyAction.self, as: "emitted").get().isError)
        let other = try content.action(AnyAction.self, as: "other").get()
        #expect(other.type == "other")
        #expect(!other.isError)
        #expect(other.payload == 5)
        #expect(content.emitted(as: "other") == nil)
        #expect(ActionContent(.value(5)).emitted(as: "emitted") == nil)
    }

    @Test func `a text is read once, when somebody needs it`() throws {
        let content = ActionContent(.text(try text("[1, 2]")), meta: .text(try text(#"{"m": 3}"#)))
        let view = try #require(content.readPayload)
        #expect(view.value == [1, 2])
        #expect(content.readPayload?.tape.storage === view.tape.storage)
        #expect(try content.tape()?.tape.storage === view.tape.storage)
        #expect(try content.value.get() == [1, 2])
        #expect(content.arrivedPayload == nil)
        #expect(content.hasMeta)
        #expect(content.meta == ["m": 3])
        #expect(content.metaTape?.value == ["m": 3])
    }

    @Test func `a value is laid on a tape once`() throws {
        let content = ActionContent(.value([1]), meta: .value(2))
        let tape = try #require(try content.tape()?.tape)
        #expect(try content.tape()?.tape.storage === tape.storage)
        #expect(content.meta == 2)
        #expect(content.metaTape == nil)
        #expect(content.hasMeta)
        #expect(!ActionContent(.value(1)).hasMeta)
        #expect(try ActionContent().tape() == nil)
        #expect(try ActionContent().value.get() == nil)
    }

    @Test func `an action under a name that passes has all that it had`() throws {
        let name = try passing("content/other")
        let (payload, meta) = (Tape.make([1]).root, Tape.make(["m": 2]).root)
        let actions = [
            AnyAction("literal", tape: payload, error: true, meta: meta),
            AnyAction("literal", payload: [1], error: true, meta: ["m": 2]),
        ]
        for action in actions {
            let renamed = action.renamed(name.type)
            #expect(renamed.type.name == "content/other")
            #expect(renamed.isError)
            #expect(renamed.payload == [1])
            #expect(renamed.meta == ["m": 2])
            #expect(renamed.payloadSerial != action.payloadSerial)
            #expect(renamed.size(upTo: 1_000) == action.size(upTo: 1_000))
        }
    }

    @Test func `each part weighs what it takes, and the limit is the most`() throws {
        func size(_ payload: ActionContent.Made?, _ meta: ActionContent.Meta?, upTo limit: Int = 100) -> Int {
            ActionContent(payload, meta: meta).size(upTo: limit)
        }
        #expect(size(nil, nil) == 0)
        #expect(size(.value("abc"), nil) == 5)
        #expect(size(nil, .value("ab")) == 4)
        #expect(size(.text(try text("[1, 2]")), nil) == 6)
        #expect(size(.value("abc"), .text(try text("12345"))) == 10)
        #expect(size(.value("abc"), .value("abcdef"), upTo: 7) == 7)
        #expect(size(.typed(Emitted(5), name: "emitted"), nil) == 0)
        let tape = Tape.make("abc")
        #expect(size(nil, .apart(tape.root)) == tape.size)
        let arrived = ActionContent(arrived: tape.root, meta: .value("ab"))
        #expect(arrived.size(upTo: 1_000) == tape.size + 4)
    }
}
