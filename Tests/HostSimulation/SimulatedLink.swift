// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import GatehouseJournal
import GatehousePlan
import GatehouseRuntime
import GatehouseRuntimeTesting
import GatehouseSDK
import GatehouseSupport

/// A simulated host's side of an instance in its worker, as `WorkerLink` is a real one's, without threads: it does what is due when somebody
/// says so. Traffic, log of effects and rings are the real ones.
final class SimulatedLink {
    /// What is left to the drain.
    private enum Job {
        /// A checkpoint that counts.
        case checkpoint(TakenCheckpoint)
        /// The end of what stands for actions that were left out, and of their effects.
        case end([UInt64?], [UInt64])
        /// Effects have lapsed with a process.
        case lapse(WorkerTraffic.Lapsed)
        /// What follows from having given up.
        case giveUp
    }

    /// What one process tells.
    private final class Answers {
        /// Reads what it writes.
        private var ring: RingReader
        /// Cuts that into messages.
        private var frames = FrameReader(limit: 1 << 20)
        /// Reads those.
        private var news: WorkerNewsReader

        /// What a process of an instance tells through a ring.
        init(of id: ClerkID, through ring: consuming RingReader) {
            self.ring = ring
            news = WorkerNewsReader(of: id.rawValue) { $0 }
        }

        /// Takes the next message that says something; nil where there is none that is whole.
        ///
        /// - Parameter count: the most bytes to take where there is none yet.
        func next(atMost count: Int) throws -> WorkerNewsReader.News? {
            if let news = try whole() { return news }
            return try frames.fill(from: &ring, atMost: count) ? try whole() : nil
        }

        /// Takes the next message that says something of what was taken from the ring.
        private func whole() throws -> WorkerNewsReader.News? {
            while var frame = try frames.next() {
                if let news = try news.read(&frame) { return news }
            }
            return nil
        }
    }

    /// The instance.
    private let id: ClerkID
    /// What goes to the worker, and what is known of it.
    private var traffic = WorkerTraffic()
    /// The process that runs.
    private(set) var worker: SimulatedWorker
    /// What it tells: the ring, the messages in that, and what they say.
    private var answers: Answers
    /// What stands in the journal for the actions that the worker was given.
    private let log: InstanceEffectLog
    /// Numbers and names actions.
    private let recorder: ActionRecorder
    /// Has the action in hand.
    private let pass = Pass(timesAll: false)
    /// Knows its number.
    private let drain: SimulatedDrain
    /// Orders that are gathered and not given.
    private var batch = OrderBatch()
    /// Whether there are some.
    private var isGathering = false
    /// What the drain has not done.
    private var jobs: [Job] = []
    /// How many copies of the state are ordered and have not come.
    private var copies = 0
    /// How many checkpoints were taken.
    private var checkpoints = 0
    /// Whether what follows from having given up is done, so that what comes becomes a dead letter.
    private(set) var isClosed = false
    /// Where the gate was moved, and the number of the order that tells it.
    private var gates: [(order: UInt64, isOpen: Bool)] = []
    /// The version of the form of the state that the worker's code has.
    let form: Int
    /// The deaths that count against the instance.
    var deaths = DeathCount()
    /// How often processes have died by an action, by its number, for comparison.
    private var tries: [UInt64: Int] = [:]
    /// What is planted; nil for nothing.
    private let defect: HostSimulation.Defect?

    /// Begins a process with a state that another instance or another host has left.
    ///
    /// - Parameters:
    ///   - state: nil for a new instance.
    ///   - form: that of the worker's code.
    ///   - base: the last action that it has.
    /// - Throws: that the system has no memory for a ring, or that the state is not taken.
    init(
        _ id: ClerkID, _ recorder: ActionRecorder, _ drain: SimulatedDrain, state: ClerkState?, form: Int,
        after base: UInt64, _ defect: HostSimulation.Defect?
    ) throws {
        (self.recorder, self.drain, self.form, self.defect) = (recorder, drain, form, defect)
        self.id = id
        traffic.stateVersion = form
        log = InstanceEffectLog(
            of: id.rawValue, 1, isOfWorker: true, recovery: .again, in: pass, recorder, drain)
        (worker, answers) = try Self.attach(id, to: &traffic, form, defect)
        // A new one tells its first state before anybody hears it.
        guard let state else {
            traffic.take(restored: ClerkState(form: form).value)
            return
        }
        traffic.restore(state.versioned)
        try traffic.flush()
        // Some die before they have taken it over.
        if base % 3 == 1 {
            traffic.detach()
            (worker, answers) = try Self.attach(id, to: &traffic, form, defect)
            try traffic.flush()
        }
        try worker.read(atMost: 1 << 12)
        while worker.carryOut() {}
        worker.tell()
        try worker.send()
        while try take() != nil {}
        jobs = []
    }

    /// Begins with another process.
    private static func attach(
        _ id: ClerkID, to traffic: inout WorkerTraffic, _ form: Int, _ defect: HostSimulation.Defect?
    ) throws -> (SimulatedWorker, Answers) {
        let mine = try RingFile(named: "mine", capacity: 4_096)
        let its = try RingFile(named: "its", capacity: 4_096)
        let (own, workers) = (try RingMemory(own: mine), try RingMemory(own: its))
        let (ofHost, ofWorker) = (try RingMemory(other: mine), try RingMemory(other: its))
        traffic.attach(RingWriter(own: own, other: ofWorker))
        return (
            SimulatedWorker(
                id, RingReader(own: workers, other: ofHost), RingWriter(own: workers, other: ofHost),
                form: form, defect),
            Answers(of: id, through: RingReader(own: own, other: ofWorker))
        )
    }

    /// The state at the last checkpoint; nil before the first.
    var state: ClerkState? { ClerkState(traffic.state) }

    /// Whether no process runs any more.
    var isOut: Bool { traffic.isGivenUp != nil }

    /// Where the gate stood after the last order that the process has answered; nil before it has answered those that it began with.
    var answeredGate: Bool? {
        guard traffic.waiting(withOwn: true).count == traffic.kept.count else { return nil }
        return gates.last { $0.order <= traffic.kept.last }?.isOpen ?? true
    }

    /// Whether the drain has something to do.
    var hasJobs: Bool { !jobs.isEmpty }

    /// Whether a snapshot waits for the worker.
    var isCopying: Bool { copies > 0 }

    /// Whether all that was given is answered.
    var isAnswered: Bool { traffic.kept.count == 0 && jobs.isEmpty && !isGathering }

    /// Whether nothing is left to do at all.
    var isIdle: Bool { isAnswered && traffic.effects.isEmpty }

    // MARK: - In the drain

    /// Lets the instance start.
    func start() throws {
        let keys = WorkerTraffic.Keys(name: recorder.name, epoch: recorder.epoch)
        traffic.keys = keys
        batch.add(.start) { WorkerTraffic.write(keys, [], after: 0, to: &$0) }
        try send()
    }

    /// Gives the worker the action in hand, which counts as an effect until it is done; it waits to be sent.
    func hear(_ told: Int, as sequence: UInt64, from source: ActionSource) throws {
        let action = SimulatedAction.action(told)
        let logged = withExtendedLifetime(action) {
            drain.mark = sequence
            pass.begin(from: source)
            pass.take(action)
            defer {
                pass.end()
                drain.mark = 0
            }
            return log.begin(.finishing, .again, within: nil)
        }
        batch.add(source)
        let json = try Self.wire(action)
        unsafe json.withUnsafeBytes {
            unsafe batch.add(
                hearing: action.type, under: action.type, from: source, as: $0, effect: logged,
                sequence: sequence, origin: recorder.origin(of: sequence), at: .nan)
        }
        isGathering = true
        if defect == .hastyEnds { log.finish([logged]) }
    }

    /// Gives the worker actions to be reduced that the one before was given and has not answered.
    func reduce(_ actions: [LateAction]) throws {
        for late in actions { batch.add(reducing: late, as: try Self.wire(late.action)) }
        try send()
    }

    /// Shows the worker an action once more.
    ///
    /// - Parameter effects: what the instance or the host before has left of it, in the host or in a worker; not empty.
    func show(_ effects: [JournalEffect]) throws {
        guard let action = effects[0].action else { return }
        let logged = log.beginAgain(effects)
        var shown = effects
        if defect == .revivedEffects { shown[0].ordinal = JournalEffect.all }
        batch.add(
            showing: action, under: action.type, from: effects[0].source, as: try Self.wire(action),
            effect: logged, beginning: shown, named: effects[0].key)
        try send()
    }

    /// The bytes of an action.
    private static func wire(_ action: AnyAction) throws -> [UInt8] {
        var json: [UInt8] = []
        try action.writeWireForm(to: &json)
        return json
    }

    /// Gives what was gathered, as far as there is room.
    func send() throws {
        traffic.kept.take(&batch)
        isGathering = false
        try traffic.flush()
    }

    /// Copies the state as it is after all that was given so far; the copy may be called when `isCopying` is over.
    func copy() throws -> SliceCopy {
        try send()
        let state = traffic.state?.value ?? ClerkState(form: form).value
        guard defect != .staleCopies, let (copy, number) = traffic.addCopy() else {
            return { () throws(CodingFailure) in state }
        }
        copies += 1
        batch.add(.copy) { $0.put(number) }
        try send()
        return { () throws(CodingFailure) in try copy.value(within: .zero) }
    }

    /// Does the next thing that is left to the drain.
    ///
    /// - Parameters:
    ///   - record: records an action that the instance has emitted, and is told whether nothing follows.
    ///   - tell: told of each effect that was interrupted and does not begin again.
    ///   - giveUp: told the actions that an instance that was given up has not done.
    /// - Returns: whether a snapshot is due, because an action was left out that the state does not have.
    func performJob(
        recording record: (TakenCheckpoint.Output, Bool) -> Void, telling tell: (JournalEffect) -> Void,
        givingUp giveUp: ([UInt64]) -> Void
    ) throws -> Bool {
        guard !jobs.isEmpty else { return false }
        var isDue = false
        switch jobs.removeFirst() {
        case .end(let finished, let ended):
            log.finish(finished, ended)
            isDue = finished.isEmpty
        case .lapse(let lapsed):
            for effect in lapsed.interrupted { log.entry(of: effect.number).map(tell) }
            log.finish(lapsed.finished, lapsed.ended)
        case .giveUp:
            try send()
            let left = traffic.giveUp()
            (isClosed, copies) = (true, 0)
            giveUp(left.actions.map(\.sequence))
            log.finish(left.logged)
            if defect == .silentEnds { log.finish([], traffic.effects.keys.sorted()) }
        case .checkpoint(var checkpoint):
            if defect == .splitCheckpoints, !checkpoint.outputs.isEmpty,
                !checkpoint.finished.isEmpty || !checkpoint.answered.isEmpty || !checkpoint.ended.isEmpty
            {
                var late = TakenCheckpoint()
                swap(&late.outputs, &checkpoint.outputs)
                jobs.insert(.checkpoint(late), at: 0)
            }
            // They wait in the queue until all of it is known.
            var waiting: [TakenCheckpoint.Output] = []
            checkpoint.settle(in: log) { waiting.append($0) }
            for (index, output) in waiting.enumerated() { record(output, index == waiting.count - 1) }
        }
        recorder.rest()
        return isDue
    }

    /// Tells the instance that its gate has moved.
    ///
    /// - Parameter ends: whether that ends its effects.
    /// - Returns: the actions that had some.
    func moveGate(isOpen: Bool, endingEffects ends: Bool) throws -> [UInt64] {
        let ended = ends ? log.underWay.map(\.sequence) : []
        if ends, defect != .lingeringEffects { log.endAll() }
        guard !isClosed else { return ended }
        if ends { batch.add(.endEffects) { _ in } }
        let gate = isOpen ? GateState.active : .bypass
        if defect != .forgottenGates { traffic.gates.append(gate) }
        batch.add(.gate) { WorkerTraffic.write(gate, to: &$0) }
        try send()
        gates.append((traffic.kept.last + UInt64(traffic.kept.count), isOpen))
        return ended
    }

    /// Stops all effects, which have not ended by that.
    ///
    /// - Parameter isAtEnd: whether the instance does what is to be done at the end, too.
    func stopEffects(isAtEnd: Bool) throws {
        guard !isClosed else { return }
        traffic.isSucceeded = true
        batch.add(isAtEnd ? .stopEffects : .cancelEffects) { if isAtEnd { $0.put(true) } }
        if isAtEnd { batch.add(.stopping) { _ in } }
        try send()
    }

    /// Hands over what has not ended, for the instance that takes over, and what that is to reduce; when the drain has done what it has.
    func takeUnfinished() throws -> (
        effects: [JournalEffect], unreduced: [LateAction]
    ) {
        try send()
        return (log.takeUnfinished(), defect == .lostHandOver ? [] : traffic.kept.unreduced)
    }

    // MARK: - Beside it

    /// Takes the next thing that was told; nil where nothing of it is whole, and what is known of no checkpoint for a state that was taken
    /// over.
    ///
    /// - Parameter count: the most bytes to take.
    func take(atMost count: Int = 1 << 16) throws -> SimulatedWorker.Checkpoint? {
        switch try answers.next(atMost: count) {
        case .restored(let state):
            _ = traffic.take(answer: state)
            return SimulatedWorker.Checkpoint()
        case .checkpoint(var content, let orders, let begun, let ended):
            checkpoints += 1
            if defect == .lostCheckpoints, checkpoints % 2 == 1 { content.state = nil }
            copies -= content.copies.count
            try traffic.take(&content, after: orders, begun, ended)
            jobs.append(.checkpoint(content))
            return worker.told.removeFirst()
        case .some: throw FrameFailure.unexpected(kind: 0)
        case nil: return nil
        }
    }

    /// Lets the process die, of which all that is whole was taken; another one goes on.
    ///
    /// - Parameter leaveOut: called between the two.
    func die(keepingState keeps: Bool, _ leaveOut: () -> Void) throws {
        traffic.detach()
        traffic.deaths += 1
        leaveOut()
        if defect == .lostState || !keeps { traffic.state = nil }
        if defect != .silentInterruptions {
            let lapsed = traffic.takeLapsed()
            if !lapsed.ended.isEmpty { jobs.append(.lapse(lapsed)) }
        }
        (worker, answers) = try Self.attach(id, to: &traffic, form, defect)
        try traffic.flush()
    }

    /// Lets the process die, which has told what was taken, and no other one begin.
    func giveUp() {
        traffic.detach()
        traffic.deaths += 1
        traffic.isGivenUp = "it has ended too many"
        jobs.append(.giveUp)
    }

    /// The actions of the effects that are open as far as the worker has told.
    var actionsWithEffects: Set<UInt64> { Set(traffic.effects.values.map(\.sequence)) }

    /// The action in hand, once all that the process has told is taken; nil for none.
    var inHand: UInt64? { traffic.kept.actions.first?.sequence }

    /// Counts a death by an action; gives how many there were.
    func count(deathBy sequence: UInt64) -> Int {
        tries[sequence, default: 0] += 1
        return tries[sequence] ?? 0
    }

    /// Blames the effects that are open for a death that is the instance's doing; see `WorkerTraffic`.
    func blameEffects(atMost limit: Int) -> UInt64? { traffic.blameEffects(atMost: limit) }

    /// The same for a death that may be another one's doing.
    func suspectEffects(atMost limit: Int) -> (sequence: UInt64, isEnough: Bool)? {
        traffic.suspectEffects(atMost: limit)
    }

    /// Lets an action begin nothing any more; nil where it is not known.
    ///
    /// - Returns: whether the state has it, or another process has had it.
    func leaveOut(_ sequence: UInt64) -> Bool? {
        let isUnreduced = traffic.kept.unreduced.contains { $0.sequence == sequence }
        guard let (action, finished, ended) = traffic.leaveOut(sequence), action.sequence == sequence else {
            return nil
        }
        jobs.append(.end(finished, ended))
        return !isUnreduced
    }
}
