// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// The worker's side of `WorkerLink`: runs one instance in a store of its own, order by order, and tells what has become of it.
///
/// It hears actions as the host has lifted them, under its id, so that its store needs no other lift and no gate. Used on one thread;
/// effects emit from others.
final class WorkerSession {
    /// How often the thread looks for orders before it sleeps.
    private static let spins = 200
    /// So many orders at once are a flow, of which it takes many together: a checkpoint costs as much as several actions.
    private static let manyOrders: UInt64 = 4
    /// So many bytes are waited for in a flow.
    private static let muchBytes = 1 << 14
    /// So often at most.
    private static let lingers = 3_000

    /// What is to be run.
    private let request: WorkerRequest.Member
    /// Wakes the thread when an effect has emitted or ended.
    private let bell: RingBell
    /// What is told.
    private let outbox: WorkerOutbox
    /// What is told besides.
    private let notes: WorkerNotes
    /// The effects.
    private let log: WorkerLog
    /// Numbers the actions as the host has.
    private let recorder: ActionRecorder
    /// The store.
    private let host: Host
    /// The instance; also in the store.
    private let instance: Instance
    /// Gives the time that the host gave for an action.
    private let pass: Pass
    /// To the host.
    private var writer: RingWriter
    /// From the host.
    private var reader: RingReader
    /// Its orders.
    private var frames = FrameReader(limit: WorkerRequest.longestMessage)
    /// Parses actions.
    private var lines = RecordedLines()
    /// Whether the last orders were a flow.
    private var flows = false
    /// The number of the last order that was taken.
    private var orders: UInt64 = 0
    /// So many orders are carried out one by one, each with a checkpoint: one of them may have ended the process before this one.
    private var careful: UInt64 = 0
    /// Where the actions that follow come from.
    private var source = ActionSource(file: "", function: "", line: 0, info: nil)
    /// The types that the instance hears, by their local names.
    private var types: [String: ActionType] = [:]
    /// The action that was heard last.
    private var last: (sequence: UInt64, type: ActionType, source: ActionSource)?
    /// The name that came last, with its type.
    private var lastType: (name: ArraySlice<UInt8>, type: ActionType)?
    /// What the instance had counted when that was told last.
    private var account: WorkerAccount?
    /// The version of the state that was told last; nil for none.
    private var version: UInt64?
    /// Whether the host was told last that effects hold its run open.
    private var holdsRunOpen = false

    /// Makes the instance; nil, after saying why, where that cannot be.
    ///
    /// - Parameters:
    ///   - images: the libraries of the process.
    ///   - progress: where the host finds what runs.
    init?(
        _ request: WorkerRequest.Member, _ images: WorkerImages, _ progress: RunProgress,
        _ writer: consuming RingWriter, _ reader: consuming RingReader
    ) throws {
        self.request = request
        let bell = RingBell()
        self.bell = bell
        let log = WorkerLog { bell.ring() }
        self.log = log
        let notes = WorkerNotes { bell.ring() }
        self.notes = notes
        let reports = Reporter { notes.add($0) }
        let outbox = WorkerOutbox(of: request.id, onArrival: { bell.ring() }, report: { reports.send($0) })
        self.outbox = outbox
        let recorder = ActionRecorder(
            after: 0, input: 0, effect: 0, name: "", epoch: 0, buffers: log.buffers,
            notice: { log.notice() }
        ) { batch, _ in log.take(batch) }
        outbox.recorder = recorder
        self.recorder = recorder
        let outside = WorkerNetwork.services(of: request.id, through: request.network)
        let dependencies = HostDependencies(
            effects: { _ in EffectTerms(clock: HostClock(clock: ContinuousClock()) { UnixTime.now }) },
            dataDirectory: request.dataDirectory,
            progress: progress,
            lender: outside.listeners, network: outside.network,
            report: { reports.send($0) })
        dependencies.letters.keep(in: notes, behind: [])
        pass = dependencies.pass
        self.writer = writer
        self.reader = reader
        let instance: Instance
        do {
            let image = try images.image(of: request)
            let prefix = NameLift.prefix(request.id + "/")
            let planned = PlannedInstance(
                InstanceConfiguration(
                    id: request.id, settings: request.settings,
                    lift: LiftConfiguration(
                        input: prefix, output: prefix, dependencies: request.dependencies)),
                manifest: image.note.manifest)
            instance = try Instance(
                planned, exports: image.exports, tree: StateTree(plain: [:]), dependencies: dependencies)
        } catch {
            switch error {
            case let error as LoadingError:
                outbox.tell(.refused) { $0.put(error.sentences.joined(separator: "; ")) }
            case let error as CodingFailure: outbox.tell(.misfit) { $0.put(error) }
            default: throw error
            }
            try Self.send(outbox.takeFrames(), by: &self.writer, bell)
            return nil
        }
        self.instance = instance
        let tree = StateTree(plain: [:])
        if !instance.slice.isEmpty { tree.own(instance.slicePointer, instance.slice, by: instance.id) }
        // Nobody else has any part of it but this object, on the thread that runs the store.
        nonisolated(unsafe) let assembly = Assembly(
            instances: [instance], tree: tree, dependencies: dependencies, assembler: nil,
            configuration: HostConfiguration())
        host = Host(
            unsafe assembly,
            by: WorkerAdmission(recorder: recorder, elsewhere: outbox), starts: false, reports: reports)
        outbox.drain = host.queue
        // Nothing in the log stands for an effect that no action has begun.
        instance.activity.onIdle { bell.ring() }
    }

    // MARK: - The thread

    /// Tells that the instance cannot run, although it is made.
    func refuse(_ reason: String) throws {
        outbox.tell(.refused) { $0.put(reason) }
        try Self.send(outbox.takeFrames(), by: &writer, bell)
    }

    /// Tells that the instance is there, and does what the host asks for, until it ends this process.
    func run() throws {
        host.turn { _ in
            outbox.tell(.ready) {
                $0.put(!instance.slice.isEmpty)
                $0.put(UInt64(instance.exports.stateVersion))
                $0.put(instance.interceptor != nil)
            }
        }
        try tell(nil)
        while true {
            let heard = bell.count
            let before = orders
            if flows { bell.linger(for: reader, heard: heard, bytes: Self.muchBytes, spins: Self.lingers) }
            let checkpoint = try takeOrders()
            flows = orders - before >= Self.manyOrders
            if orders > before || log.isBehind || hasNews || holdsRunOpen && instance.activity.isIdle {
                try tell(checkpoint)
            } else {
                _ = try bell.wait(for: reader, heard: heard, spins: Self.spins)
            }
        }
    }

    /// Whether something waits in the outbox.
    private var hasNews: Bool { !notes.isEmpty || host.turn { _ in !outbox.isEmpty } }

    /// Takes the orders that are there and carries them out, or one of them while it is careful.
    ///
    /// - Returns: how the instance stands then, read in the same turn; nil where nothing came, or where something waits that follows from
    ///   the orders.
    private func takeOrders() throws -> WorkerCheckpoint? {
        if careful > 0, let frame = try frames.next() {
            careful -= 1
            return try host.turn { turn throws in
                try obey(frame, turn)
                return turn.isAtRest ? readCheckpoint() : nil
            }
        }
        let before = orders
        let came = try frames.fill(from: &reader)
        guard careful == 0 else { return came ? try takeOrders() : nil }
        return try host.turn { turn throws in
            while careful == 0, let frame = try frames.next() { try obey(frame, turn) }
            return orders > before && turn.isAtRest ? readCheckpoint() : nil
        }
    }

    /// Carries out an order, in the drain.
    private func obey(_ frame: consuming Frame, _ turn: Turn) throws {
        switch WorkerOrder(rawValue: frame.kind) {
        case .careful: careful = try frame.number(UInt64.self)
        case .restore: try restore(&frame)
        case .start:
            recorder.name(try frame.text(), epoch: try frame.number(), effect: try frame.number())
            turn.asEffect { turn.start() }
            var left: [JournalEffect] = []
            for _ in 0..<(try frame.number(UInt32.self)) {
                guard let effect = JournalEffect(try frame.value()) else {
                    throw FrameFailure.badNumber("an effect")
                }
                log.know(effect)
                recorder.resume(after: effect.sequence)
                left.append(effect)
            }
            // Effects of one action begin together, by showing it once.
            turn.resume(left)
        case .source: source = try frame.source()
        case .hear: try hear(&frame, turn)
        case .show: try show(&frame, turn)
        case .reduce: try reduce(&frame, turn)
        case .skip: frame.skip()
        case .copy:
            let number = try frame.number(UInt64.self)
            outbox.tell(copy: number, try instance.slice.value() ?? .null)
        case .gate: instance.tellGate(try frame.flag() ? .active : .bypass)
        case .cancelEffects: instance.cancelEffects()
        case .endEffects: instance.endEffects()
        case .stopEffects:
            instance.expectSuccessor(try frame.flag())
            instance.stopEffects()
        case .stopping: turn.asEffect { turn.stop() }
        case nil: throw FrameFailure.unexpected(kind: frame.kind)
        }
        try frame.finish()
        orders += 1
    }

    /// Takes over a state, and tells whether it fits.
    private func restore(_ frame: inout Frame) throws {
        let state = VersionedState(version: Int(try frame.number(UInt64.self)), value: try frame.value())
        do {
            try state.restore(instance.slice, of: instance.exports)
            outbox.tell(restored: .success(try instance.slice.value() ?? .null))
        } catch {
            outbox.tell(
                restored: .failure(
                    error as? CodingFailure
                        ?? CodingFailure(
                            pointer: .whole, expected: "a state that the plugin takes", found: "\(error)")))
        }
    }

    /// Processes an action.
    private func hear(_ frame: inout Frame, _ turn: Turn) throws {
        let sequence = try frame.number(UInt64.self)
        let origin = try frame.origin()
        let time = try frame.fraction()
        let action = try action(&frame)
        last = (sequence, action.action.type, action.source)
        recorder.expect(sequence, from: origin)
        if !time.isNaN { pass.came(at: time) }
        // Any known cause will do: the recorder knows better what it follows from.
        turn.process(
            DispatchedAction(action.action, dispatcher: action.source.caused(by: ActionCause(.input, 1))))
    }

    /// Shows an action to the reducer alone.
    private func reduce(_ frame: inout Frame, _ turn: Turn) throws {
        let sequence = try frame.number(UInt64.self)
        let time = try frame.fraction()
        let action = try action(&frame)
        last = (sequence, action.action.type, action.source)
        if !time.isNaN { pass.came(at: time) }
        turn.reduce(action.action, as: sequence, from: action.source, by: instance)
    }

    /// Shows an action to the middleware alone.
    private func show(_ frame: inout Frame, _ turn: Turn) throws {
        let sequence = try frame.number(UInt64.self)
        let name = EffectKeys.Name(
            key: try frame.text(), attempt: try frame.number(UInt32.self))
        var places: [UInt32] = []
        for _ in 0..<(try frame.number(UInt32.self)) { places.append(try frame.number()) }
        let action = try action(&frame)
        recorder.show(sequence, named: name)
        turn.show(
            action.action, from: action.source, as: sequence, named: name, to: instance, beginningAt: places)
    }

    /// Takes an action, under its type in this store, with its source.
    private func action(_ frame: inout Frame) throws -> (action: AnyAction, source: ActionSource) {
        let action = try frame.action(by: &lines)
        return (action.action.renamed(try type(of: action.type)), source.at(line: action.line))
    }

    /// The type in this store of an action with a local name; most actions have that of the one before.
    private func type(of name: ArraySlice<UInt8>) throws -> ActionType {
        if let lastType, name == lastType.name { return lastType.type }
        guard let text = String(validating: name, as: UTF8.self) else {
            throw FrameFailure.badNumber("a type")
        }
        let type: ActionType
        if let known = types[text] {
            type = known
        } else {
            type = ActionType(request.id + "/" + text)
            // Names that come from the input may be too many to be remembered.
            if types.count < 1_000 { types[text] = type }
        }
        lastType = (ArraySlice(Array(name)), type)
        return type
    }

    // MARK: - Checkpoints

    /// Tells what the instance has emitted since the last time, and how it stands after the orders taken.
    ///
    /// - Parameter checkpoint: that, where it was read with the last order; nil where it is still to be read, when nothing waits.
    private func tell(_ checkpoint: WorkerCheckpoint?) throws {
        let checkpoint = try checkpoint ?? host.store.between(.seconds(3_600), whenIdle: true, readCheckpoint)
        var frame = FrameWriter()
        do throws(CodingFailure) {
            try checkpoint.write(after: orders, to: &frame)
        } catch {
            if let last {
                host.turn { $0.blame(last.sequence, last.type, from: last.source, in: instance) }
            }
            throw error
        }
        try Self.send(checkpoint.news + notes.takeFrames() + frame.bytes, by: &writer, bell)
    }

    /// Reads how the instance stands; called in the drain, when nothing waits.
    private func readCheckpoint() -> WorkerCheckpoint {
        log.catchUp()
        // What a pass has left unsettled is told with the orders; outputs are in the outbox.
        recorder.catchUp()
        recorder.handOver()
        let changes = log.takeChanges()
        var state: SliceCopy?
        if version != instance.slice.version {
            version = instance.slice.version
            state = instance.slice.copy()
        }
        let now = WorkerAccount(instance)
        let isCounted = now == account
        account = now
        let activity = instance.activity
        holdsRunOpen = !activity.isIdle
        return WorkerCheckpoint(
            news: outbox.takeFrames(), state: state, changes: changes,
            effects: (
                activity.foreground, activity.finishing, activity.running - activity.foreground
            ),
            account: isCounted ? nil : now)
    }

    /// Sends bytes, and waits for room where there is none.
    private static func send(_ bytes: [UInt8], by writer: inout RingWriter, _ bell: RingBell) throws {
        var sent = 0
        while sent < bytes.count {
            let count = try writer.put(bytes.span.extracting(sent..<bytes.count))
            writer.publish()
            sent += count
            // Whoever rings is heard when all is sent.
            if count == 0 { _ = try bell.wait(forRoomIn: &writer, heard: bell.count, spins: spins) }
        }
    }
}
