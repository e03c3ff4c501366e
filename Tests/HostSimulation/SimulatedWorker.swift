// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseRuntime
import GatehouseSDK
import GatehouseSupport

/// One process of a worker, as far as its host sees it: it reads orders from the ring, carries them out and writes checkpoints into the other
/// one, each when it is told to. What it has not written goes with it, the end of a message too.
final class SimulatedWorker {
    /// What the simulation knows of a checkpoint, whose bytes tell the host less.
    struct Checkpoint {
        /// The effects that have begun, or begun again, and those that have ended.
        var begun: [JournalEffect] = []
        var ended: [UInt64] = []
        /// The numbers of the actions that were heard or shown since the one before.
        var heard: [UInt64] = []
        /// Where the gate stood then, as far as the process was told.
        var isOpen = true
    }

    /// An order that was read and not carried out.
    private enum Order {
        case hear(UInt64, ChainOrigin, told: Int)
        case show(UInt64, EffectKeys.Name, places: [UInt32], told: Int)
        case reduce(told: Int)
        case restore(VersionedState)
        case start(name: String, epoch: UInt64, last: UInt64, again: [JournalEffect])
        case careful(UInt64)
        case copy(UInt64)
        case gate(isOpen: Bool)
        case endEffects
        case leaveEffects
        case other
    }

    /// The instance.
    private let id: ClerkID
    /// Reads what the host writes.
    private var reader: RingReader
    /// Writes what the host reads.
    private var writer: RingWriter
    /// What was told and is not in the ring, and how much of it is.
    private var (unsent, sent): ([UInt8], Int) = ([], 0)
    /// Gathers what is told before the next checkpoint.
    private let outbox: WorkerOutbox
    /// Cuts it into orders.
    private var frames = FrameReader(limit: 1 << 20)
    /// What is to be carried out.
    private var orders: [Order] = []
    /// How many orders are carried out.
    private var done: UInt64 = 0
    /// The actions that were heard.
    private var state: ClerkState
    /// The version of the form of the state that its code has.
    private let form: Int
    /// What of them was told last; nil for nothing.
    private var toldState: ClerkState?
    /// How many orders are to be told of one by one.
    private var careful: UInt64 = 0
    /// Numbers and names effects, as the one of a real worker does.
    private let recorder: ActionRecorder
    /// What has become of them since the last checkpoint, as in a real worker.
    private let log = WorkerLog(onNotice: {})
    /// The effects that have not ended, by number.
    private(set) var effects: [UInt64: JournalEffect] = [:]
    /// What is planted; nil for nothing.
    private let defect: HostSimulation.Defect?
    /// What the next checkpoint tells.
    private var next = Checkpoint()
    /// The effects that have begun and that the simulation has not looked at.
    var begun: [JournalEffect] = []
    /// Where the gate stands, as far as it was told.
    private var isOpen = true
    /// The action that has ended the process; nil while it runs.
    private(set) var fatal: UInt64?
    /// What is known of the checkpoints that were told and that the host has not taken.
    var told: [Checkpoint] = []

    /// A process at the ends of two rings, whose code has a form of the state.
    init(
        _ id: ClerkID, _ reader: consuming RingReader, _ writer: consuming RingWriter, form: Int,
        _ defect: HostSimulation.Defect?
    ) {
        self.reader = reader
        self.writer = writer
        self.id = id
        (self.form, self.defect) = (form, defect)
        recorder = ActionRecorder(after: 0, input: 0, effect: 0, name: "", epoch: 0, notice: {}) {
            [log] batch, _ in log.take(batch)
        }
        outbox = WorkerOutbox(of: id.rawValue, onArrival: {}, report: { _ in })
        outbox.recorder = recorder
        state = ClerkState(form: form)
    }

    /// Whether its output waits for room in the ring.
    var isBlocked: Bool { sent < unsent.count }
    /// Whether some of that is in the ring, and some is not.
    var isInMessage: Bool { isBlocked && sent > 0 }

    /// Reads so many bytes at most.
    func read(atMost count: Int) throws {
        _ = try frames.read(&reader, atMost: count) { frame in orders.append(try Self.order(&frame)) }
    }

    /// Reads an order.
    private static func order(_ frame: inout Frame) throws -> Order {
        switch WorkerOrder(rawValue: frame.kind) {
        case .hear:
            let (sequence, origin) = (try frame.number(UInt64.self), try frame.origin())
            _ = try frame.fraction()
            return .hear(sequence, origin, told: try told(&frame))
        case .show:
            let (sequence, key) = (try frame.number(UInt64.self), try frame.text())
            let name = EffectKeys.Name(key: key, attempt: try frame.number(UInt32.self))
            var places: [UInt32] = []
            for _ in 0..<(try frame.number(UInt32.self)) { places.append(try frame.number()) }
            return .show(sequence, name, places: places, told: try told(&frame))
        case .reduce:
            (_, _) = (try frame.number(UInt64.self), try frame.fraction())
            return .reduce(told: try told(&frame))
        case .restore:
            return .restore(
                VersionedState(version: Int(try frame.number(UInt64.self)), value: try frame.value()))
        case .start:
            let (name, epoch, last) = (
                try frame.text(), try frame.number(UInt64.self), try frame.number(UInt64.self)
            )
            var again: [JournalEffect] = []
            for _ in 0..<(try frame.number(UInt32.self)) {
                if let effect = JournalEffect(try frame.value()) { again.append(effect) }
            }
            return .start(name: name, epoch: epoch, last: last, again: again)
        case .careful: return .careful(try frame.number())
        case .copy: return .copy(try frame.number())
        case .gate: return .gate(isOpen: try frame.number(UInt8.self) == 1)
        case .endEffects: return .endEffects
        case .cancelEffects: return .leaveEffects
        case .stopEffects:
            _ = try frame.number(UInt8.self)
            return .leaveEffects
        case .source, .skip, .stopping, nil:
            frame.skip()
            return .other
        }
    }

    /// Reads what an action says, at the end of an order.
    private static func told(_ frame: inout Frame) throws -> Int {
        (_, _) = (try frame.number(UInt64.self), try frame.text())
        return SimulatedAction.told(by: Array(try frame.bytes())) ?? -1
    }

    /// Carries out the next order; false where there is none, or while it waits for room.
    func carryOut() -> Bool {
        guard !orders.isEmpty, fatal == nil, !isBlocked else { return false }
        let order = orders.removeFirst()
        done += 1
        switch order {
        case .hear(let sequence, let origin, let told): hear(sequence, from: origin, told)
        case .show(let sequence, let name, let places, let told):
            guard let action = ClerkAction(told, for: id) else { break }
            guard !action.isFatal else {
                fatal = sequence
                return false
            }
            next.heard.append(sequence)
            if defect == .lateBeginnings {
                recorder.resume(after: sequence)
            } else {
                recorder.show(sequence, named: name)
            }
            if places.isEmpty { answer(action, after: sequence) }
            begin(action, at: places.isEmpty ? nil : places, after: sequence)
        case .reduce(let told):
            if let action = ClerkAction(told, for: id) { state.reduce(action) }
        case .restore(let kept):
            state = ClerkState(kept) ?? ClerkState()
            state.migrate(to: form)
            outbox.tell(restored: .success(state.value))
        case .start(let name, let epoch, let last, let again):
            recorder.name(name, epoch: epoch, effect: last)
            for var effect in again {
                log.know(effect)
                // One that does not begin again is nothing to a worker, which can tell nobody.
                guard effect.recovery == .again else {
                    recorder.end(effect: effect.number)
                    continue
                }
                if defect != .lostResumptions { recorder.resume(after: effect.sequence) }
                effect.attempt += 1
                recorder.resume(effect)
                begin(effect)
            }
        case .copy(let number): outbox.tell(copy: number, state.value)
        case .gate(let isOpen): self.isOpen = isOpen
        case .endEffects:
            for number in effects.keys.sorted() { recorder.end(effect: number) }
            effects = [:]
        case .leaveEffects: effects = [:]
        case .careful(let count): careful = count
        case .other: break
        }
        if case .careful = order { return true }
        if careful > 0 {
            careful -= 1
            tell()
        }
        return true
    }

    /// Hears an action.
    private func hear(_ sequence: UInt64, from origin: ChainOrigin, _ told: Int) {
        guard let action = ClerkAction(told, for: id) else { return }
        guard !action.isFatal else { return fatal = sequence }
        state.reduce(action)
        next.heard.append(sequence)
        recorder.expect(sequence, from: origin)
        _ = recorder.begin(Self.source.caused(by: ActionCause(.input, 1)))
        answer(action, after: sequence)
        begin(action, at: nil, after: sequence)
        recorder.finish(.unknown, isIdle: true)
    }

    /// Where the instance emits actions.
    private static let source = ActionSource(file: "clerk", function: "", line: 1, info: nil)

    /// Emits what follows from an action on the spot.
    private func answer(_ action: ClerkAction, after sequence: UInt64) {
        if let answer = action.answer { emit(answer, after: sequence, isLate: false) }
    }

    /// Emits an action.
    private func emit(_ told: Int, after sequence: UInt64, isLate: Bool) {
        let action = SimulatedAction.action(told)
        let type = ActionType("\(id.rawValue)/\(action.type.name)")
        _ = outbox.take(
            DispatchedAction(
                action.renamed(type),
                dispatcher: Self.source.caused(by: ActionCause(isLate ? .effect : .output, sequence))))
    }

    /// Begins effects of an action.
    ///
    /// - Parameter places: theirs among all of its effects; nil for all.
    private func begin(_ action: ClerkAction, at places: [UInt32]?, after sequence: UInt64) {
        for place in 0..<UInt32(action.effects) where places?.contains(place) ?? true {
            let recovery = places == nil ? action.recovery(of: place) : .again
            begin(
                recorder.begin(effectOf: id.rawValue, after: sequence) { number, key, input in
                    var effect = JournalEffect(
                        number: number, instance: id.rawValue, sequence: sequence,
                        recovery: recovery, input: input, key: key,
                        action: SimulatedAction.action(action.told))
                    effect.ordinal = place
                    return effect
                })
        }
    }

    /// Begins an effect.
    private func begin(_ effect: JournalEffect) {
        effects[effect.number] = effect
        begun.append(effect)
    }

    /// Ends an effect, which emits an action before; the next checkpoint tells both.
    func end(effect number: UInt64) {
        guard fatal == nil, let effect = effects.removeValue(forKey: number) else { return }
        if let action = effect.action.flatMap({ ClerkAction($0, for: id) }) {
            emit(action.late, after: effect.sequence, isLate: true)
        }
        recorder.end(effect: number)
    }

    /// Tells a checkpoint, unless it waits for room.
    func tell() {
        guard fatal == nil, !isBlocked else { return }
        var copy: SliceCopy?
        if state != toldState {
            let value = state.value
            copy = { () throws(CodingFailure) in value }
            toldState = state
        }
        log.catchUp()
        recorder.handOver()
        let changes = log.takeChanges()
        next.begun = changes.begun.values.sorted { $0.number < $1.number }
        next.ended = changes.ended
        next.isOpen = isOpen
        told.append(next)
        next = Checkpoint()
        let checkpoint = WorkerCheckpoint(
            news: outbox.takeFrames(), state: copy, changes: changes, effects: (effects.count, 0, 0))
        var frame = FrameWriter()
        // A state of two numbers can be written.
        try? checkpoint.write(after: done, to: &frame)
        (unsent, sent) = (checkpoint.news + frame.bytes, 0)
    }

    /// Writes what it has told, or so many bytes of it, as far as there is room.
    func send(atMost count: Int = .max) throws {
        let end = min(unsent.count, sent + min(count, unsent.count))
        guard sent < end else { return }
        let some = Array(unsent[sent..<end])
        sent += try writer.put(some.span)
        writer.publish()
    }
}
