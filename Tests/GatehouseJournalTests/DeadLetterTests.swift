// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseJournal

/// What a dead letter says of where it came from, and which letters are the same.
@Suite(.timeLimit(.minutes(10))) struct DeadLetterTests {
    /// A line of an input.
    private let input = ActionSource(file: "orders.ndjson", function: "", line: 7, info: nil)

    /// A letter about an action of an input that an instance could not read.
    private func letter(
        _ kind: DeadLetter.Kind = .misfit, type: String = "a/b", text: String = #"{"type":"a/b"}"#,
        from source: ActionSource? = nil, instance: String? = "counter", sequence: UInt64? = 12
    ) -> DeadLetter {
        DeadLetter(
            kind, type: type, action: Array(text.utf8), from: source ?? input, instance: instance,
            sequence: sequence, time: 1.5, reason: "expected a string")
    }

    @Test func `only letters about what was stopped, gated or refused at the entrance were asked for`() {
        #expect(DeadLetter.Kind.allCases.filter(\.isAskedFor) == [.stopped, .gated, .refusedInput])
    }

    @Test func `a letter has the place of an input, or the instance that emitted the action, never both`() {
        let fromInput = letter()
        #expect(fromInput.id == 0)
        #expect(fromInput.file == "orders.ndjson")
        #expect(fromInput.line == 7)
        #expect(fromInput.emitter == nil)
        let emitted = letter(from: input.emitted(by: "sync"))
        #expect(emitted.file.isEmpty)
        #expect(emitted.line == 0)
        #expect(emitted.emitter == "sync")
        let unknown = DeadLetter(.late, type: "a", action: [], from: nil, instance: nil, time: 0, reason: "")
        #expect(unknown.file.isEmpty)
        #expect(unknown.line == 0)
        #expect(unknown.emitter == nil)
    }

    @Test func `a letter repeats an earlier one that is alike in all but number and time`() {
        var earlier = DeadLetter(
            .misfit, type: "a/b", action: Array(#"{"type":"a/b"}"#.utf8), from: nil, instance: "counter",
            sequence: 12, time: 9, reason: "something else")
        earlier.id = 3
        #expect(letter().isRepetition(of: earlier))
        for other in [
            letter(.failed), letter(type: "a/c"), letter(text: "{}"), letter(instance: "sync"),
            letter(sequence: 13), letter(sequence: nil),
        ] {
            #expect(!other.isRepetition(of: earlier), "\(other)")
        }
        #expect(!letter(sequence: nil).isRepetition(of: letter(sequence: nil)))
    }

    @Test func `an action that was dispatched again is told by its place, or by who emitted it`() {
        let earlier = letter()
        #expect(letter().isAgain(earlier, as: "any", from: input))
        #expect(!letter().isAgain(earlier, as: "a/b", from: input.at(line: 8)))
        let elsewhere = ActionSource(file: "others.ndjson", function: "", line: 7, info: nil)
        #expect(!letter().isAgain(earlier, as: "a/b", from: elsewhere))
        let emitted = letter(from: input.emitted(by: "sync"))
        #expect(emitted.isAgain(earlier, as: "any", from: elsewhere.emitted(by: "sync")))
        #expect(!emitted.isAgain(earlier, as: "any", from: input.emitted(by: "mail")))
        #expect(!letter().isAgain(earlier, as: "any", from: input.emitted(by: "sync")))
    }

    @Test func `an action that failed again is told by its type and by who has not done it`() {
        let earlier = letter(.failed)
        let elsewhere = ActionSource(file: "", function: "", line: 0, info: nil)
        #expect(letter(.failed).isAgain(earlier, as: "a/b", from: elsewhere))
        #expect(!letter(.failed).isAgain(earlier, as: "a/c", from: input))
        #expect(!letter(.failed).isAgain(letter(.failed, instance: "sync"), as: "a/b", from: input))
        #expect(!letter(.failed).isAgain(letter(), as: "a/b", from: input))
    }

    @Test func `the control socket is told of what is there, and of nothing else`() {
        var fromInput = letter()
        fromInput.id = 4
        #expect(
            fromInput.value == [
                "id": 4, "time": 1.5, "kind": "misfit", "reason": "expected a string", "type": "a/b",
                "instance": "counter", "source": ["input": "orders.ndjson", "line": 7], "sequence": 12,
                "action": ["type": "a/b"],
            ])
        let emitted = letter(
            .refusedOutput, text: "", from: input.emitted(by: "sync"), instance: nil, sequence: nil)
        #expect(
            emitted.value == [
                "id": 0, "time": 1.5, "kind": "refused-output", "reason": "expected a string", "type": "a/b",
                "source": ["instance": "sync"],
            ])
        let unknown = DeadLetter(.late, type: "a", action: [], from: nil, instance: nil, time: 0, reason: "r")
        #expect(unknown.value == ["id": 0, "time": 0.0, "kind": "late", "reason": "r", "type": "a"])
    }

    @Test func `a letter that is kept for longer has these members`() throws {
        #expect(
            try Value(encoding: letter()) == [
                "time": 1.5, "kind": "misfit", "reason": "expected a string", "type": "a/b",
                "file": "orders.ndjson", "line": 7, "instance": "counter", "sequence": 12,
                "action": #"{"type":"a/b"}"#,
            ])
    }
}
