// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
internal import Synchronization

/// The host's side of one instance in a worker: gives it what its instance hears, and takes what becomes of that.
///
/// It keeps what the worker was given since its last checkpoint, so that a worker that dies loses nothing: the next one goes on from
/// the checkpoint, and is given the rest again. What a worker has told of a checkpoint counts, and nothing else does.
///
/// `@unchecked Sendable`: everything that varies is guarded by the lock, or touched in the drain only where that is said.
/// Marked safe because the desk is referred to without being held only while this object holds it.
@safe
package final class WorkerLink: @unchecked Sendable {
    /// What goes to the worker, and what is known of it.
    let traffic = Mutex(WorkerTraffic())

    /// What the worker said about itself when it was ready.
    package struct Instance: Sendable {
        /// Whether it keeps state.
        let keepsState: Bool
        /// The version of the form of its state.
        let stateVersion: Int
        /// Whether it decides about actions.
        let intercepts: Bool
    }

    /// The first thing that a process tells.
    enum Beginning: Sendable {
        /// The instance is there.
        case ready(Instance)
        /// It cannot be made.
        case refused(String)
        /// It does not take its settings.
        case misfit(CodingFailure)
        /// The process has ended, or did not say anything.
        case ended(String)
    }

    /// What somebody waits for.
    struct Answers {
        /// What the instance is, before its first checkpoint.
        var ready: Instance?
        /// How the first process began.
        var beginning: Beginning?
        /// What has become of a state that was given.
        var restored: Result<Value, CodingFailure>?
    }

    /// The id of the instance.
    let id: String
    /// Wakes the threads of the process that runs.
    let bell = RingBell()
    /// What is to be said at the beginning, or after a state was given.
    let answers = Mutex<Answers>(Answers())
    /// The room for checkpoints that wait for the drain.
    let room = DispatchSemaphore(value: 0)
    /// How many of them may.
    private static let waitingCheckpoints = 16
    /// Signalled with each answer.
    let hasAnswer = DispatchSemaphore(value: 0)
    /// How long an answer may take.
    var patience: Duration { group.patience }
    /// What follows from deaths.
    var rules: SuperviseConfiguration { group.rules }

    /// The instance that stands for it in the host; touched in the drain, and nil before it is connected.
    weak var instance: GatehouseRuntime.Instance?
    /// The store that it is in; likewise.
    weak var store: HostStore?
    /// What each action needs of these two; likewise.
    private(set) var desk: WorkerDesk? {
        didSet { unsafe deskInUse = desk.map { unsafe .passUnretained($0) } }
    }
    /// The same, for use without counting references.
    @safe @exclusivity(unchecked) private var deskInUse: Unmanaged<WorkerDesk>?
    /// Orders that are not sent yet, which the drain alone touches; likewise the two that follow.
    @safe @exclusivity(unchecked) private var batch = OrderBatch()
    /// How many of them the run waits for.
    @safe @exclusivity(unchecked) private var awaited = 0
    /// How many actions the run waits for that were sent and have not come to their end.
    @safe @exclusivity(unchecked) var held = 0
    /// How many effects of the worker the activity counts.
    @safe @exclusivity(unchecked) var counted = WorkerCounts()
    /// When the first of them came that may wait for others, in seconds since 1970.
    @safe @exclusivity(unchecked) private var firstTime = 0.0
    /// When the last order came about an action.
    @safe @exclusivity(unchecked) private var lastTime = 0.0
    /// How many orders are gathered and wait for others; changed in the drain.
    private let gathered = Atomic(0)
    /// Why it is given up; touched in the drain, and nil before all that it had kept became dead letters.
    @safe @exclusivity(unchecked) private(set) var isClosed: String?
    /// What the instance has missed since the last checkpoint, once it is closed; touched in the drain.
    @safe @exclusivity(unchecked) private(set) var missed: Standing?
    /// Where what a worker tells is done, and goes.
    struct Surroundings: Sendable {
        /// Where it is done.
        let drain: Drain
        /// Knows the instance's names.
        let outlet: InstanceOutput
        /// Keeps what comes to nothing.
        let letters: DeadLetters
        /// Tells people.
        let report: @Sendable (HostReport) -> Void
    }

    /// The same; nil before it is connected.
    let surroundings = Mutex<Surroundings?>(nil)
    /// Holds the last state; touched in the drain.
    let box = WorkerSliceBox()

    /// The worker, with the instances that share it.
    let group: WorkerGroup
    /// The sockets at which the instance listens.
    let listeners: GrantedListeners

    /// Whether it is to end.
    let isEnded = Atomic(false)
    /// Whether the process that ran last is over.
    let isOver = Atomic(false)
    /// The processes that it has ended; belongs to the thread that starts them.
    var deaths = DeathCount()

    /// A link to an instance of a worker that is not started.
    init(_ id: String, in group: WorkerGroup, listeners: GrantedListeners = GrantedListeners()) {
        self.listeners = listeners
        self.id = id
        self.group = group
        // Dispatch traps where a semaphore ends with less than it began with, and this one may end while checkpoints wait.
        for _ in 0..<Self.waitingCheckpoints { room.signal() }
    }

    /// How the worker stands.
    package var standing: WorkerStanding {
        traffic.withLock { $0.standing(gathered: gathered.load(ordering: .relaxed)) }
    }

    /// A link to another worker with the same instance, which is not started; those of one worker share the next one, too.
    func anew() -> WorkerLink? { group.successor(of: id) }

    // MARK: - In the drain

    /// Learns where it is; called when the instance has its log and counts its effects.
    func connect(to store: HostStore, as instance: GatehouseRuntime.Instance) {
        self.store = store
        self.instance = instance
        desk = WorkerDesk(store, instance, unixTime: unixTime)
        let around = Surroundings(
            drain: store.queue, outlet: instance.outlet, letters: store.dependencies.letters,
            report: store.report)
        // What has come before this, such as actions reduced late, nobody has applied.
        let (state, reason) = traffic.withLock { traffic in
            surroundings.withLock { $0 = around }
            return (traffic.state?.value, traffic.isGivenUp)
        }
        if let state, state != box.value { box.take(state) }
        // One that is given up later has it done in the drain.
        isClosed = reason
        // What comes by a reload takes over a slice that contains all actions so far.
        if let turn = store.turn {
            traffic.withLock { $0.at = store.recorder?.sequence ?? UInt64(turn.actions) }
        }
    }

    /// Takes note that it is given up, and that all it had kept is a dead letter.
    ///
    /// - Parameter missed: what that was; nil for no action.
    func close(because reason: String, missing missed: Standing?) {
        (isClosed, self.missed) = (reason, missed)
    }

    /// Keeps an action that comes after that as a dead letter.
    private func miss(
        _ action: AnyAction, from source: ActionSource, because reason: String, at desk: WorkerDesk
    ) {
        let sequence = desk.queue.mark
        if missed == nil { missed = Standing(before: sequence) }
        missed?.miss(sequence)
        desk.letters.add(.unfinished, desk.pass.action ?? action, from: source, instance: id, reason: reason)
    }

    /// Gives the worker an action, under its local type, and counts it as an effect until it is done.
    ///
    /// The order waits for others while whoever reads the input has more at hand, or while orders come fast in the drain's mail: for 100 µs,
    /// and until the line in hand, or the mail so far, is done.
    func hear(_ action: AnyAction, from source: ActionSource) {
        unsafe deskInUse?._withUnsafeGuaranteedRef { desk in
            if let isClosed { return miss(action, from: source, because: isClosed, at: desk) }
            if let line = unsafe desk.pass.text?.wholeAction {
                unsafe hear(action.type, from: source, as: line, at: desk)
            } else {
                hearWritten(action, from: source, at: desk)
            }
        }
    }

    /// Gives the worker an action whose text is not at hand.
    private func hearWritten(_ action: AnyAction, from source: ActionSource, at desk: WorkerDesk) {
        var json: [UInt8] = []
        do throws(CodingFailure) {
            try action.writeWireForm(to: &json)
        } catch {
            return desk.outlet.report(.unreadable(action, error), in: desk.pass)
        }
        unsafe json.withUnsafeBytes { unsafe hear(action.type, from: source, as: $0, at: desk) }
    }

    /// Gives the worker an action of a local type, by its JSON; counts no references.
    private func hear(
        _ type: ActionType, from source: ActionSource, as json: UnsafeRawBufferPointer, at desk: WorkerDesk
    ) {
        box.expectChange()
        let sequence = desk.queue.mark
        // Without a journal the order itself stands for the action.
        let logged = desk.recorder == nil ? nil : desk.log?.begin(.finishing, .again, within: nil)
        let origin = desk.recorder?.origin(of: sequence) ?? ChainOrigin(input: sequence)
        let time = desk.unixTime.map { desk.pass.time(by: $0) }
        batch.add(source)
        unsafe batch.add(
            hearing: type, under: desk.pass.type ?? type, from: source, as: json,
            effect: logged, sequence: sequence, origin: origin, at: time ?? .nan)
        awaited += 1
        gather(at: time ?? UnixTime.now, with: desk)
    }

    /// Lets the orders that are written wait for more, or sends them.
    private func gather(at now: Double, with desk: WorkerDesk) {
        let before = gathered.load(ordering: .relaxed)
        if before == 0 { firstTime = now }
        let isFollowed = desk.pass.text?.isFollowed == true
        let pace = abs(now - lastTime)
        lastTime = now
        guard isFollowed || pace < Self.worthwhilePace,
            batch.orders.count < Self.mostOrders, batch.frames.bytes.count < Self.mostBytes,
            abs(now - firstTime) < Self.longestWait
        else { return send() }
        desk.unsent.add(batch.orders.count - before, of: self, isFirst: before == 0)
        gathered.store(batch.orders.count, ordering: .relaxed)
        if before == 0, !isFollowed { desk.queue.enqueue { [unsent = desk.unsent] in unsent.send() } }
    }

    /// So many orders are sent together at most, or so many bytes, or those of so many seconds.
    private static let (mostOrders, mostBytes, longestWait) = (32, 8_192, 0.000_1)
    /// Orders that come in mail wait for each other where they are no more than so many seconds apart: sending one takes 0.3 µs.
    private static let worthwhilePace = 0.000_01

    /// Has the worker show an action to its middleware alone, because what had come of it before has not ended.
    ///
    /// - Parameter effects: the one that stands for all of it, or those that are to begin; not empty.
    func show(_ action: AnyAction, from source: ActionSource, beginning effects: [JournalEffect]) {
        // What was kept with its effects could be written.
        var json: [UInt8] = []
        guard let store, let desk, (try? action.writeWireForm(to: &json)) != nil else { return }
        let logged = desk.log?.beginAgain(effects)
        batch.add(
            showing: action, under: desk.pass.type ?? action.type, from: source, as: json, effect: logged,
            beginning: effects, named: store.dependencies.effectKeys.key(for: id) ?? effects[0].key)
        awaited += 1
        send()
    }

    /// Has the worker reduce an action, and nothing else; called before the link is connected, when its state is restored.
    ///
    /// - Throws: that its payload cannot be written.
    func reduce(_ late: LateAction) throws(CodingFailure) {
        var json: [UInt8] = []
        try late.action.writeWireForm(to: &json)
        box.expectChange()
        batch.add(reducing: late, as: json)
        send()
    }

    /// The time as the plugin would ask for it, in seconds since 1970; nil where it is not granted. Set before the instance is started.
    @safe @exclusivity(unchecked) var unixTime: (@Sendable () -> Double)?

    /// Starts the instance.
    func start() {
        for failure in listeners.open() { report(failure.sentence) }
        let keys = WorkerTraffic.Keys(
            name: store?.recorder?.name ?? EffectKeys.run, epoch: store?.recorder?.epoch ?? 0)
        traffic.withLock { $0.keys = keys }
        order(.start) { WorkerTraffic.write(keys, [], after: 0, to: &$0) }
    }

    /// Takes note that what it misses is heard by other names from here on, or not at all.
    func interruptMissed() { missed?.interrupt() }

    /// Tells the plugin where its gate stands.
    func tell(_ gate: GateState) {
        guard isClosed == nil else { return interruptMissed() }
        traffic.withLock { $0.gates.append(gate) }
        order(.gate) { WorkerTraffic.write(gate, to: &$0) }
    }

    /// Cancels all effects; they end by that, unless the host takes the instance out of service.
    func cancelEffects() {
        guard desk?.log?.isLeaving == false else { return order(.cancelEffects) }
        // No process carries out what one that is given up is told.
        if isClosed != nil { traffic.withLock { $0.endEffects() } }
        order(.endEffects)
    }

    /// Cancels all effects but those that are finishing, which hear whether somebody begins again what they leave.
    func stopEffects() {
        let isSucceeded = desk?.log?.hasSuccessor == true
        traffic.withLock { $0.isSucceeded = isSucceeded }
        order(.stopEffects) { $0.put(isSucceeded) }
    }

    /// Gives an order that is about no action.
    func order(_ order: WorkerOrder, _ body: (inout FrameWriter) -> Void = { _ in }) {
        guard isClosed == nil else { return }
        batch.add(order, body)
        if order.isAwaited { awaited += 1 }
        send()
    }

    /// Sends the orders that are gathered.
    func send() {
        let waited = gathered.load(ordering: .relaxed)
        if waited > 0 { desk?.unsent.remove(waited, of: self) }
        if awaited > 0, let desk {
            desk.activity.begin(.finishing, awaited)
            held += awaited
        }
        awaited = 0
        give { traffic in
            traffic.kept.take(&batch)
            gathered.store(0, ordering: .relaxed)
        }
    }

    /// Changes what is given, and sends what there is room for.
    private func give(_ body: (inout WorkerTraffic) -> Void) {
        let isSent = traffic.withLock { traffic in
            body(&traffic)
            do throws(RingFailure) {
                try traffic.flush()
                return traffic.isSent
            } catch {
                // The thread that takes answers finds the same, and ends the process.
                return false
            }
        }
        // That thread sends the rest when there is room.
        if !isSent { bell.ring() }
    }

    // MARK: - States

    /// Copies the state as it is after all that was given so far, which the worker may have to do yet; called in the drain.
    ///
    /// - Returns: nil where no state is known.
    func copy() -> SliceCopy? {
        send()
        if let (copy, number) = traffic.withLock({ $0.addCopy() }) {
            order(.copy) { $0.put(number) }
            let patience = patience
            return { () throws(CodingFailure) in try copy.value(within: patience) }
        }
        guard let value = traffic.withLock({ $0.state?.value }) else { return nil }
        return { () throws(CodingFailure) in value }
    }

    /// Lets the worker take over a state before it is started.
    ///
    /// - Returns: the state as the worker has it.
    /// - Throws: why it does not.
    func restore(_ state: VersionedState) throws(CodingFailure) -> Value {
        answers.withLock { $0.restored = nil }
        give { $0.restore(state) }
        guard hasAnswer.wait(timeout: .now() + patience / .seconds(1)) == .success,
            let answer = answers.withLock({ $0.restored })
        else {
            throw CodingFailure(
                pointer: .whole, expected: "an answer of its worker",
                found: "none within \(patience.inSeconds)")
        }
        return try answer.get()
    }
}
