// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseJournal
@testable import GatehouseMember
@testable import GatehousePlan
@testable import GatehouseRuntime

/// What checkpoints write again, and what they do not.
@Suite(.timeLimit(.minutes(10))) struct PartitionCheckpointsTests {
    /// A partition without instances, whose engine keeps what it is given.
    private struct Scene {
        let checkpoints: PartitionCheckpoints
        let checkpointLog = CheckpointLog()
        let recorder: ActionRecorder
        let outbox: PartitionOutbox
        let held: HeldEffects
        var intake: PartitionIntake
        /// What the engine has.
        var slices: [String: [UInt8]] = [:]

        init() throws {
            let urgency = PartitionUrgency {}
            let reporter = Reporter { Issue.record("\($0)") }
            let host = Host(
                try Assembly(
                    linking: [],
                    dependencies: HostDependencies(
                        clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                        report: { reporter.send($0) })),
                reports: reporter)
            let keys = ActionKeys(
                ClusterConfiguration(
                    engine: "redis://a", name: "a",
                    keys: [.init(types: .everything, place: try JSONPointer("/account"))]))
            outbox = PartitionOutbox(
                of: 0, epoch: 1, by: keys, emittedBy: [], urgency, report: { Issue.record("\($0)") })
            held = HeldEffects(urgency)
            recorder = ActionRecorder(
                after: 0, input: 0, effect: 1 << 32, name: "shop.0", epoch: 1, buffers: checkpointLog.buffers,
                notice: {}
            ) { [checkpointLog] batch, onCommit in
                checkpointLog.take(batch)
                onCommit?(nil)
            }
            let parts = PartitionParts(
                cluster: "shop", member: "a", number: 0, epoch: 1, longestWait: .milliseconds(100),
                checkpointLog: checkpointLog, recorder: recorder, outbox: outbox, held: held,
                urgency: urgency,
                counts: ClusterCounts(), report: { Issue.record("\($0)") })
            checkpoints = PartitionCheckpoints(
                parts, of: host, after: .start, gone: ["instance:old"])
            intake = PartitionIntake(
                PartitionGrant(epoch: 1, offset: .start, slices: [:], attempts: 1),
                try PartitionSlices.recordedLog([:]),
                by: keys, window: 600)
        }

        /// Writes a checkpoint to the engine.
        mutating func write() throws -> ClusterCheckpoint {
            let prepared = try #require(checkpoints.prepare(&intake))
            slices.merge(prepared.checkpoint.slices) { $1 }
            checkpoints.commit(prepared, at: .now)
            return prepared.checkpoint
        }
    }

    /// That an input is done.
    private func done(_ number: UInt64) -> JournalBatch {
        var batch = JournalBatch(generation: 1, firstSequence: 1)
        batch.done = [number]
        return batch
    }

    @Test func `an action that is not held any more is in no later checkpoint`() throws {
        var scene = try Scene()
        scene.checkpointLog.begin(1, AnyAction("a/held"))
        scene.checkpointLog.begin(2, AnyAction("a/alsoHeld"))
        _ = try scene.write()
        #expect(try PartitionSlices.recordedLog(scene.slices).held.map(\.number) == [1, 2])
        scene.checkpointLog.take(done(1))
        _ = try scene.write()
        #expect(try PartitionSlices.recordedLog(scene.slices).held.map(\.number) == [2])
        scene.checkpointLog.take(done(2))
        _ = try scene.write()
        // Whoever has the partition next would do it once more.
        #expect(try PartitionSlices.recordedLog(scene.slices).held.isEmpty)
        // Written once, not with each checkpoint to come.
        #expect(try scene.write().slices[PartitionSlices.inputs] == nil)
        scene.checkpointLog.begin(3, AnyAction("a/heldLater"))
        _ = try scene.write()
        #expect(try PartitionSlices.recordedLog(scene.slices).held.map(\.number) == [3])
    }

    @Test func `what another member has left held is written away by the first checkpoint`() throws {
        var scene = try Scene()
        scene.slices[PartitionSlices.inputs] = Array(#"[{"number":1,"action":"{\"type\":\"a\"}"}]"#.utf8)
        _ = try scene.write()
        #expect(try PartitionSlices.recordedLog(scene.slices).held.isEmpty)
    }

    @Test func `what the recorder knows to be done is in no checkpoint any more`() throws {
        var scene = try Scene()
        let number = scene.recorder.numbers(forInputs: 1)
        scene.checkpointLog.begin(number, AnyAction("a/done"))
        scene.recorder.finish(ActionCause(.input, number), isIdle: true)
        _ = try scene.write()
        #expect(try PartitionSlices.recordedLog(scene.slices).held.isEmpty)
    }

    @Test func `a checkpoint is due after 8192 actions, or when the time for what is new is over`() throws {
        let start = ContinuousClock.now
        var scene = try Scene()
        #expect(!scene.checkpoints.isDue(start, after: 8_191))
        #expect(scene.checkpoints.isDue(start, after: 8_192))
        let prepared = try #require(scene.checkpoints.prepare(&scene.intake))
        #expect(scene.checkpoints.isDue(start, after: 0))
        scene.checkpoints.commit(prepared, at: start)
        let end = start.advanced(by: .milliseconds(100))
        #expect(!scene.checkpoints.isDue(end.advanced(by: .nanoseconds(-1)), after: 1))
        #expect(scene.checkpoints.isDue(end, after: 1))
        #expect(!scene.checkpoints.isDue(end, after: 0))
    }

    @Test func `effects are written when they begin and when they end, and not in between`() throws {
        var scene = try Scene()
        let effect = JournalEffect(
            number: 7, instance: "a", sequence: 1, recovery: .again, input: 1, key: "k",
            action: AnyAction("a/b"), source: .here())
        var begun = JournalBatch(generation: 1, firstSequence: 1)
        begun.begun = [effect]
        scene.checkpointLog.take(begun)
        _ = try scene.write()
        #expect(try PartitionSlices.recordedLog(scene.slices).effects.map(\.number) == [7])
        #expect(try scene.write().slices[PartitionSlices.effects] == nil)
        var ended = JournalBatch(generation: 1, firstSequence: 1)
        ended.ended = [7]
        scene.checkpointLog.take(ended)
        _ = try scene.write()
        #expect(try PartitionSlices.recordedLog(scene.slices).effects.isEmpty)
    }

    @Test func `outputs, dead letters and slices that go are in one checkpoint each`() throws {
        var scene = try Scene()
        let elsewhere = PartitionHash.partition(of: "b", in: 64)
        #expect(elsewhere != 0)
        let output = DispatchedAction(
            AnyAction("a/b", payload: ["account": "b"]), dispatcher: .here().emitted(by: "x"))
        let letter = ClusterDeadLetter(
            partition: 0, offset: .start, origin: nil, action: [], reason: "", member: "a", time: 0)
        #expect(scene.outbox.take(output))
        scene.checkpoints.setAside(letter)
        let first = try scene.write()
        #expect(first.outputs.map(\.origin.sequence) == [1])
        #expect(first.dead.count == 1)
        #expect(first.gone == ["instance:old"])
        let second = try scene.write()
        #expect(second.outputs.isEmpty && second.dead.isEmpty && second.gone.isEmpty)
        #expect(second.slices[PartitionSlices.plain] == nil)
        // The numbers go on, so that nobody takes the next one for one that was there before.
        #expect(scene.outbox.take(output))
        #expect(try scene.write().outputs.map(\.origin.sequence) == [2])
    }

    @Test
    func `a checkpoint that has no answer is given to the engine as it was, and effects begin after it`()
        throws
    {
        var scene = try Scene()
        var begun = 0
        scene.checkpointLog.begin(1, AnyAction("a/held"))
        scene.held.hold(for: "a").wait { begun += 1 }
        let first = try #require(scene.checkpoints.prepare(&scene.intake))
        scene.checkpointLog.take(done(1))
        scene.held.hold(for: "a").wait { begun += 10 }
        let again = try #require(scene.checkpoints.prepare(&scene.intake))
        #expect(again.checkpoint.slices == first.checkpoint.slices)
        #expect(again.checkpoint.number == first.checkpoint.number)
        #expect(begun == 0)
        scene.checkpoints.commit(again, at: .now)
        #expect(begun == 1)
        let next = try #require(scene.checkpoints.prepare(&scene.intake))
        #expect(next.checkpoint.slices[PartitionSlices.inputs] == Array("[]".utf8))
        scene.checkpoints.commit(next, at: .now)
        #expect(begun == 11)
    }
}
