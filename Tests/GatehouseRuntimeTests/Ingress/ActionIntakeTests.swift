// SPDX-License-Identifier: Apache-2.0

import CAllocations
import SeededTesting
import Testing

@testable import GatehouseRuntime
@testable import GatehouseSDK

/// What one action leaves for the next, and what it must not take from those that are kept.
@Suite(.timeLimit(.minutes(10))) struct ActionIntakeTests {
    /// What a line may allocate; the ceiling holds in release builds.
    #if DEBUG
        private static let allowedForEachLine = 10
        private static let manyTypes = 20_000
    #else
        private static let allowedForEachLine = 0
        private static let manyTypes = 100_000
    #endif

    /// The action on a line.
    private func action(_ text: String, _ parser: inout ActionParser) -> AnyAction? {
        let line = Array(text.utf8)
        let padded = line + Array(repeating: 0, count: LineReader.padding)
        return unsafe padded.withUnsafeBytes { bytes in
            let text = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<line.count])
            if case .action(let action) = unsafe parser.parse(InputLine(bytes: text, number: 1)) {
                return action
            }
            return nil
        }
    }

    @Test func `an action that is let go leaves its memory to the next, under another serial number`() {
        var parser = ActionParser()
        let first = action(#"{"type":"a","payload":{"n":1},"meta":{"m":1}}"#, &parser)?.content
            .map { (ObjectIdentifier($0), $0.serial) }
        let second = action(#"{"type":"a","payload":{"n":2}}"#, &parser)?.content
            .map { (ObjectIdentifier($0), $0.serial) }
        #expect(first?.0 == second?.0)
        #expect(first?.1 != second?.1)
    }

    @Test func `what was read of one action is not seen in the next`() {
        var parser = ActionParser()
        for number in 0..<10 {
            let taken = action(#"{"type":"a","payload":{"n":\#(number)},"meta":{"m":\#(number)}}"#, &parser)
            #expect(taken?.payload == ["n": .integer(Int64(number))])
            #expect(taken?.meta == ["m": .integer(Int64(number))])
            #expect(action(#"{"type":"a"}"#, &parser)?.payload == nil)
            #expect(action(#"{"type":"a","meta":{}}"#, &parser)?.payload == nil)
            #expect(action(#"{"type":"a","payload":1}"#, &parser)?.meta == nil)
        }
    }

    @Test(arguments: [
        #""payload":[1,{"a":"x"}],"meta":{"b":["y"]}"#, #""meta":{"b":["y"]},"payload":[1,{"a":"x"}]"#,
    ])
    func `payload and meta come through in either order`(members: String) throws {
        var parser = ActionParser()
        for _ in 0..<2 {
            let taken = action(#"{"type":"a","error":true,\#(members)}"#, &parser)
            #expect(taken?.payload == [1, ["a": "x"]])
            #expect(try taken?.payload(at: JSONPointer("/1/a")) == "x")
            #expect(taken?.meta == ["b": ["y"]])
            #expect(taken?.isError == true)
        }
    }

    @Test func `a payload that is kept does not keep the action from serving again`() throws {
        var parser = ActionParser()
        var kept: [TapeView] = []
        for number in 0..<10 {
            let content = action(#"{"type":"a","payload":["text \#(number)"]}"#, &parser)?.content
            kept.append(try #require(try content?.tape()))
        }
        #expect(kept.map { $0[0]?.stringValue } == (0..<10).map { "text \($0)" })
    }

    @Test func `actions that are kept stay as they came, whatever comes after them`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var parser = ActionParser()
        var kept: [(action: AnyAction, wire: Value)] = []
        for number in 0..<2_000 {
            var members: [(String, Value)] = [
                ("type", .string("t/\(Int.random(in: 0..<1_500, using: &random))"))
            ]
            if Bool.random(using: &random) {
                let text = String(repeating: "é", count: Int.random(in: 0..<50, using: &random))
                members.append(("payload", ["n": .integer(Int64(number)), "s": .string(text)]))
            }
            if Bool.random(using: &random) { members.append(("meta", ["m": [.integer(Int64(number))]])) }
            members.shuffle(using: &random)
            let wire = Value.object(Members(members))
            guard let taken = action(wire.json(), &parser) else {
                Issue.record("seed \(seed): no action: \(wire.json())")
                return
            }
            #expect((try? taken.wireForm()) == wire, "seed \(seed)")
            if Bool.random(using: &random) { kept.append((taken, wire)) }
            if number % 100 == 0 { kept.removeAll { _ in Bool.random(using: &random) } }
        }
        for (action, wire) in kept { #expect((try? action.wireForm()) == wire, "seed \(seed)") }
    }

    @Test func `lines of known types are taken without an allocation`() {
        guard allocations_are_counted() else { return }
        var parser = ActionParser()
        let line = Array(#"{"type":"orders/placed","payload":{"id":7},"meta":{"a":"b"}}"#.utf8)
        let padded = line + Array(repeating: 0, count: LineReader.padding)
        func take(_ count: Int) -> Int {
            let before = allocations_of_this_thread()
            unsafe padded.withUnsafeBytes { bytes in
                let text = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<line.count])
                for number in 1...count { _ = unsafe parser.parse(InputLine(bytes: text, number: number)) }
            }
            return Int(allocations_of_this_thread() - before)
        }
        _ = take(10)
        #expect(take(10_000) <= 10_000 * Self.allowedForEachLine)
    }

    @Test func `an action that is kept can tell its name after very many others`() {
        var parser = ActionParser()
        let kept = action(#"{"type":"kept/for/long"}"#, &parser)
        let renamed = kept?.renamed(ActionType("for/long", knownWith: kept?.type ?? ""))
        for number in 0..<Self.manyTypes { _ = action(#"{"type":"hostile/\#(number)"}"#, &parser) }
        #expect(kept?.type.name == "kept/for/long")
        #expect(renamed?.type.name == "for/long")
        #expect(action(#"{"type":"kept/for/long"}"#, &parser)?.type == kept?.type)
    }

    @Test func `an action given another passing name keeps that name known`() throws {
        var parser = ActionParser()
        func renamed() throws -> [AnyAction] {
            let other = try #require(action(#"{"type":"other/name"}"#, &parser)).type
            let arrived = try #require(action(#"{"type":"arrived/name","payload":1}"#, &parser))
            return [AnyAction("a/literal", payload: 1), AnyAction("a/literal"), arrived].map {
                $0.renamed(other)
            }
        }
        let actions = try renamed()
        for number in 0..<Self.manyTypes { _ = action(#"{"type":"hostile/\#(number)"}"#, &parser) }
        #expect(actions.map(\.type.name) == ["other/name", "other/name", "other/name"])
        #expect(actions.map(\.payload) == [1, nil, 1])
    }

    @Test func `a type that nobody keeps is forgotten`() throws {
        var parser = ActionParser()
        let type = try #require(action(#"{"type":"seen/once","payload":1}"#, &parser)).type
        for number in 0..<Self.manyTypes { _ = action(#"{"type":"hostile/\#(number)"}"#, &parser) }
        #expect(type.name == ActionType.forgotten)
        #expect(action(#"{"type":"seen/once"}"#, &parser)?.type != type)
    }

    /// Lets very many other names pass, in another intake.
    private func stir() {
        var parser = ActionParser()
        for number in 0..<Self.manyTypes { _ = action(#"{"type":"stir/\#(number)"}"#, &parser) }
    }

    @Test func `the memory of an action serves names that pass and names that stay, and keeps none of them`()
    {
        let stays: ActionType = "intake/stays"
        var parser = ActionParser()
        for _ in 0..<2 {
            for name in ["intake/passes", "intake/stays", "intake/passes/too"] {
                let taken = action(#"{"type":"\#(name)","payload":1}"#, &parser)
                #expect(taken?.type.name == name)
                #expect(taken?.content?.name?.text == (name == stays.name ? nil : name))
            }
        }
    }

    @Test func `an action has a content when it has a payload, a meta or a name that passes`() {
        let stays: ActionType = "intake/stays"
        var parser = ActionParser()
        for _ in 0..<2 {
            let bare = action(#"{"type":"intake/stays"}"#, &parser)
            #expect(bare?.type == stays)
            #expect(bare?.payloadSerial == 0)
            let rest = [#""payload":1"#, #""meta":{"m":1}"#].map {
                action(#"{"type":"intake/stays",\#($0)}"#, &parser)?.payloadSerial
            }
            let passing = action(#"{"type":"intake/passes"}"#, &parser)?.payloadSerial
            #expect(!(rest + [passing]).contains { $0 == nil || $0 == 0 })
            #expect(Set(rest + [passing]).count == 3)
        }
    }

    @Test func `an action that comes under a name for the second time keeps it known too`() {
        var parser = ActionParser()
        _ = action(#"{"type":"intake/twice"}"#, &parser)
        let kept = action(#"{"type":"intake/twice"}"#, &parser)
        for number in 0..<Self.manyTypes { _ = action(#"{"type":"hostile/\#(number)"}"#, &parser) }
        #expect(kept?.type.name == "intake/twice")
    }

    /// The type of a name that comes so often to an intake of its own, which nobody has any more.
    private func typeOfName(_ name: String, coming times: Int) -> ActionType? {
        var parser = ActionParser()
        var type: ActionType?
        for _ in 0..<times { type = action(#"{"type":"\#(name)"}"#, &parser)?.type }
        return type
    }

    @Test func `a name that its intake knows is not looked up where all intakes look`() throws {
        let known = try #require(typeOfName("intake/known", coming: 3))
        let new = try #require(typeOfName("intake/new", coming: 1))
        // The next sweep keeps a name that was looked up there, and no other that nobody holds.
        var parser = ActionParser()
        for number in 0..<Self.manyTypes where new.name != ActionType.forgotten {
            _ = action(#"{"type":"sweep/\#(number)"}"#, &parser)
        }
        #expect(new.name == ActionType.forgotten)
        #expect(known.name == ActionType.forgotten)
    }

    @Test func `a name of up to 64 bytes is known to its intake from then on, and a longer one is not`() {
        var parser = ActionParser()
        let names = [64, 65].map { String(repeating: "n", count: $0) }
        let types = names.map { action(#"{"type":"\#($0)"}"#, &parser)?.type }
        // The memory of an action has the name of the last one.
        _ = action(#"{"type":"intake/last"}"#, &parser)
        stir()
        #expect(types[0]?.name == names[0])
        #expect(types[1]?.name == ActionType.forgotten)
        #expect(action(#"{"type":"\#(names[0])"}"#, &parser)?.type == types[0])
    }
}
