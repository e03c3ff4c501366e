// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehouseSDK
internal import Synchronization

/// Takes note of each action that reached the reducers, for a journal, and hands them over when nothing waits that follows from
/// them: only then can a run that follows a crash go on after them.
///
/// An action takes the lock once, to go straight to where it is handed over from, whole arrays at a time; that it may be handed
/// over is told without the lock.
///
/// `@unchecked Sendable`: what is neither atomic nor guarded by the lock is touched in the drain only.
package final class ActionRecorder: @unchecked Sendable {
    /// Takes what is handed over; calls back when it is committed.
    package typealias Taker = @Sendable (JournalBatch, (@Sendable (JournalFailure?) -> Void)?) -> Void

    /// An action that is shown to an instance once more, and what the effects that it begins have of those before.
    struct ShownAction {
        /// Its number.
        let sequence: UInt64
        /// The number of the input that it goes back to; 0 for none, or one that is not known here.
        let input: UInt64
        /// What they are called.
        let name: EffectKeys.Name
        /// Whether they are recorded with the outputs of the action, and not before.
        let waits: Bool
    }

    /// What is guarded by the lock.
    struct Open {
        /// What was not handed over.
        var batch: JournalBatch
        /// The number of the last effect that began.
        var lastEffect: UInt64
        /// Whether it is known that something waits to be handed over.
        var isNoticed = false

        /// Whether somebody must be told of what was recorded last, or it is so much that it is handed over at the next rest.
        var isDue: Bool { !isNoticed || isFull }

        /// Whether it is handed over at the next rest.
        var isFull: Bool {
            batch.entries.count >= ActionRecorder.most.entries
                || batch.lines.count >= ActionRecorder.most.bytes
        }

        /// Takes note of what has become of an effect; false where nothing of it need be written, since nobody has seen it.
        @discardableResult
        mutating func add(_ change: WaitingEffects.Change, of number: UInt64) -> Bool {
            switch change {
            case .begun(let effect): batch.begun.append(effect)
            case .resumed(let effect): batch.resumed.append(effect)
            case .ended:
                if batch.begun.last?.number == number,
                    !batch.resumed.contains(where: { $0.number == number })
                {
                    batch.begun.removeLast()
                    return false
                }
                batch.ended.append(number)
            }
            return true
        }

        /// Takes note that something waits; true where that is new.
        mutating func notice() -> Bool {
            defer { isNoticed = true }
            return !isNoticed
        }
    }

    /// So many actions, or bytes of their lines, are handed over at the next rest: to wake the writer costs as much as to record
    /// hundreds of them.
    fileprivate static let most = (entries: 8_192, bytes: 1 << 20)
    /// What waits, under a lock that is held for a few instructions.
    let open: Mutex<Open>
    /// The last action whose consequences are recorded too: those up to it may be handed over. Written in the drain, after they
    /// were recorded; where inputs are done with it, under the lock, so that neither is handed over without the other.
    private let settled: Atomic<UInt64>
    /// The number of the last input that was accepted.
    private let lastInput: Atomic<UInt64>
    /// Takes what is handed over; called in order, on the thread that hands over.
    private let take: Taker
    /// The memory of what was handed over and is written.
    private let buffers: JournalBuffers
    /// Called, once, when there is something to be handed over after a while.
    let notice: @Sendable () -> Void
    /// What effects and inputs of this journal are named by.
    package private(set) var name: String
    /// Grows with each run.
    package private(set) var epoch: UInt64

    /// The sequence number of the last action.
    package private(set) var sequence: UInt64
    /// What the last actions follow from.
    private var chains = ChainMemory()
    /// An action that this run has not recorded, or recorded long ago, and whose effects begin anew; nil for none.
    private(set) var shown: ShownAction?
    /// Inputs whose pass is over, since the last rest.
    private var finished: [UInt64] = []
    /// What has become of effects with outputs that are not recorded yet.
    var waiting = WaitingEffects()
    /// Whether so much was recorded that it is handed over at the next rest.
    private var isFull = false
    /// Called at a rest, once so many actions have been recorded since the last time; nil before somebody asks.
    var onMany: (count: UInt64, body: () -> Void)?
    /// The action at which that happens next.
    private var next: UInt64 = .max

    /// A recorder that goes on after an action.
    ///
    /// - Parameters:
    ///   - input: the last input that was accepted.
    ///   - effect: the number of the last effect that began.
    ///   - name: what effects and inputs of this journal are named by.
    ///   - buffers: where the memory of what was handed over comes back to.
    ///   - take: takes what is handed over.
    ///   - notice: called when there is something to be handed over after a while, by `handOver`.
    package init(
        after sequence: UInt64, input: UInt64, effect: UInt64, name: String, epoch: UInt64,
        buffers: JournalBuffers = JournalBuffers(), notice: @escaping @Sendable () -> Void,
        take: @escaping Taker
    ) {
        self.sequence = sequence
        settled = Atomic(sequence)
        self.name = name
        self.epoch = epoch
        self.take = take
        self.buffers = buffers
        self.notice = notice
        open = Mutex(
            Open(
                batch: JournalBatch(generation: 1, firstSequence: sequence + 1), lastEffect: effect))
        lastInput = Atomic(input)
    }

    // MARK: - In the drain

    /// The number of the generation that records from here on.
    package var generation: Int {
        get { open.withLock { $0.batch.generation } }
        set {
            // What was recorded before belongs to the one before.
            handOver()
            open.withLock { $0.batch.generation = newValue }
        }
    }

    /// Gives the next action its number, and finds what it follows from; called before anybody sees the action.
    @inline(__always)
    package func begin(_ source: ActionSource) -> UInt64 {
        sequence &+= 1
        chains.begin(sequence, from: source, upTo: lastInput.load(ordering: .relaxed), in: epoch)
        return sequence
    }

    /// Names effects from here on as another recorder does, and numbers them after one; called in the drain, before there are any.
    package func name(_ name: String, epoch: UInt64, effect last: UInt64) {
        (self.name, self.epoch) = (name, epoch)
        open.withLock { $0.lastEffect = last }
    }

    /// Lets the next action, whose cause is known, have a number and an origin, both given by another recorder.
    package func expect(_ sequence: UInt64, from origin: ChainOrigin) {
        self.sequence = sequence &- 1
        chains.given = origin
    }

    /// Lets effects go on of an action that another recorder has recorded: what they emit follows from an action that is known.
    package func resume(after sequence: UInt64) {
        self.sequence = max(self.sequence, sequence)
        settle()
    }

    /// Lets effects begin of an action that another recorder has recorded: they wait for nothing here, and have the name from there.
    package func show(_ sequence: UInt64, named name: EffectKeys.Name) {
        self.sequence = max(self.sequence, sequence)
        shown = ShownAction(sequence: sequence, input: 0, name: name, waits: false)
        settle()
    }

    /// Lets effects begin anew of an action for which one has stood: they have its key, its attempt and its input, and are recorded with what
    /// the action emits on the spot.
    func show(insteadOf effect: JournalEffect) {
        shown = ShownAction(
            sequence: effect.sequence, input: effect.input,
            name: EffectKeys.Name(key: effect.key, attempt: effect.attempt), waits: true)
        recall(effect)
    }

    /// Remembers until the next rest what the action of an effect follows from, since something is emitted after it.
    func recall(_ effect: JournalEffect) {
        guard let origin = ChainOrigin(key: effect.key, of: name) else { return }
        chains.recall(effect.sequence, from: origin, at: sequence)
    }

    /// Records the action in hand, once the reducers are through with it.
    ///
    /// - Parameters:
    ///   - text: the line that it came as; nil for an action that is none, or was changed.
    ///   - isInput: whether it is the input that its cause names, as it was committed before.
    @inline(__always)
    package func record(
        _ dispatched: DispatchedAction<AnyAction>, text: ActionText?, isInput: Bool, time: Double?
    ) {
        var line = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        if !isInput, let text, !text.isPayload { unsafe line = text.bytes }
        let length = line.count
        let action = isInput || length > 0 ? nil : dispatched.action
        let isDue = open.withLock { open in
            if length > 0 {
                open.batch.lines.append(addingCapacity: length) { free in
                    unsafe free.withUnsafeMutableBufferPointer { places, count in
                        unsafe UnsafeMutableRawBufferPointer(places).copyMemory(from: line)
                        count = length
                    }
                }
            }
            open.batch.entries.append(
                JournalEntry(
                    action: action, lineLength: length, source: dispatched.dispatcher, time: time))
            return open.isDue
        }
        if isDue { noticeDue() }
    }

    /// Tells that something waits to be handed over, unless that is known, and looks how much it is.
    @inline(never)
    private func noticeDue() {
        let isFirst = open.withLock { open in
            isFull = open.isFull
            return open.notice()
        }
        if isFirst { notice() }
    }

    /// Takes note that a pass is over; of one with an input, that the input is done.
    ///
    /// - Parameter isIdle: whether nothing waits that follows from what was recorded.
    @inline(__always)
    package func finish(_ cause: ActionCause, isIdle: Bool) {
        if cause.isInput { finishInput(cause) }
        if isIdle { settle() }
    }

    /// Takes note that an input is done.
    private func finishInput(_ cause: ActionCause) {
        guard let number = cause.number(notAbove: lastInput.load(ordering: .relaxed)) else { return }
        finished.append(number)
    }

    /// Does what there is to do at a rest.
    @inline(__always)
    private func settle() {
        if finished.isEmpty, waiting.isEmpty {
            settled.store(sequence, ordering: .releasing)
        } else {
            settleWhole()
        }
        if isFull || sequence >= next { act() }
    }

    /// Lets inputs be done with what they have led to, and effects with what they have emitted: a batch has both, or neither.
    private func settleWhole() {
        let isFirst = open.withLock { open in
            settled.store(sequence, ordering: .releasing)
            open.batch.done += finished
            waiting.settle { change, number in open.add(change, of: number) }
            return open.notice()
        }
        finished.removeAll(keepingCapacity: true)
        chains.forgetRecalled()
        if isFirst { notice() }
    }

    /// Whether something has become of an effect with outputs that are not recorded yet.
    var isWaiting: Bool { !waiting.isEmpty }

    /// Whether the last actions are not settled: what they have led to may wait.
    var isBehind: Bool { settled.load(ordering: .relaxed) < sequence }

    /// Settles the last actions, which no pass has settled because other work stood in the queue; called when nothing waits in it.
    func catchUp() { if isBehind { settle() } }

    /// Settles what no pass has settled, since none followed; called when nothing waits in the queue.
    package func rest() {
        if isWaiting { settle() }
    }

    /// Does what is done at the rest after many actions.
    @inline(never)
    private func act() {
        if isFull {
            isFull = false
            handOver()
        }
        if sequence >= next, let onMany {
            next = sequence + onMany.count
            onMany.body()
        }
    }

    /// Has something done at the rest after each so many actions.
    package func every(_ count: UInt64, _ body: @escaping () -> Void) {
        onMany = (count, body)
        next = sequence + count
    }

    /// What the effects of the action in hand are called that an instance starts.
    ///
    /// Inputs have the same number when they are dispatched again, and their consequences the same place; everything else is never
    /// dispatched again.
    package func key(of sequence: UInt64, for instance: String) -> String {
        var origin = origin(of: sequence)
        if origin.input == 0, origin.epoch == 0 { origin.epoch = epoch }
        return origin.key(of: name, for: instance)
    }

    /// What an action follows from, for a recorder elsewhere; see `expect`.
    package func origin(of sequence: UInt64) -> ChainOrigin { chains.origin(of: sequence) }

    /// The number of the input that the action with this number follows from; nil for none.
    package func input(of sequence: UInt64) -> UInt64? {
        let input = inputNumber(of: sequence)
        return input == 0 ? nil : input
    }

    /// The same; 0 for none.
    @inline(__always)
    func inputNumber(of sequence: UInt64) -> UInt64 { chains.origin(of: sequence).input }

    /// The number of the input that an action follows from which has none yet; nil for none.
    package func input(thatCaused cause: ActionCause) -> UInt64? {
        switch cause.kind {
        case .input, .interception: cause.number(notAbove: lastInput.load(ordering: .relaxed))
        case .output, .own:
            cause.number(notAbove: sequence).flatMap { chains.input(of: $0, at: sequence) }
        case .unknown, .effect: nil
        }
    }

    // MARK: - From any thread

    /// Numbers for so many inputs that are accepted now; the first of them.
    package func numbers(forInputs count: Int) -> UInt64 {
        lastInput.wrappingAdd(UInt64(count), ordering: .relaxed).oldValue + 1
    }

    /// Takes note of inputs that are accepted, to be committed with what is handed over next; callable from any thread.
    package func accept(_ inputs: [JournalInput]) { open.withLock { $0.batch.inputs += inputs } }

    /// Hands over what is settled; callable from any thread.
    ///
    /// - Parameter onCommit: called when it is committed with all before it, or cannot be; also when there is nothing to hand over.
    package func handOver(_ onCommit: (@Sendable (JournalFailure?) -> Void)? = nil) {
        _ = handOverSettled(onCommit)
    }

    /// Hands over what is settled, as `notice` has asked for, and gives notice again of what is not settled yet.
    func handOverNoticed() {
        if handOverSettled(nil) { notice() }
    }

    /// Hands over what is settled; true when there is something that is not.
    private func handOverSettled(_ onCommit: (@Sendable (JournalFailure?) -> Void)?) -> Bool {
        // Under the lock, so that what is handed over first was recorded first.
        open.withLock { open in
            let batch = open.batch.takeSettled(upTo: settled.load(ordering: .acquiring), from: buffers)
            // Of what is left notice was given already.
            open.isNoticed = open.isNoticed && !open.batch.isEmpty
            if !batch.isEmpty || onCommit != nil { take(batch, onCommit) }
            return open.isNoticed
        }
    }
}
