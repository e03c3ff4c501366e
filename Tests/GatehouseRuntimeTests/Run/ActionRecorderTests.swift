// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehouseRuntime

/// What a recorder hands over, and when.
@Suite(.timeLimit(.minutes(10))) final class ActionRecorderTests: Sendable {
    private let batches = Mutex<[JournalBatch]>([])
    private let notices = Atomic(0)

    /// A recorder that goes on after action 100 and input 7.
    private func recorder() -> ActionRecorder {
        ActionRecorder(after: 100, input: 7, effect: 0, name: "j", epoch: 3) {
            self.notices.wrappingAdd(1, ordering: .relaxed)
        } take: { batch, onCommit in
            self.batches.withLock { $0.append(batch) }
            onCommit?(nil)
        }
    }

    private let place = ActionSource(file: "in", function: "", line: 1, info: nil)

    /// Records an action with a cause, and gives its number.
    @discardableResult
    private func record(
        _ cause: ActionCause, by emitter: String? = nil, isInput: Bool = false, in recorder: ActionRecorder
    ) -> UInt64 {
        let source = (emitter.map { place.emitted(by: $0) } ?? place).caused(by: cause)
        let number = recorder.begin(source)
        let action = DispatchedAction(AnyAction(ActionType("a/b")), dispatcher: source)
        recorder.record(action, text: nil, isInput: isInput, time: nil)
        return number
    }

    /// The sequence numbers and inputs that were handed over, as text.
    private var told: [String] {
        batches.withLock { batches in
            batches.map { batch in
                let numbers = batch.entries.indices.map { "\(batch.firstSequence + UInt64($0))" }
                return "\(numbers.joined(separator: " ")) done \(batch.done)"
            }
        }
    }

    @Test
    func `effects of an action that is shown wait for nothing, and have the name and attempt that it has`() {
        let recorder = recorder()
        recorder.show(200, named: EffectKeys.Name(key: "k", attempt: 3))
        for sequence in [200, 101] as [UInt64] {
            _ = recorder.begin(effectOf: "a", after: sequence) { number, key, input in
                JournalEffect(
                    number: number, instance: "a", sequence: sequence, recovery: .again, input: input,
                    key: key,
                    action: nil, source: place)
            }
        }
        recorder.handOver()
        let effects = batches.withLock { $0.flatMap(\.begun) }.map { "\($0.key) \($0.attempt)" }
        #expect(effects == ["k 3", "j-3-0.0-a 1"])
        // What comes next has the next number.
        #expect(record(.unknown, in: recorder) == 201)
    }

    @Test func `actions have numbers without gaps, and are handed over only once nothing waits that follows`()
    {
        let recorder = recorder()
        #expect(record(.unknown, in: recorder) == 101)
        recorder.handOver()
        #expect(told.isEmpty)
        #expect(record(ActionCause(.output, 101), in: recorder) == 102)
        recorder.finish(.unknown, isIdle: true)
        record(.unknown, in: recorder)
        recorder.finish(.unknown, isIdle: false)
        recorder.handOver()
        #expect(told == ["101 102 done []"])
        recorder.finish(.unknown, isIdle: true)
        recorder.handOver()
        #expect(told == ["101 102 done []", "103 done []"])
    }

    @Test func `an input is done together with what it has led to, never before`() {
        let recorder = recorder()
        let cause = ActionCause(.input, recorder.numbers(forInputs: 1))
        record(cause, isInput: true, in: recorder)
        recorder.finish(cause, isIdle: false)
        recorder.handOver()
        #expect(told.isEmpty)
        record(ActionCause(.output, 101), in: recorder)
        recorder.finish(.unknown, isIdle: true)
        recorder.handOver()
        #expect(told == ["101 102 done [8]"])
    }

    @Test func `an input that never reached a reducer is done too`() {
        let recorder = recorder()
        recorder.finish(ActionCause(.input, recorder.numbers(forInputs: 1)), isIdle: true)
        recorder.handOver()
        #expect(told == [" done [8]"])
    }

    @Test func `it is told once that something waits, and again after a hand-over`() {
        let recorder = recorder()
        for _ in 0..<3 {
            record(.unknown, in: recorder)
            recorder.finish(.unknown, isIdle: true)
        }
        #expect(notices.load(ordering: .relaxed) == 1)
        recorder.handOver()
        record(.unknown, in: recorder)
        recorder.finish(.unknown, isIdle: false)
        #expect(notices.load(ordering: .relaxed) == 2)
    }

    @Test func `of what has no rest after it when its time has come, notice is given again`() {
        let recorder = recorder()
        record(.unknown, in: recorder)
        recorder.handOver()
        #expect(notices.load(ordering: .relaxed) == 1)
        recorder.handOverNoticed()
        #expect(notices.load(ordering: .relaxed) == 2)
        recorder.finish(.unknown, isIdle: true)
        recorder.handOverNoticed()
        #expect(told == ["101 done []"])
        #expect(notices.load(ordering: .relaxed) == 2)
    }

    @Test func `an input that is done without a trace is handed over too`() {
        let recorder = recorder()
        recorder.finish(ActionCause(.input, recorder.numbers(forInputs: 1)), isIdle: true)
        #expect(notices.load(ordering: .relaxed) == 1)
        recorder.handOverNoticed()
        #expect(told == [" done [8]"])
    }

    @Test func `a full batch is handed over at the next rest`() {
        let recorder = recorder()
        for _ in 0..<8_192 { record(.unknown, in: recorder) }
        #expect(told.isEmpty)
        recorder.finish(.unknown, isIdle: true)
        #expect(batches.withLock { $0.map(\.entries.count) } == [8_192])
    }

    @Test func `keys follow from the input and from who has emitted what comes of it, in whatever order`() {
        /// The keys of an input, of what two instances emit after it, and of what follows from that.
        func keys(_ order: [String]) -> [String: String] {
            let recorder = recorder()
            let cause = ActionCause(.input, recorder.numbers(forInputs: 1))
            var numbers = ["": record(cause, isInput: true, in: recorder)]
            for name in order {
                // "counter.1" comes after "counter.0", "counter.0/rules.0" follows from that.
                let path = name.split(separator: "/")
                let parent = numbers[path.dropLast().joined(separator: "/")] ?? 0
                let emitter = String(path.last?.split(separator: ".").first ?? "")
                numbers[name] = record(ActionCause(.output, parent), by: emitter, in: recorder)
            }
            return numbers.mapValues { recorder.key(of: $0, for: "mail") }
        }
        let names = [
            "counter.0", "counter.1", "rules.0", "rules.1", "counter.0/counter.0", "counter.0/rules.0",
        ]
        let known = keys(names)
        #expect(Set(known.values).count == 7)
        // What receivers of another version know them by.
        #expect(known[""] == "j-8.0-mail")
        #expect(known["counter.0"] == "j-8.3u3tn06fw1r39-mail")
        #expect(known["counter.1"] == "j-8.zgrnkkpuziu7-mail")
        #expect(known["rules.0"] == "j-8.3rbcvbqdzza3c-mail")
        #expect(known["counter.0/counter.0"] == "j-8.8oj14xl31v4r-mail")
        #expect(
            keys(["rules.0", "counter.0", "counter.0/rules.0", "rules.1", "counter.1", "counter.0/counter.0"])
                == known)
        // Without one of the instances, the others' have the same.
        #expect(
            keys(["counter.0", "counter.0/counter.0", "counter.1"]).allSatisfy { known[$0.key] == $0.value })
    }

    @Test
    func
        `what an action leads to late has the same key, however long ago and by whichever host it was recorded`()
        throws
    {
        let recorder = recorder()
        let cause = ActionCause(.input, recorder.numbers(forInputs: 1))
        let first = record(cause, isInput: true, in: recorder)
        let parent = record(ActionCause(.output, first), by: "rules", in: recorder)
        var effect = JournalEffect(
            number: 1, instance: "counter", sequence: parent, key: recorder.key(of: parent, for: "counter"))
        let expected = recorder.key(
            of: record(ActionCause(.output, parent), by: "counter", in: recorder), for: "mail")
        #expect(expected.hasPrefix("j-8."))
        /// The key of what the counter emits after another host has shown it the action, or this one after many others.
        func late(in recorder: ActionRecorder) -> String {
            recorder.recall(effect)
            for _ in 0..<2_000 { record(.unknown, in: recorder) }
            let number = record(ActionCause(.output, effect.sequence), by: "counter", in: recorder)
            #expect(recorder.inputNumber(of: number) == 8)
            return recorder.key(of: number, for: "mail")
        }
        let next = ActionRecorder(after: 200, input: 20, effect: 0, name: "j", epoch: 4, notice: {}) { _, _ in
        }
        #expect(late(in: next) == expected)
        let busy = self.recorder()
        let again = ActionCause(.input, busy.numbers(forInputs: 1))
        let input = record(again, isInput: true, in: busy)
        #expect(record(ActionCause(.output, input), by: "rules", in: busy) == parent)
        for _ in 0..<2_000 { record(.unknown, in: busy) }
        #expect(late(in: busy) == expected)
        // After a rest, nothing follows from it any more.
        busy.end(effectWithOutputs: 1)
        busy.rest()
        #expect(
            busy.key(of: record(ActionCause(.output, parent), by: "counter", in: busy), for: "mail")
                == "j-3-\(busy.sequence).0-mail")
        // A key of another journal tells nothing.
        effect = JournalEffect(number: 1, instance: "counter", sequence: parent, key: "k-8.0-counter")
        busy.recall(effect)
        let unknown = record(ActionCause(.output, parent), by: "counter", in: busy)
        #expect(busy.key(of: unknown, for: "mail") == "j-3-\(unknown).0-mail")
    }

    @Test func `keys stay apart where an interceptor passes an input on twice`() {
        let recorder = recorder()
        let causes = (0..<2).map { _ in ActionCause(.input, recorder.numbers(forInputs: 1)) }
        let passes = [0, 0, 1, 0, 1].map { record(causes[$0], isInput: true, in: recorder) }
        let all = passes + passes.map { record(ActionCause(.output, $0), by: "rules", in: recorder) }
        let keys = all.map { recorder.key(of: $0, for: "mail") }
        #expect(Set(keys).count == 10)
        // The first pass of each has the key that it has had alone.
        #expect([keys[0], keys[2]] == ["j-8.0-mail", "j-9.0-mail"])
        #expect(keys.allSatisfy { $0.hasPrefix("j-8.") || $0.hasPrefix("j-9.") })
    }

    @Test func `what an interceptor emits in place of an input has a key of its own, the same each time`() {
        /// The keys of what comes of an input, of what two interceptors emit before it passes and of what follows from it, in any order.
        func keys(_ order: [Int]) -> [String] {
            let recorder = recorder()
            let number = recorder.numbers(forInputs: 1)
            let passed = order.contains(0) ? record(ActionCause(.input, number), in: recorder) : 0
            var keys = [String](repeating: "", count: 5)
            for place in order where place > 0 {
                let cause = place == 4 ? ActionCause(.output, passed) : ActionCause(.interception, number)
                #expect(recorder.input(thatCaused: cause) == 8)
                let action = record(cause, by: place == 3 ? "filter" : "limit", in: recorder)
                keys[place] = recorder.key(of: action, for: "mail")
            }
            return keys
        }
        let all = keys([0, 1, 2, 3, 4])
        #expect(all.dropFirst().allSatisfy { $0.hasPrefix("j-8.") && $0 != "j-8.0-mail" })
        #expect(Set(all.dropFirst()).count == 4)
        #expect(keys([0, 3, 4, 1, 2]) == all)
        // The input is stopped.
        #expect(keys([1, 3]) == ["", all[1], "", all[3], ""])
    }

    @Test func `what interceptors emit is counted for as long as the input is among the last`() {
        let recorder = recorder()
        var keys: Set<String> = []
        for _ in 0..<5_000 {
            let cause = ActionCause(.interception, recorder.numbers(forInputs: 1))
            for _ in 0..<2 {
                keys.insert(recorder.key(of: record(cause, by: "limit", in: recorder), for: "mail"))
            }
        }
        #expect(keys.count == 10_000)
    }

    @Test func `keys stay apart where many inputs come before what interceptors emit is recorded`() {
        let recorder = recorder()
        let inputs = (0..<6_000).map { _ in ActionCause(.input, recorder.numbers(forInputs: 1)) }
        var keys: Set<String> = []
        for cause in inputs {
            keys.insert(recorder.key(of: record(cause, isInput: true, in: recorder), for: "mail"))
        }
        for cause in inputs {
            let number = cause.number(notAbove: 1 << 29 - 1) ?? 0
            for _ in 0..<2 {
                let action = record(ActionCause(.interception, number), by: "limit", in: recorder)
                keys.insert(recorder.key(of: action, for: "mail"))
            }
        }
        #expect(keys.count == 18_000)
    }

    @Test func `an input is blamed for what came of it, however long ago`() {
        let recorder = recorder()
        let cause = ActionCause(.input, recorder.numbers(forInputs: 1))
        let parent = record(cause, isInput: true, in: recorder)
        let effect = JournalEffect(
            number: 1, instance: "rules", sequence: parent, key: recorder.key(of: parent, for: "rules"))
        #expect(recorder.input(thatCaused: ActionCause(.output, parent)) == 8)
        let other = ActionCause(.input, recorder.numbers(forInputs: 1))
        for _ in 0..<1_024 { record(other, isInput: true, in: recorder) }
        // Another action has its place now.
        #expect(recorder.input(thatCaused: ActionCause(.output, parent)) == nil)
        recorder.recall(effect)
        #expect(recorder.input(thatCaused: ActionCause(.output, parent)) == 8)
    }

    @Test func `keys stay apart where an interceptor lets go of an output when nothing is recalled any more`()
    {
        let recorder = recorder()
        let parent = record(ActionCause(.input, recorder.numbers(forInputs: 1)), isInput: true, in: recorder)
        let effect = JournalEffect(
            number: 1, instance: "rules", sequence: parent, key: recorder.key(of: parent, for: "rules"))
        var keys: Set<String> = []
        /// Begins what an instance has emitted after the action.
        func emit(_ emitter: String) {
            let number = record(ActionCause(.output, parent), by: emitter, in: recorder)
            keys.insert(recorder.key(of: number, for: "mail"))
        }
        emit("counter")
        for _ in 1...3 {
            recorder.recall(effect)
            emit("rules")
            emit("counter")
            recorder.recall(effect)
            emit("rules")
            recorder.end(effectWithOutputs: 1)
            recorder.rest()
            emit("rules")
            emit("other")
        }
        #expect(keys.count == 16)
    }

    @Test func `an effect of an action above the last one leaves the keys of others alone`() {
        // As after a move into a cluster, where a partition counts from 1, or where the end of the journal was lost.
        let recorder = recorder()
        for sequence in [101, 5_000, .max] as [UInt64] {
            recorder.recall(
                JournalEffect(number: 1, instance: "rules", sequence: sequence, key: "j-3.0-rules"))
        }
        // Here 101 is another action, and what follows from it has its own key until the next rest.
        let number = record(.unknown, in: recorder)
        #expect(recorder.key(of: number, for: "mail") == "j-3-101.0-mail")
        let late = record(ActionCause(.output, 5_000), by: "rules", in: recorder)
        #expect(recorder.key(of: late, for: "mail") == "j-3-102.0-mail")
    }

    @Test func `counts of what many instances emit are kept as long as they are needed`() {
        let recorder = recorder()
        var keys: Set<String> = []
        var count = 0
        for _ in 0..<4 {
            let parent = record(
                ActionCause(.input, recorder.numbers(forInputs: 1)), isInput: true, in: recorder)
            // More than are kept at once.
            for emitter in 0..<2_000 {
                let source = ActionCause(.output, parent)
                if emitter.isMultiple(of: 500) {
                    recorder.recall(
                        JournalEffect(
                            number: 1, instance: "a", sequence: parent,
                            key: recorder.key(of: parent, for: "a")))
                }
                for name in ["first", "b\(emitter)"] {
                    keys.insert(recorder.key(of: record(source, by: name, in: recorder), for: "mail"))
                    count += 1
                }
            }
        }
        #expect(keys.count == count)
    }

    @Test func `keys stay apart where many instances emit something after the same action`() {
        let recorder = recorder()
        let first = record(ActionCause(.input, recorder.numbers(forInputs: 1)), isInput: true, in: recorder)
        let keys = (0..<900).map { index in
            let number = record(ActionCause(.output, first), by: "a\(index % 7)", in: recorder)
            return recorder.key(of: number, for: "mail")
        }
        #expect(Set(keys).count == 900)
    }

    @Test func `keys do not depend on what else is recorded between`() {
        let keys = { (disturbances: Int) -> [String] in
            let recorder = self.recorder()
            let cause = ActionCause(.input, recorder.numbers(forInputs: 1))
            let first = self.record(cause, isInput: true, in: recorder)
            for _ in 0..<disturbances { self.record(.unknown, in: recorder) }
            let second = self.record(ActionCause(.output, first), in: recorder)
            let third = self.record(ActionCause(.output, second), in: recorder)
            return [first, second, third].map { recorder.key(of: $0, for: "mail") }
        }
        #expect(Set(keys(0)).count == 3)
        #expect(keys(5) == keys(0))
    }

    @Test func `what no input has led to is named by the run and the action that began it`() {
        let recorder = recorder()
        let first = record(ActionCause(.effect, 0), in: recorder)
        let second = record(ActionCause(.output, first), in: recorder)
        #expect(recorder.key(of: first, for: "mail") == "j-3-101.0-mail")
        #expect(recorder.key(of: second, for: "mail") == "j-3-101.2z14wvipqxd80-mail")
    }

    @Test func `an effect is handed over with the action that has started it, and its end not before`() {
        let recorder = recorder()
        let action = record(.unknown, in: recorder)
        recorder.finish(.unknown, isIdle: true)
        let next = record(.unknown, in: recorder)
        let early = begin(after: action, in: recorder)
        let late = begin(after: next, in: recorder)
        _ = begin(after: next, in: recorder)
        recorder.end(effect: late)
        recorder.handOver()
        #expect(batches.withLock { $0.last?.begun.map(\.number) } == [early])
        #expect(batches.withLock { $0.last?.ended } == [])
        recorder.finish(.unknown, isIdle: true)
        recorder.handOver()
        #expect(batches.withLock { $0.last?.begun.map(\.number) } == [late, late + 1])
        #expect(batches.withLock { $0.last?.ended } == [late])
    }

    @Test func `an effect that ends before it is handed over leaves nothing`() {
        let recorder = recorder()
        let action = record(.unknown, in: recorder)
        recorder.end(effect: begin(after: action, in: recorder))
        recorder.finish(.unknown, isIdle: true)
        recorder.handOver()
        #expect(batches.withLock { $0.last?.begun } == [])
        #expect(batches.withLock { $0.last?.ended } == [])
    }

    @Test func `an effect of a process before is handed over at once, whatever the number of its action`() {
        let recorder = recorder()
        let action = record(.unknown, in: recorder)
        let before = begin(after: action, in: recorder)
        recorder.finish(.unknown, isIdle: true)
        recorder.handOver()
        let next = record(.unknown, in: recorder)
        let own = begin(after: next, in: recorder)
        recorder.resume(JournalEffect(number: before, instance: "mail", sequence: action + 1_000, key: "a"))
        recorder.handOver()
        #expect(batches.withLock { $0.last?.running.map(\.number) } == [before])
        recorder.end(effect: before)
        recorder.end(effect: own)
        recorder.finish(.unknown, isIdle: true)
        recorder.handOver()
        #expect(batches.withLock { $0.last?.running } == [])
        #expect(batches.withLock { $0.last?.ended } == [before])
    }

    @Test(arguments: [false, true])
    func `an effect that is written anew has ended once it ends`(isHandedOver: Bool) {
        let recorder = recorder()
        let action = record(.unknown, in: recorder)
        let number = begin(after: action, in: recorder)
        recorder.finish(.unknown, isIdle: true)
        if isHandedOver { recorder.handOver() }
        recorder.resume(JournalEffect(number: number, instance: "mail", sequence: action, key: "a"))
        recorder.end(effect: number)
        recorder.handOver()
        #expect(
            batches.withLock { $0.last?.running.map(\.number) }
                == Array(repeating: number, count: isHandedOver ? 1 : 2))
        #expect(batches.withLock { $0.last?.ended } == [number])
    }

    @Test func `an effect that ends with outputs is handed over with all of them, or not at all`() {
        let recorder = recorder()
        let action = record(.unknown, in: recorder)
        let (ended, answered) = (begin(after: action, in: recorder), begin(after: action, in: recorder))
        recorder.finish(.unknown, isIdle: true)
        recorder.handOver()
        recorder.end(effectWithOutputs: ended)
        recorder.resume(
            withOutputs: JournalEffect(number: answered, instance: "mail", sequence: action, key: "a"))
        // Two outputs wait in the queue, and the first one is through.
        record(.unknown, in: recorder)
        recorder.finish(.unknown, isIdle: false)
        recorder.handOver()
        #expect(told == ["101 done []"])
        record(.unknown, in: recorder)
        recorder.finish(.unknown, isIdle: true)
        recorder.handOver()
        #expect(told == ["101 done []", "102 103 done []"])
        #expect(batches.withLock { $0.last?.ended } == [ended])
        #expect(batches.withLock { $0.last?.resumed.map(\.number) } == [answered])
    }

    @Test func `an effect whose outputs were all dropped ends when nothing waits any more`() {
        let recorder = recorder()
        let ended = begin(after: record(.unknown, in: recorder), in: recorder)
        recorder.finish(.unknown, isIdle: true)
        recorder.handOver()
        recorder.end(effectWithOutputs: ended)
        recorder.handOver()
        #expect(batches.withLock { $0.last?.ended } == [])
        recorder.rest()
        recorder.handOver()
        #expect(batches.withLock { $0.last?.ended } == [ended])
        let told = told
        recorder.rest()
        recorder.handOver()
        #expect(self.told == told)
    }

    /// Begins an effect of an instance; gives its number.
    private func begin(after sequence: UInt64, in recorder: ActionRecorder) -> UInt64 {
        recorder.begin(effectOf: "mail", after: sequence) { number, key, input in
            JournalEffect(number: number, instance: "mail", sequence: sequence, input: input, key: key)
        }.number
    }

    @Test func `something is done at the first rest after so many actions`() {
        let recorder = recorder()
        let times = Mutex<[UInt64]>([])
        recorder.every(3) { times.withLock { $0.append(recorder.sequence) } }
        for number in 1...7 {
            record(.unknown, in: recorder)
            if number != 3 { recorder.finish(.unknown, isIdle: true) }
        }
        #expect(times.withLock { $0 } == [104, 107])
        recorder.onMany = nil
    }

    /// Records an action that came as a line.
    private func record(_ line: [UInt8], time: Double? = nil, in recorder: ActionRecorder) {
        unsafe line.withUnsafeBytes { bytes in
            _ = recorder.begin(place)
            unsafe recorder.record(
                DispatchedAction(AnyAction(ActionType("a/b")), dispatcher: place),
                text: ActionText(bytes: bytes, isPayload: false), isInput: false, time: time)
        }
    }

    @Test func `a line is handed over with its action, not with the one before`() {
        let recorder = recorder()
        record([1, 2], in: recorder)
        recorder.finish(.unknown, isIdle: true)
        record([3], in: recorder)
        recorder.handOver()
        recorder.finish(.unknown, isIdle: true)
        recorder.handOver()
        #expect(batches.withLock { $0.map(\.lines) } == [[1, 2], [3]])
        #expect(told == ["101 done []", "102 done []"])
    }

    @Test func `a line is copied, and an action that is none is kept`() throws {
        let recorder = recorder()
        let bytes = Array(#"{"type":"a/b"}"#.utf8)
        record(bytes, time: 12, in: recorder)
        record(.unknown, in: recorder)
        recorder.finish(.unknown, isIdle: true)
        recorder.handOver()
        let batch = try #require(batches.withLock { $0.last })
        #expect(batch.entries.map(\.lineLength) == [bytes.count, 0])
        #expect(batch.entries.map { $0.action == nil } == [true, false])
        #expect(batch.entries.map(\.time) == [12, nil])
        #expect(batch.lines == bytes)
    }

    @Test func `what is handed over of an input is handed over once`() {
        let recorder = recorder()
        for _ in 1...3 {
            let cause = ActionCause(.input, recorder.numbers(forInputs: 1))
            record(cause, isInput: true, in: recorder)
            recorder.finish(cause, isIdle: true)
            recorder.handOver()
        }
        #expect(told == ["101 done [8]", "102 done [9]", "103 done [10]"])
    }
}
