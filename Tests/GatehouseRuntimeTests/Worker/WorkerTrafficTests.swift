// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseSDK
import Testing

@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What a host knows of the effects of a worker, and which of them it blames for deaths.
@Suite(.timeLimit(.minutes(10))) struct WorkerTrafficTests {
    @Test func `of effects that were open at as many deaths, the youngest is blamed`() throws {
        var traffic = WorkerTraffic()
        _ = try traffic.finish(0, [(1, 11, .null), (2, 12, .null)], [])
        let early1 = traffic.blameEffects(atMost: 3)
        #expect(early1 == nil)
        let early2 = traffic.blameEffects(atMost: 3)
        #expect(early2 == nil)
        let blamed = traffic.blameEffects(atMost: 3)
        #expect(blamed == 12)
    }

    @Test func `an effect is blamed before an older one although the first death came before it was told`()
        throws
    {
        var traffic = WorkerTraffic()
        _ = try traffic.finish(0, [(1, 11, .null)], [])
        let early3 = traffic.blameEffects(atMost: 3)
        #expect(early3 == nil)
        _ = try traffic.finish(0, [(2, 12, .null)], [])
        let early4 = traffic.blameEffects(atMost: 3)
        #expect(early4 == nil)
        let blamed = traffic.blameEffects(atMost: 3)
        #expect(blamed == 12)
    }

    @Test func `an effect that has begun since is not blamed, nor one that has ended`() throws {
        var traffic = WorkerTraffic()
        _ = try traffic.finish(0, [(1, 11, .null), (2, 12, .null)], [])
        let early5 = traffic.blameEffects(atMost: 3)
        #expect(early5 == nil)
        let early6 = traffic.blameEffects(atMost: 3)
        #expect(early6 == nil)
        _ = try traffic.finish(0, [(3, 13, .null)], [2])
        let blamed = traffic.blameEffects(atMost: 3)
        #expect(blamed == 11)
    }

    /// What was sent to a worker that was given actions with these numbers.
    ///
    /// - Parameter isLogged: whether something stands for each of them in a log, with a number 100 higher.
    private func traffic(with sequences: [UInt64], isLogged: Bool = true) -> WorkerTraffic {
        var traffic = WorkerTraffic()
        var batch = OrderBatch()
        for sequence in sequences {
            let json = Array(#"{"type":"a/send"}"#.utf8)
            unsafe json.withUnsafeBytes {
                unsafe batch.add(
                    hearing: "send", under: "a/send", from: .here(), as: $0,
                    effect: isLogged ? sequence + 100 : nil, sequence: sequence,
                    origin: ChainOrigin(input: 0), at: 0
                )
            }
        }
        traffic.kept.take(&batch)
        let count = traffic.kept.withUnsent { $0.count }
        traffic.kept.send(count)
        return traffic
    }

    @Test func `of an action that is left out no effect begins again, and those of others do`() throws {
        var traffic = traffic(with: [11, 12])
        _ = try traffic.finish(2, [(1, 11, .null), (2, 12, .null)], [])
        let left = traffic.leaveOut(11)
        #expect(left?.action.sequence == 11)
        #expect(left?.finished == [nil])
        #expect(left?.ended == [1])
        let effects = traffic.effects.mapValues(\.sequence)
        #expect(effects == [2: 12])
        let again = traffic.leaveOut(11)
        #expect(again?.finished == nil)
    }

    @Test(arguments: [true, false])
    func
        `of a worker that is given up only what it has not done is over, and open effects are for the next one`(
            isLogged: Bool
        ) throws
    {
        var traffic = traffic(with: [11, 12, 13], isLogged: isLogged)
        _ = try traffic.finish(2, [(1, 11, value(at: 4, .tell)), (2, 11, value(at: 0, .again))], [])
        let left = traffic.giveUp()
        #expect(left.actions.map(\.sequence) == [13])
        #expect(left.logged == [isLogged ? 113 : nil])
        #expect(left.standing == Standing(at: 12, missed: 1, open: [13...13]))
        let orders = traffic.kept.count
        #expect(orders == 0)
        // Where there is no log, nothing else stands for them.
        let unfinished = traffic.unfinished.map { "\($0.action.sequence) \($0.effects.map(\.ordinal))" }
        #expect(unfinished == (isLogged ? [] : ["11 [4, 0]"]))
    }

    /// An effect as a worker tells it.
    private func value(at place: UInt32, _ recovery: EffectRecovery) -> Value {
        var effect = JournalEffect(number: 0, instance: "a", sequence: 0, recovery: recovery, key: "k")
        effect.ordinal = place
        return effect.value
    }

    @Test func `what does not begin again ends with its process, and is told`() throws {
        var traffic = traffic(with: [11, 12])
        _ = try traffic.finish(
            2, [(1, 11, value(at: 0, .tell)), (2, 11, value(at: 1, .again)), (3, 12, value(at: 0, .tell))], []
        )
        let lapsed = traffic.takeLapsed()
        #expect(lapsed.ended == [1, 3])
        #expect(lapsed.interrupted.map(\.sequence) == [11, 12])
        #expect(lapsed.interrupted.map(\.isUnlogged) == [false, false])
        // Action 12 has nothing else.
        #expect(lapsed.finished == [nil])
        let left = traffic.effects.keys.sorted()
        #expect(left == [2])
        let again = traffic.takeLapsed()
        #expect(again.ended.isEmpty && again.finished.isEmpty)
        let end = try traffic.finish(2, [], [2])
        #expect(end.finished == [nil])
    }

    @Test func `what another instance has taken over is not told here`() throws {
        var traffic = traffic(with: [11], isLogged: false)
        _ = try traffic.finish(1, [(1, 11, value(at: 0, .tell))], [])
        traffic.isReplaced = true
        let lapsed = traffic.takeLapsed()
        #expect(lapsed.ended.isEmpty)
    }

    @Test func `what a gate has ended does not begin again in another process, and nobody is told`() throws {
        var traffic = traffic(with: [11, 12])
        _ = try traffic.finish(
            1, [(1, 11, value(at: 0, .tell)), (2, 11, value(at: 1, .again))], [])
        var batch = OrderBatch()
        batch.add(.endEffects) { _ in }
        traffic.kept.take(&batch)
        let lapsed = traffic.takeLapsed()
        #expect(lapsed.ended == [1, 2])
        #expect(lapsed.interrupted.isEmpty)
        #expect(lapsed.finished == [nil])
        let left = (effects: traffic.effects.count, orders: traffic.kept.count)
        #expect(left == (0, 2))
    }

    @Test
    func `what a gate has ended is not blamed, and neither another instance nor another host begins it`()
        throws
    {
        var traffic = traffic(with: [11, 12], isLogged: false)
        _ = try traffic.finish(1, [(1, 11, value(at: 0, .again))], [])
        var batch = OrderBatch()
        batch.add(.endEffects) { _ in }
        traffic.kept.take(&batch)
        let blamed = traffic.blameEffects(atMost: 1)
        #expect(blamed == nil)
        let unfinished = traffic.unfinished.map(\.action.sequence)
        #expect(unfinished == [])
        let left = traffic.giveUp()
        #expect(left.actions.map(\.sequence) == [12])
        let later = traffic.unfinished.map(\.action.sequence)
        #expect(later == [])
    }

    @Test func `a gate that closes after the worker was given up ends what it has left`() throws {
        var traffic = traffic(with: [11, 12], isLogged: false)
        _ = try traffic.finish(1, [(1, 11, value(at: 0, .again))], [])
        _ = traffic.giveUp()
        let unfinished = traffic.unfinished.map(\.action.sequence)
        #expect(unfinished == [11])
        traffic.endEffects()
        let later = traffic.unfinished.map(\.action.sequence)
        #expect(later == [])
    }

    @Test func `an effect that does not begin again is not blamed`() throws {
        var traffic = WorkerTraffic()
        _ = try traffic.finish(0, [(1, 11, value(at: 0, .again)), (2, 12, value(at: 0, .tell))], [])
        let early = traffic.blameEffects(atMost: 2)
        #expect(early == nil)
        let blamed = traffic.blameEffects(atMost: 2)
        #expect(blamed == 11)
    }

    @Test func `another process numbers its effects after all that the ones before it had`() throws {
        var traffic = WorkerTraffic()
        let keys = WorkerTraffic.Keys(name: "shop", epoch: 1)
        (traffic.keys, traffic.hasStarted) = (keys, true)
        _ = try traffic.finish(0, [(7, 11, .null)], [])
        _ = try traffic.finish(0, [(4, 12, .null)], [7])
        let prelude = try prelude(of: &traffic)
        #expect(prelude == frame(.start) { WorkerTraffic.write(keys, [.null], after: 7, to: &$0) })
    }

    /// Lets another process go on, and gives the orders for it alone.
    private func prelude(of traffic: inout WorkerTraffic) throws -> [UInt8] {
        let toWorker = try RingFile(named: "to worker", capacity: 1 << 16)
        let fromWorker = try RingFile(named: "from worker", capacity: 1 << 16)
        // Each side maps its own memory first, which is sealed then.
        let (ofHost, ofWorker) = (try RingMemory(own: toWorker), try RingMemory(own: fromWorker))
        traffic.attach(RingWriter(own: ofHost, other: try RingMemory(other: fromWorker)))
        withExtendedLifetime(ofWorker) {}
        return traffic.prelude
    }

    /// The bytes of an order.
    private func frame(_ order: WorkerOrder, _ body: (inout FrameWriter) -> Void = { _ in }) -> [UInt8] {
        var frame = FrameWriter()
        frame.begin(order.rawValue)
        body(&frame)
        frame.end()
        return frame.bytes
    }

    @Test func `a state is given to the next process, too, until one has answered it`() throws {
        var traffic = WorkerTraffic()
        _ = try prelude(of: &traffic)
        // A new instance has told its first state.
        traffic.take(restored: 0)
        let given = VersionedState(version: 1, value: 7)
        traffic.restore(given)
        let second = try prelude(of: &traffic)
        #expect(second == frame(.restore) { $0.put(given) })
        let isAnswer = traffic.take(answer: .success(7))
        #expect(isAnswer)
        let third = try prelude(of: &traffic)
        #expect(third == second)
        // Nobody waits for this one.
        let isAnotherAnswer = traffic.take(answer: .success(7))
        #expect(!isAnotherAnswer)
    }

    @Test
    func `the answer of a process to the state of the one before is none to the state that it is given`()
        throws
    {
        var traffic = WorkerTraffic()
        traffic.take(restored: 0)
        _ = try prelude(of: &traffic)
        traffic.restore(VersionedState(version: 1, value: 7))
        let first = traffic.take(answer: .success(0))
        #expect(!first)
        let second = traffic.take(answer: .success(7))
        #expect(second)
    }

    @Test func `before a process has what the one before had, it has as many effects`() throws {
        var traffic = WorkerTraffic()
        traffic.take(restored: 0)
        var checkpoint = TakenCheckpoint()
        checkpoint.effects.foreground = 2
        try traffic.take(&checkpoint, after: 0, [(1, 11, .null), (2, 11, .null)], [])
        _ = try prelude(of: &traffic)
        var early = TakenCheckpoint()
        early.state = 0
        try traffic.take(&early, after: 0, [], [])
        #expect(early.state == nil)
        #expect(early.effects == checkpoint.effects)
        var late = TakenCheckpoint()
        try traffic.take(&late, after: 1, [], [1])
        #expect(late.effects.foreground == 0)
    }

    @Test func `a process has something to do until it has taken over what the one before had`() throws {
        var traffic = WorkerTraffic()
        traffic.take(restored: 0)
        _ = try prelude(of: &traffic)
        var waiting = traffic.waiting(withOwn: true)
        #expect(waiting == (0, 1))
        // Before it has made the instance that is no hang.
        waiting = traffic.waiting(withOwn: false)
        #expect(waiting == (0, 0))
        _ = try traffic.finish(1, [], [])
        waiting = traffic.waiting(withOwn: true)
        #expect(waiting == (1, 0))
        _ = try prelude(of: &traffic)
        waiting = traffic.waiting(withOwn: true)
        #expect(waiting == (0, 1))
    }

    @Test func `another process is told where the gate stands, and stops what was stopped at the end`() throws
    {
        var traffic = WorkerTraffic()
        let keys = WorkerTraffic.Keys(name: "shop", epoch: 1)
        traffic.keys = keys
        var batch = OrderBatch()
        batch.add(.start) { WorkerTraffic.write(keys, [], after: 0, to: &$0) }
        traffic.gates = [.bypass]
        traffic.isSucceeded = true
        batch.add(.gate) { WorkerTraffic.write(.bypass, to: &$0) }
        batch.add(.stopping) { _ in }
        traffic.kept.take(&batch)
        traffic.kept.send(traffic.kept.withUnsent { $0.count })
        _ = try traffic.finish(3, [], [])
        let orders = try prelude(of: &traffic)
        #expect(
            orders == frame(.start) { WorkerTraffic.write(keys, [], after: 0, to: &$0) }
                + frame(.gate) { WorkerTraffic.write(.bypass, to: &$0) }
                + frame(.stopEffects) { $0.put(true) })
    }

    @Test func `what an instance counts goes on from one process to the next`() throws {
        var traffic = WorkerTraffic()
        var told = WorkerAccount()
        told.failures = 2
        traffic.take(told)
        _ = try prelude(of: &traffic)
        // Each process counts from 0, and tells its own sum each time.
        var sums: [Int] = []
        for failures in [1, 3] {
            told.failures = failures
            traffic.take(told)
            sums.append(traffic.account.failures)
        }
        #expect(sums == [3, 5])
    }

    @Test func `a worker that is shown an action once more learns which effects are to begin`() throws {
        let action = AnyAction("a/send")
        func places(_ places: UInt32...) throws -> [UInt32] {
            let effects = places.map { place in
                var effect = JournalEffect(
                    number: 1, instance: "a", sequence: 11, recovery: .again, key: "k", action: action)
                effect.ordinal = place
                return effect
            }
            var batch = OrderBatch()
            batch.add(
                showing: action, under: action.type, from: .here(), as: Array(#"{"type":"a/send"}"#.utf8),
                effect: 1, beginning: effects, named: "k")
            var reader = FrameReader(limit: 1 << 10)
            reader.fill(batch.frames.bytes[...])
            while var frame = try reader.next() {
                guard frame.kind == WorkerOrder.show.rawValue else {
                    frame.skip()
                    continue
                }
                _ = (try frame.number(UInt64.self), try frame.text(), try frame.number(UInt32.self))
                return try (0..<(try frame.number(UInt32.self))).map { _ in try frame.number() }
            }
            return []
        }
        #expect(try places(3, 0) == [3, 0])
        #expect(try places(JournalEffect.all) == [])
    }
}
