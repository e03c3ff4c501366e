// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseJournal

/// Effects as they stand in snapshots, and what becomes of what no host writes there.
@Suite(.timeLimit(.minutes(10))) struct JournalEffectTests {
    /// An effect in which everything is said.
    private var whole: JournalEffect {
        var effect = JournalEffect(
            number: 8, instance: "mail", sequence: 12, recovery: .again, input: 5, key: "k",
            action: AnyAction(ActionType("a/b"), payload: 1, error: true, meta: ["id": "n"]),
            source: ActionSource(file: "in", function: "", line: 7, info: nil).emitted(by: "sync"))
        (effect.ordinal, effect.attempt, effect.ends) = (2, 3, 4)
        return effect
    }

    @Test func `an effect that begins has begun once, and no member of a cluster has ended with it`() {
        let effect = JournalEffect(number: 8, instance: "mail", sequence: 12, key: "k")
        #expect(effect.ordinal == 0)
        #expect(effect.attempt == 1)
        #expect(effect.ends == 0)
        #expect(effect.recovery == .tell)
        #expect(effect.input == 0)
        #expect(effect.source.file.isEmpty)
        #expect(effect.source.line == 0)
        #expect(
            effect.value == [
                "number": 8, "instance": "mail", "sequence": 12, "key": "k", "ordinal": 0, "attempt": 1,
                "recovery": "tell",
            ])
    }

    @Test func `an effect is given up after a hundred attempts, or with the tenth member that it ends`() {
        #expect(JournalEffect.mostAttempts == 100)
        #expect(JournalEffect.mostEnds == 10)
    }

    @Test func `an effect has these members, and these members are the effect`() throws {
        let value: Value = [
            "number": 8, "instance": "mail", "sequence": 12, "key": "k", "ordinal": 2, "attempt": 3,
            "ends": 4,
            "recovery": "again", "input": 5,
            "action": ["type": "a/b", "payload": 1, "error": true, "meta": ["id": "n"]], "file": "in",
            "line": 7, "emitter": "sync",
        ]
        #expect(whole.value == value)
        let read = try #require(JournalEffect(value))
        #expect(read.value == value)
        #expect(read.source.file == "in")
        #expect(read.source.line == 7)
        #expect(read.source.emitter == "sync")
        #expect(read.action?.isError == true)
    }

    @Test func `two effects are the same when they are written alike`() {
        #expect(whole == whole)
        var other = whole
        other.attempt += 1
        #expect(whole != other)
    }

    @Test func `an input of 0 and no ends are left out, and come back as that`() throws {
        var effect = whole
        (effect.input, effect.ends, effect.action) = (0, 0, nil)
        #expect(effect.value["input"] == nil)
        #expect(effect.value["ends"] == nil)
        #expect(effect.value["file"] == nil)
        (effect.input, effect.ends) = (1, 1)
        #expect(effect.value["input"] == 1)
        #expect(effect.value["ends"] == 1)
        let read = try #require(JournalEffect(["instance": "mail", "key": "k", "sequence": 12]))
        #expect(read.number == 0)
        #expect(read.ordinal == 0)
        #expect(read.attempt == 1)
        #expect(read.ends == 0)
        #expect(read.input == 0)
        #expect(read.recovery == .tell)
        #expect(read.action == nil)
    }

    @Test func `numbers that no host gives are taken for the nearest that it could count on from`() throws {
        let read = try #require(
            JournalEffect([
                "instance": "mail", "key": "k", "sequence": 12, "number": .unsigned(.max),
                "ordinal": .unsigned(.max), "attempt": .unsigned(.max), "ends": .unsigned(.max),
                "recovery": "never",
            ]))
        #expect(read.number == 1 << 63)
        #expect(read.ordinal == .max)
        #expect(read.attempt == 1 << 30)
        #expect(read.ends == 1 << 30)
        #expect(read.recovery == .tell)
    }

    @Test func `without instance, key or action it is none`() {
        let members: Members = ["instance": "mail", "key": "k", "sequence": 12]
        #expect(JournalEffect(.object(members)) != nil)
        for name in ["instance", "key", "sequence"] {
            var rest = members
            rest[name] = nil
            #expect(JournalEffect(.object(rest)) == nil, "\(name)")
        }
    }

    @Test func `an older host has named the action by its sequence`() throws {
        let read = try #require(JournalEffect(["instance": "mail", "key": "k", "action": 12]))
        #expect(read.sequence == 12)
        #expect(read.action == nil)
    }

    @Test func `an action without the place that it came from is left out`() throws {
        let members: Members = [
            "instance": "mail", "key": "k", "sequence": 12, "action": ["type": "a", "error": false],
        ]
        #expect(try #require(JournalEffect(.object(members))).action == nil)
        var placed = members
        placed["file"] = "in"
        let read = try #require(JournalEffect(.object(placed)))
        #expect(read.action?.type.name == "a")
        #expect(read.action?.isError == false)
        #expect(read.source.line == 0)
        #expect(read.source.emitter == nil)
    }

    /// A record of the action that has started an effect.
    private func record(
        _ text: String, instance: String? = nil, encodingFailure: String? = nil
    ) -> JournalRecord {
        JournalRecord(
            sequence: 12, epoch: 1, generation: 1, batchTime: 0, cause: .unknown, file: "in", line: 7,
            instance: instance, time: nil, bytes: Array(text.utf8), encodingFailure: encodingFailure)
    }

    @Test func `an effect takes its action from the record, if that is whole`() {
        let plain = JournalEffect(number: 8, instance: "mail", sequence: 12, key: "k")
        var effect = plain
        effect.take(record(#"{"type":"a","payload":5}"#, instance: "sync"))
        #expect(effect.action?.type.name == "a")
        #expect(effect.action?.payload == 5)
        #expect(effect.source.file == "in")
        #expect(effect.source.line == 7)
        #expect(effect.source.emitter == "sync")
        effect = plain
        effect.take(record(#"{"type":"a"}"#))
        #expect(effect.action?.type.name == "a")
        #expect(effect.source.emitter == nil)
        for broken in [record(#"{"type":"a"}"#, encodingFailure: "nan"), record("nothing"), record("{}")] {
            effect = plain
            effect.take(broken)
            #expect(effect.action == nil)
        }
    }

    @Test func `an effect that is written again keeps the action that is known of it`() {
        var again = JournalEffect(number: 8, instance: "mail", sequence: 12, key: "k")
        again.attempt = 9
        #expect(again.over(nil).action == nil)
        let over = again.over(whole)
        #expect(over.attempt == 9)
        #expect(over.action?.type.name == "a/b")
        #expect(over.source.file == "in")
        #expect(over.source.emitter == "sync")
    }

    @Test func `an effect with another number is otherwise the same`() {
        let other = whole.numbered(9)
        #expect(other.number == 9)
        #expect(other.numbered(8) == whole)
    }
}
