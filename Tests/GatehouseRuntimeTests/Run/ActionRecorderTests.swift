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
    private func record(_ cause: ActionCause, isInput: Bool = false, in recorder: ActionRecorder) -> UInt64 {
        let number = recorder.begin(cause)
        let action = DispatchedAction(AnyAction(ActionType("a/b")), dispatcher: place.caused(by: cause))
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

    @Test func `keys follow from the input and the place after it, whatever comes between`() {
        let keys = { (disturbances: Int) -> [String] in
            let recorder = self.recorder()
            let cause = ActionCause(.input, recorder.numbers(forInputs: 1))
            let first = self.record(cause, isInput: true, in: recorder)
            for _ in 0..<disturbances { self.record(.unknown, in: recorder) }
            let second = self.record(ActionCause(.output, first), in: recorder)
            let third = self.record(ActionCause(.output, second), in: recorder)
            return [first, second, third].map { recorder.key(of: $0, for: "mail") }
        }
        #expect(keys(0) == ["j-8.0-mail", "j-8.1-mail", "j-8.2-mail"])
        #expect(keys(5) == keys(0))
    }

    @Test func `what no input has led to is named by the run and the action that began it`() {
        let recorder = recorder()
        let first = record(ActionCause(.effect, 0), in: recorder)
        let second = record(ActionCause(.output, first), in: recorder)
        #expect(recorder.key(of: first, for: "mail") == "j-3-101.0-mail")
        #expect(recorder.key(of: second, for: "mail") == "j-3-101.1-mail")
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
            _ = recorder.begin(.unknown)
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
