// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import GatehouseJournal
import GatehouseRuntimeTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

/// What a host makes of the checkpoints of a worker.
@Suite(.timeLimit(.minutes(10))) struct TakenCheckpointTests {
    private let source = ActionSource(file: "test", function: "", line: 0, info: nil)

    @Test func `a journal has what a checkpoint emits together with what it ends and answers, or neither`() {
        let tape = BatchTape()
        let recorder = ActionRecorder(
            after: 0, input: 0, effect: 0, name: "j", epoch: 1, notice: {},
            take: { batch, _ in tape.add(batch) })
        let drain = NoBody.drain()
        let pass = Pass(timesAll: false)
        let log = InstanceEffectLog(
            of: "a", 1, isOfWorker: true, recovery: .again, in: pass, recorder, drain)
        let action = AnyAction("a/b")
        /// Gives the worker an action.
        func hear() -> UInt64? {
            let sequence = recorder.begin(source)
            drain.mark = sequence
            pass.take(action)
            let logged = log.begin(.finishing, .again, within: nil)
            pass.end()
            recorder.record(
                DispatchedAction(action, dispatcher: source), text: nil, isInput: false, time: nil)
            recorder.finish(.unknown, isIdle: true)
            return logged
        }
        let (first, second) = (hear(), hear())
        recorder.handOver()
        #expect(tape.batches.map(\.begun.count) == [2])
        var checkpoint = TakenCheckpoint()
        checkpoint.outputs = [
            TakenCheckpoint.Output(sequence: 1, isLate: false, action: action, source: source)
        ]
        checkpoint.finished = [first, nil]
        checkpoint.answered = [second].compactMap(\.self)
        checkpoint.begun = [TakenCheckpoint.BegunEffect(1, after: 2, .null)]
        var emitted: [UInt64] = []
        checkpoint.settle(in: log) { emitted.append($0.sequence) }
        #expect(emitted == [1])
        // What was emitted waits in the queue: nothing of the checkpoint may be kept before.
        recorder.handOver()
        #expect(tape.batches.count == 1)
        _ = recorder.begin(source)
        recorder.record(DispatchedAction(action, dispatcher: source), text: nil, isInput: false, time: nil)
        recorder.finish(.unknown, isIdle: true)
        recorder.handOver()
        let last = tape.batches.last
        #expect(last?.entries.count == 1)
        #expect(last?.ended.count == 1)
        #expect(last?.resumed.map(\.ordinal) == [0])
    }

    @Test func `a process that has not taken over the state tells nothing of it`() throws {
        var traffic = WorkerTraffic()
        traffic.take(restored: ["n": 1])
        traffic.restore(VersionedState(version: 1, value: ["n": 1]))
        #expect(traffic.preludeCount == 1)
        var early = TakenCheckpoint()
        early.state = ["n": 0]
        try traffic.take(&early, after: 0, [], [])
        #expect(early.state == nil)
        var state = traffic.state?.value
        #expect(state == ["n": 1])
        var late = TakenCheckpoint()
        late.state = ["n": 2]
        try traffic.take(&late, after: 1, [], [])
        #expect(late.state == ["n": 2])
        state = traffic.state?.value
        #expect(state == ["n": 2])
    }
}
