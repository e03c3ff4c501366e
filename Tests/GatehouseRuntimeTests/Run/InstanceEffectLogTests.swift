// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import GatehouseJournal
import GatehouseRuntimeTesting
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseRuntime

/// What stands for an action of a worker until it has come to its end, and what becomes of that when its instance moves.
@Suite(.timeLimit(.minutes(10))) struct InstanceEffectLogTests {
    /// An effect of action 3.
    private func effect(_ number: UInt64, at ordinal: UInt32, attempt: UInt32 = 2) -> JournalEffect {
        var effect = JournalEffect(
            number: number, instance: "a", sequence: 3, recovery: .again, input: 2, key: "k",
            action: AnyAction("a/b"), source: ActionSource(file: "test", function: "", line: 0, info: nil))
        (effect.ordinal, effect.attempt) = (ordinal, attempt)
        return effect
    }

    /// What stands for all effects of action 3.
    private var whole: JournalEffect { effect(7, at: JournalEffect.all) }

    /// A recorder and a log whose instance is in the host, or in a worker.
    private struct Scene {
        let tape = BatchTape()
        let recorder: ActionRecorder
        let log: InstanceEffectLog
        private let drain = NoBody.drain()
        private let pass = Pass(timesAll: false)
        private let action = AnyAction("a/b")
        private let source = ActionSource(file: "test", function: "", line: 0, info: nil)

        init(isOfWorker: Bool, after sequence: UInt64 = 2) {
            let own = Mutex<ActionRecorder?>(nil)
            recorder = ActionRecorder(
                after: sequence, input: 9, effect: 1 << 32, name: "j", epoch: 1,
                notice: { own.withLock { $0 }?.handOver() },
                take: { [tape] batch, _ in tape.add(batch) })
            own.withLock { [recorder] in $0 = recorder }
            log = InstanceEffectLog(
                of: "a", 1, isOfWorker: isOfWorker, recovery: .again, in: pass, recorder, drain)
        }

        /// Does something while an action is in hand.
        func during<Result>(_ sequence: UInt64, _ body: () -> Result) -> Result {
            drain.mark = sequence
            pass.begin(from: source)
            pass.take(action)
            defer {
                pass.end()
                drain.mark = 0
            }
            return body()
        }

        /// Records an action; a body hears it.
        @discardableResult
        func record<Result>(
            _ cause: ActionCause = .unknown, isIdle: Bool = true, _ body: () -> Result
        ) -> Result {
            let sequence = recorder.begin(source.caused(by: cause))
            let result = during(sequence, body)
            recorder.record(
                DispatchedAction(action, dispatcher: source), text: nil, isInput: false, time: nil)
            recorder.finish(cause, isIdle: isIdle)
            return result
        }

        /// Records an action that begins an effect in two parts.
        func recordParts() throws -> [UInt64] {
            try record {
                let whole = log.begin(.foreground, .again, within: nil)
                return [whole, log.begin(.foreground, .again, within: whole)]
            }.map { try #require($0) }
        }

        /// Does something in the drain, which comes to rest after that.
        func inDrain(_ body: () -> Void) { drain.withExclusiveAccess(body) }

        /// Does something with the log at a rest of the drain.
        func atRest(_ body: @escaping @Sendable (InstanceEffectLog) -> Void) {
            drain.enqueueAtRest { [log] in body(log) }
        }

        /// Settles an effect at a rest of the drain.
        func settleAtRest(_ logged: UInt64) {
            drain.enqueueAtRest { [log] in log.settle(logged, isLeft: false) }
        }

        /// Settles a checkpoint after which nothing comes.
        func settle(_ fill: (inout TakenCheckpoint) -> Void) {
            var checkpoint = TakenCheckpoint()
            fill(&checkpoint)
            checkpoint.settle(in: log) { _ in }
            recorder.rest()
        }

        /// What was handed over since the last time: effects that have begun or were written again, each with its number less what all
        /// have, its place and its recovery, and those that have ended.
        func news() -> (running: [String], ended: [UInt64]) {
            recorder.handOver()
            let batches = tape.take()
            return (
                batches.flatMap(\.running).map {
                    "\($0.number & 0xFF) at \($0.standsForAll ? "all" : "\($0.ordinal)") \($0.recovery) \($0.attempt)"
                }, batches.flatMap(\.ended).map { $0 & 0xFF }
            )
        }
    }

    /// An effect that a worker tells.
    private func told(
        _ number: UInt64, at place: UInt32, after sequence: UInt64 = 3, _ recovery: EffectRecovery = .again,
        attempt: UInt32 = 1
    ) -> TakenCheckpoint.BegunEffect {
        var effect = JournalEffect(
            number: number, instance: "a", sequence: sequence, recovery: recovery, key: "k")
        (effect.ordinal, effect.attempt) = (place, attempt)
        return TakenCheckpoint.BegunEffect(number, after: sequence, effect.value)
    }

    // MARK: - In the host

    @Test func `an effect has ended in a batch with what it has emitted, though other work stood after that`()
        throws
    {
        let scene = Scene(isOfWorker: false)
        let logged = try #require(scene.record { scene.log.begin(.foreground, .again, within: nil) })
        #expect(scene.news() == (["1 at 0 again 1"], []))
        // Its output, after which a job stands in the queue.
        scene.record(isIdle: false) {}
        scene.log.end(logged, isCancelled: false)
        #expect(scene.news() == ([], []))
        scene.settleAtRest(logged)
        scene.recorder.handOver()
        let batches = scene.tape.take()
        #expect(batches.flatMap(\.ended).map { $0 & 0xFF } == [1])
        #expect(batches.map(\.entries.count) == [1])
    }

    @Test func `what an action cancels has ended in a batch with that action, before the drain is at rest`()
        throws
    {
        let scene = Scene(isOfWorker: false)
        let logged = try #require(scene.record { scene.log.begin(.foreground, .again, within: nil) })
        #expect(scene.news() == (["1 at 0 again 1"], []))
        scene.inDrain {
            scene.record {
                scene.log.end(logged, isCancelled: true)
                scene.settleAtRest(logged)
            }
            scene.recorder.handOver()
            let batches = scene.tape.take()
            #expect(batches.flatMap(\.ended).map { $0 & 0xFF } == [1])
            #expect(batches.flatMap(\.entries).count == 1)
        }
        #expect(scene.news() == ([], []))
        #expect(scene.log.takeUnfinished() == [])
    }

    @Test func `what is cancelled while no action is in hand has ended when the drain is at rest`() throws {
        let scene = Scene(isOfWorker: false)
        let logged = try #require(scene.record { scene.log.begin(.foreground, .again, within: nil) })
        _ = scene.news()
        scene.inDrain {
            scene.log.end(logged, isCancelled: true)
            scene.settleAtRest(logged)
            #expect(scene.news() == ([], []))
        }
        #expect(scene.news() == ([], [1]))
    }

    @Test func `what is cancelled does not go on in the background once the drain is at rest`() throws {
        let scene = Scene(isOfWorker: false)
        let logged = try #require(scene.record { scene.log.begin(.foreground, .again, within: nil) })
        _ = scene.news()
        scene.inDrain {
            scene.atRest { $0.continueInBackground(logged) }
            scene.record {
                scene.log.end(logged, isCancelled: true)
                scene.settleAtRest(logged)
            }
            #expect(scene.news() == ([], [1]))
        }
        #expect(scene.news() == ([], []))
    }

    @Test func `two parts that one action cancels have ended with it, and one part alone has not`() throws {
        let scene = Scene(isOfWorker: false)
        let begun = try scene.recordParts()
        _ = scene.news()
        scene.inDrain {
            scene.record { scene.log.end(begun[0], isCancelled: true) }
            scene.settleAtRest(begun[0])
            #expect(scene.news() == ([], []))
        }
        #expect(scene.log.underWay.count == 1)
        scene.inDrain {
            scene.record { scene.log.end(begun[1], isCancelled: true) }
            scene.settleAtRest(begun[1])
            #expect(scene.news() == ([], [1]))
        }
        #expect(scene.news() == ([], []))
        // Both by one action.
        let others = try scene.recordParts()
        _ = scene.news()
        scene.inDrain {
            scene.record { for number in others { scene.log.end(number, isCancelled: true) } }
            for number in others { scene.settleAtRest(number) }
            #expect(scene.news() == ([], [2]))
        }
        #expect(scene.news() == ([], []))
        #expect(scene.log.takeUnfinished() == [])
    }

    @Test func `an effect has not ended by what cancels one part where the other one has finished`() throws {
        let scene = Scene(isOfWorker: false)
        let begun = try scene.recordParts()
        _ = scene.news()
        scene.inDrain {
            scene.record {
                scene.log.end(begun[0], isCancelled: false)
                scene.log.end(begun[1], isCancelled: true)
            }
            #expect(scene.news() == ([], []))
        }
        // It leaves its work to the next one, as it was told.
        scene.log.settle(begun[0], isLeft: true)
        scene.log.settle(begun[1], isLeft: false)
        #expect(scene.news() == ([], []))
        #expect(scene.log.takeUnfinished().count == 1)
    }

    @Test func `a gate that closes ends what was to be left to the next instance`() throws {
        let scene = Scene(isOfWorker: false)
        let logged = try #require(scene.record { scene.log.begin(.foreground, .again, within: nil) })
        _ = scene.news()
        scene.inDrain {
            scene.log.leaving { scene.log.end(logged, isCancelled: true) }
            scene.settleAtRest(logged)
        }
        #expect(scene.news() == ([], []))
        scene.inDrain { scene.record { scene.log.endAll() } }
        #expect(scene.news() == ([], [1]))
        #expect(scene.log.takeUnfinished() == [])
    }

    @Test func `what a gate ends has ended with all its parts, though they leave something to others later`()
        throws
    {
        let scene = Scene(isOfWorker: false)
        let begun = try scene.recordParts()
        #expect(scene.news() == (["1 at 0 again 1"], []))
        scene.inDrain {
            scene.record { scene.log.endAll() }
            #expect(scene.news() == ([], [1]))
        }
        for number in begun { scene.log.settle(number, isLeft: true) }
        #expect(scene.news() == ([], []))
        #expect(scene.log.takeUnfinished() == [])
    }

    // MARK: - In a worker

    @Test func `one entry stands for an action until it is answered, and then one for each effect`() throws {
        let scene = Scene(isOfWorker: true)
        let logged = try #require(scene.record { scene.log.begin(.finishing, .again, within: nil) })
        #expect(scene.news() == (["1 at all again 1"], []))
        scene.settle { $0 = checkpoint(answering: logged, told(1, at: 0), told(2, at: 1, .tell)) }
        #expect(scene.news() == (["2 at 1 tell 1", "1 at 0 again 1"], []))
        #expect(scene.log.underWay.map(\.key) == ["j-1-3.0-a", "j-1-3.0-a"])
        // One that says later that it begins again in another way, and another one that begins.
        scene.settle { $0.begun = [told(1, at: 0, .tell), told(3, at: 2)] }
        #expect(scene.news() == (["3 at 2 again 1", "1 at 0 tell 1"], []))
        scene.settle { $0.ended = [2] }
        #expect(scene.news() == ([], [2]))
        scene.settle { $0.ended = [1, 3] }
        #expect(scene.news() == ([], [1, 3]))
        #expect(scene.log.underWay == [])
    }

    /// A checkpoint that answers an action.
    private func checkpoint(answering logged: UInt64, _ begun: TakenCheckpoint.BegunEffect...)
        -> TakenCheckpoint
    {
        var checkpoint = TakenCheckpoint()
        (checkpoint.answered, checkpoint.begun) = ([logged], begun)
        return checkpoint
    }

    @Test
    func `what a gate ends in a worker has ended at once, and leaves its slot when the worker has answered`()
        throws
    {
        let scene = Scene(isOfWorker: true)
        let first = try #require(scene.record { scene.log.begin(.finishing, .again, within: nil) })
        scene.settle { $0 = checkpoint(answering: first, told(1, at: 0)) }
        let second = try #require(scene.record { scene.log.begin(.finishing, .again, within: nil) })
        _ = scene.news()
        // One is known, and one not.
        scene.log.endAll()
        #expect(scene.news() == ([], [1, 2]))
        #expect(scene.log.underWay == [])
        // The worker has not come to that.
        scene.settle {
            $0 = checkpoint(answering: second, told(2, at: 0, after: 4), told(3, at: 1, after: 4))
        }
        #expect(scene.log.underWay == [])
        scene.settle { $0.ended = [1, 2, 3] }
        #expect(scene.news() == ([], []))
        let next = try (0..<2).map { _ in
            try #require(scene.record { scene.log.begin(.finishing, .again, within: nil) })
        }
        #expect(Set(next.map { $0 >> 16 }) == Set([first, second].map { $0 >> 16 }))
    }

    @Test func `what begins once more goes on in its entry, and what does not begin has ended`() throws {
        let scene = Scene(isOfWorker: true, after: 3)
        let logged = scene.log.beginAgain([effect(5, at: 0), effect(6, at: 2), effect(7, at: 3)])
        scene.settle {
            $0 = checkpoint(answering: logged, told(1, at: 3, attempt: 2), told(2, at: 0, attempt: 2))
        }
        #expect(scene.news() == ([], [6]))
        // Another process of the worker.
        scene.settle { $0.begun = [told(1, at: 3, attempt: 3)] }
        #expect(scene.news() == (["7 at 3 again 3"], []))
        scene.settle { $0.ended = [1, 2] }
        #expect(scene.news() == ([], [5, 7]))
    }

    @Test func `an action that is left out while it is shown leaves nothing`() {
        let scene = Scene(isOfWorker: true, after: 3)
        let logged = scene.log.beginAgain([effect(5, at: 0), effect(6, at: 2)])
        scene.settle { $0.finished = [logged, nil] }
        #expect(scene.news() == ([], [5, 6]))
        #expect(scene.log.takeUnfinished() == [])
    }

    @Test func `what a worker has told goes to the next instance effect by effect`() throws {
        let scene = Scene(isOfWorker: true)
        let logged = try #require(scene.record { scene.log.begin(.finishing, .again, within: nil) })
        let open = try #require(scene.record { scene.log.begin(.finishing, .again, within: nil) })
        // No worker says of one effect that it stands for all.
        scene.settle {
            $0 = checkpoint(answering: logged, told(1, at: JournalEffect.all, .tell), told(2, at: 1))
        }
        #expect(open != logged)
        let left = scene.log.takeUnfinished()
        #expect(left.map(\.sequence) == [3, 4, 3])
        #expect(left.map(\.standsForAll) == [false, true, false])
        #expect(left.map(\.recovery) == [.tell, .again, .again])
    }

    // MARK: - Out of a worker

    @Test func `effects that leave a worker unanswered keep the input, and begin and end with the outputs`() {
        // In the place of action 3 the recorder has another one, which goes back to another input.
        let scene = Scene(isOfWorker: false, after: 1_026)
        scene.record(ActionCause(.input, 9)) {}
        _ = scene.news()
        scene.during(3) {
            scene.log.beginAll(insteadOf: whole) {
                for _ in 0..<2 { _ = scene.log.begin(.foreground, nil, within: nil) }
            }
        }
        #expect(scene.news() == ([], []))
        #expect(scene.log.underWay.map(\.input) == [2, 2])
        #expect(scene.log.underWay.map(\.key) == ["k", "k"])
        scene.record(ActionCause(.output, 3)) {}
        let batches = scene.tape.batches
        #expect(scene.news() == (["1 at 0 again 2", "2 at 1 again 2"], [7]))
        #expect(batches.count { !$0.isEmpty } <= 1)
    }

    @Test
    func
        `an effect that ends while it waits for outputs is never written, and one that changes as it is then`()
    {
        let scene = Scene(isOfWorker: false, after: 3)
        scene.during(3) {
            scene.log.beginAll(insteadOf: whole) {
                for _ in 0..<2 { _ = scene.log.begin(.foreground, nil, within: nil) }
            }
        }
        var effects = scene.log.takeUnfinished()
        scene.recorder.end(effect: effects[0].number)
        effects[1].attempt = 3
        scene.recorder.resume(effects[1])
        scene.recorder.rest()
        #expect(scene.news() == (["2 at 1 again 3"], [7]))
    }

    @Test func `nothing overtakes the outputs with which an entry is written anew`() throws {
        let scene = Scene(isOfWorker: true)
        let logged = try #require(scene.record { scene.log.begin(.finishing, .again, within: nil) })
        let other = try #require(scene.record { scene.log.begin(.finishing, .again, within: nil) })
        _ = scene.news()
        var checkpoint = TakenCheckpoint()
        (checkpoint.answered, checkpoint.begun) = (
            [logged, other], [told(1, at: 0), told(2, at: 0, after: 4)]
        )
        checkpoint.settle(in: scene.log) { _ in }
        // Another instance takes over the first, and nobody the second.
        let left = scene.log.takeUnfinished()
        var heir = left[0]
        heir.attempt = 5
        scene.recorder.resume(heir)
        scene.recorder.end(effect: left[1].number)
        #expect(scene.news() == ([], []))
        scene.recorder.rest()
        #expect(scene.news() == (["1 at 0 again 5"], [2]))
    }

    @Test func `without a journal an action that leaves a worker keeps its attempt`() {
        let drain = NoBody.drain()
        let pass = Pass(timesAll: false)
        let log = InstanceEffectLog(of: "a", 1, isOfWorker: false, recovery: .again, in: pass, nil, drain)
        let action = AnyAction("a/b")
        drain.mark = 3
        pass.take(action)
        log.beginAll(insteadOf: whole) { _ = log.begin(.foreground, nil, within: nil) }
        pass.end()
        drain.mark = 0
        #expect(log.underWay.map(\.attempt) == [2])
    }

    @Test func `two effects of a worker at one place are one once they are shown`() {
        let scene = Scene(isOfWorker: true, after: 3)
        _ = scene.log.beginAgain([effect(5, at: 0), effect(6, at: 0)])
        #expect(scene.news() == ([], [6]))
        #expect(scene.log.takeUnfinished().map(\.number) == [5])
    }

    @Test func `a worker begins effects at some places only, as those that begin once more`() {
        let scene = Scene(isOfWorker: false)
        scene.recorder.show(3, named: EffectKeys.Name(key: "k", attempt: 4))
        let unbegun = scene.during(3) {
            scene.log.begin(
                at: [1, 4], of: AnyAction("a/b"), from: effect(1, at: 0).source, after: 3
            ) {
                let begun = (0..<3).map { _ in scene.log.begin(.foreground, .tell, within: nil) != nil }
                #expect(begun == [false, true, false])
            }
        }
        #expect(unbegun == 1)
        #expect(scene.news() == (["1 at 1 again 4"], []))
        #expect(scene.log.underWay.map(\.key) == ["k"])
    }
}
